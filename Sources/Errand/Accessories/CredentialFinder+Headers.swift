import Foundation

extension CredentialFinder {
  /// The credentials in a field that is hidden for its name.
  mutating func find(in field: HTTPHeaders.Field) {
    if HTTPHeaders.same(field.name, "Cookie") {
      for pair in field.value.split(separator: ";") { learn(valueOf: pair) }
      return
    }
    let scheme = field.value.prefix { $0 != " " }
    let rest = field.value[scheme.endIndex...].drop { $0 == " " }
    let isScheme = !rest.isEmpty && Redaction.isScheme(scheme)
    // The name of a scheme is printed, so that it must not be part of the value.
    if !isScheme { learn(field.value) }
    if isScheme || SecretName(field.name).isAuthorization { learn(rest, by: scheme) }
  }

  /// What stands behind the name of a scheme: one word, or parameters (RFC 9110 section 11.4).
  private mutating func learn(_ credentials: Substring, by scheme: Substring) {
    learn(credentials)
    if scheme.lowercased() == "basic", let data = Data(base64Encoded: String(credentials)) {
      let text = String(decoding: data, as: UTF8.self)
      let colon = text.firstIndex(of: ":") ?? text.endIndex
      learn(name: String(text[..<colon]), password: String(text[colon...].dropFirst()))
    }
    for part in credentials.split(separator: ",") {
      guard let equals = part.firstIndex(of: "=") else { continue }
      let name = part[..<equals].trimmingCharacters(in: .whitespaces).lowercased()
      if !Self.harmlessParameters.contains(name) { learn(valueOf: part) }
    }
  }

  /// A user's name is no secret, unless it is all there is: some services take a token for it.
  mutating func learn(name: String, password: String) {
    learn(password)
    if password.utf8.count < 4 || password == "x-oauth-basic" { learn(name) }
  }

  /// The value of `name=value`, as it is and without its escapes.
  private mutating func learn(valueOf pair: Substring) {
    guard let equals = pair.firstIndex(of: "=") else { return }
    let value = pair[pair.index(after: equals)...].trimmingCharacters(in: Self.quotes)
    learn(value)
    if value.contains("%") { learn(String(decoding: PercentEncoding.decode(value), as: UTF8.self)) }
  }

  private static let quotes = CharacterSet(charactersIn: " \t\"")

  /// Parameters of schemes that are no secrets, and may be words that occur elsewhere.
  private static let harmlessParameters: Set<String> = [
    "realm", "uri", "username", "username*", "algorithm", "qop", "nc", "signedheaders", "userhash", "charset",
    "domain", "stale", "scope", "version", "oauth_version", "oauth_signature_method", "oauth_timestamp",
  ]
}
