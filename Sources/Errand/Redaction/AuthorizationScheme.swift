import Foundation

/// The authentication schemes (RFC 9110 section 11.1) whose names may be printed.
enum AuthorizationScheme {
  /// Replaces all text except a known scheme.
  ///
  /// An unknown first word may be the secret.
  static func redactingCredentials(in value: String) -> String {
    guard let blank = value.firstIndex(of: " ") else { return Redaction.marker }
    let scheme = value[..<blank]
    return isKnown(scheme) ? "\(scheme) \(Redaction.marker)" : Redaction.marker
  }

  static func isKnown(_ word: Substring) -> Bool { names.contains(word.lowercased()) }

  private static let names: Set<String> = [
    "basic", "bearer", "digest", "dpop", "gnap", "hoba", "mutual", "negotiate", "ntlm", "oauth",
    "privatetoken",
    "scram-sha-1", "scram-sha-256", "vapid", "aws4-hmac-sha256", "token", "apikey",
  ]
}
