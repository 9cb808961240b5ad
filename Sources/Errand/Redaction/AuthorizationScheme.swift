import Foundation

/// The schemes of `Authorization` and `Proxy-Authorization` (RFC 9110 section 11.4) that may be printed.
enum AuthorizationScheme {
  /// Returns a field value with the credentials replaced by ``Redaction/marker``.
  ///
  /// Only a known scheme stays visible, because the first word of an unknown value may be the secret.
  static func keeping(of value: String) -> String {
    guard let blank = value.firstIndex(of: " ") else { return Redaction.marker }
    let scheme = value[..<blank]
    return isKnown(scheme) ? "\(scheme) \(Redaction.marker)" : Redaction.marker
  }

  /// True if the word names a registered scheme or a scheme in wide use, in any case.
  static func isKnown(_ word: Substring) -> Bool { names.contains(word.lowercased()) }

  private static let names: Set<String> = [
    "basic", "bearer", "digest", "dpop", "gnap", "hoba", "mutual", "negotiate", "ntlm", "oauth",
    "privatetoken",
    "scram-sha-1", "scram-sha-256", "vapid", "aws4-hmac-sha256", "token", "apikey",
  ]
}
