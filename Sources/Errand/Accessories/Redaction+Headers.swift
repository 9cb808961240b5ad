extension Redaction {
  /// The headers with secret values replaced by ``marker``.
  ///
  /// `Authorization` and `Proxy-Authorization` keep the name of a registered scheme (RFC 9110 section 11.4): `Bearer
  /// <redacted>`. In other values URLs and pairs are treated as in ``text(_:)``.
  public func headers(_ headers: HTTPHeaders) -> HTTPHeaders {
    guard !hidesNothing else { return headers }
    return HTTPHeaders(headers.fields.map { .init(name: $0.name, value: value($0.value, of: $0.name)) })
  }

  private func value(_ value: String, of name: String) -> String {
    if hides(name, in: .header), !Self.isPolicy(name) {
      return SecretName(name).isAuthorization ? Self.keepingScheme(value) : Self.marker
    }
    if Self.urlHeaders.contains(where: { HTTPHeaders.same($0, name) }), !value.contains(" ") {
      return url(text: value)
    }
    return text(value)
  }

  /// Whether the name only speaks of secrets, as `Access-Control-Allow-Credentials` does.
  private static func isPolicy(_ name: String) -> Bool { name.lowercased().hasPrefix("access-control-") }

  private static let urlHeaders = ["Location", "Content-Location", "Referer", "Origin"]

  /// Only names that are known, as the first word of another value may be the secret.
  private static func keepingScheme(_ value: String) -> String {
    guard let blank = value.firstIndex(of: " ") else { return marker }
    let scheme = value[..<blank]
    return schemes.contains(scheme.lowercased()) ? "\(scheme) \(marker)" : marker
  }

  private static let schemes: Set<String> = [
    "basic", "bearer", "digest", "dpop", "gnap", "hoba", "mutual", "negotiate", "ntlm", "oauth",
    "privatetoken",
    "scram-sha-1", "scram-sha-256", "vapid", "aws4-hmac-sha256", "token", "apikey",
  ]
}
