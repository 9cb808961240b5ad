extension Redaction {
  /// The headers with secret values replaced by ``marker``.
  ///
  /// `Authorization` and `Proxy-Authorization` keep the name of a registered scheme (RFC 9110 section 11.4): `Bearer
  /// <redacted>`. In other values URLs and pairs are treated as in ``text(_:)``. Known values are hidden in names too.
  public func headers(_ headers: HTTPHeaders) -> HTTPHeaders {
    guard !hidesNothing else { return headers }
    return HTTPHeaders(
      headers.fields.map { field in
        .init(name: hidingValues(field.name), value: value(hidingValues(field.value), of: field.name))
      })
  }

  private func value(_ value: String, of name: String) -> String {
    if hidesNoNames { return value }
    if hidesHeader(name) {
      return SecretName(name).isAuthorization ? Self.keepingScheme(value) : Self.marker
    }
    if Self.urlHeaders.contains(where: { HTTPHeaders.same($0, name) }), !value.contains(" ") {
      return String(decoding: url(bytes: Array(value.utf8)[...], depth: 0), as: UTF8.self)
    }
    return String(decoding: text(bytes: Array(value.utf8), depth: 0), as: UTF8.self)
  }

  /// Whether the value of a header field is hidden, whatever it is.
  func hidesHeader(_ name: String) -> Bool { hides(name, in: .header) && !Self.isPolicy(name) }

  /// Whether the name only speaks of secrets, as `Access-Control-Allow-Credentials` does.
  private static func isPolicy(_ name: String) -> Bool { name.lowercased().hasPrefix("access-control-") }

  private static let urlHeaders = ["Location", "Content-Location", "Referer", "Origin"]

  /// Only names that are known, as the first word of another value may be the secret.
  private static func keepingScheme(_ value: String) -> String {
    guard let blank = value.firstIndex(of: " ") else { return marker }
    let scheme = value[..<blank]
    return isScheme(scheme) ? "\(scheme) \(marker)" : marker
  }

  /// Whether a word is the name of a registered scheme, or one that many use.
  static func isScheme(_ word: Substring) -> Bool { schemes.contains(word.lowercased()) }

  private static let schemes: Set<String> = [
    "basic", "bearer", "digest", "dpop", "gnap", "hoba", "mutual", "negotiate", "ntlm", "oauth",
    "privatetoken",
    "scram-sha-1", "scram-sha-256", "vapid", "aws4-hmac-sha256", "token", "apikey",
  ]
}
