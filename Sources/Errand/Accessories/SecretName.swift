/// A name as redaction compares it: in lower case, and without anything between its letters and digits.
struct SecretName: Sendable, Hashable {
  let text: String

  init(_ name: some StringProtocol) {
    let lowercased = name.lowercased()
    let letters = lowercased.unicodeScalars.filter { scalar in
      !scalar.isASCII || ASCII.isAlphanumeric(UInt8(truncatingIfNeeded: scalar.value))
    }
    text = letters.isEmpty ? lowercased : String(String.UnicodeScalarView(letters))
  }

  /// Whether it is `Authorization` or `Proxy-Authorization`.
  var isAuthorization: Bool { text == "authorization" || text == "proxyauthorization" }
}
