/// A name as redaction compares it: in lower case, and without anything between its letters and digits.
struct SecretName: Sendable, Hashable {
  private let text: String

  init(_ name: some StringProtocol) {
    let lowercased = name.lowercased()
    let letters = lowercased.unicodeScalars.filter { scalar in
      !scalar.isASCII || ASCII.isAlphanumeric(UInt8(truncatingIfNeeded: scalar.value))
    }
    text = letters.isEmpty ? lowercased : String(String.UnicodeScalarView(letters))
  }

  /// Whether it looks like the name of a secret; ``Redaction`` lists the words.
  var looksSecret: Bool {
    Self.wholes.contains(text) || text.hasSuffix("auth") || Self.words.contains { text.contains($0) }
  }

  private static let wholes: Set<String> = ["cookie", "setcookie", "jwt", "pwd", "pass"]

  private static let words = [
    "apikey", "accesskey", "privatekey", "authkey", "token", "secret", "password", "passwd", "passphrase",
    "credential", "signature", "session", "sessid", "authorization",
  ]
}

extension SecretName {
  /// Whether it is `Authorization` or `Proxy-Authorization`.
  var isAuthorization: Bool {
    self == SecretName("authorization") || self == SecretName("proxyauthorization")
  }
}
