import ErrandJSON
import Foundation

/// Collects the values that a request sends under secret names, and the secrets in the URL's user info.
struct CredentialFinder {
  /// The size of the largest searched body, in bytes.
  private static let bodyLimit = 8_388_608

  let redaction: Redaction
  private(set) var values: Set<HiddenValue> = []

  static func values(in request: HTTPRequest, by redaction: Redaction) -> Set<HiddenValue> {
    guard !redaction.hidesNoNames else { return [] }
    var finder = CredentialFinder(redaction: redaction)
    finder.find(inURL: request.url.absoluteString)
    for field in request.headers.fields where redaction.hidesHeader(field.name) { finder.find(in: field) }
    for field in request.trailers.fields.fields where redaction.hidesHeader(field.name) {
      finder.find(in: field)
    }
    finder.find(in: request.body, type: request.headers["Content-Type"])
    return finder.values
  }

  private init(redaction: Redaction) { self.redaction = redaction }

  private mutating func learn(_ text: some StringProtocol) {
    if let value = HiddenValue(learned: text) { values.insert(value) }
  }

  private mutating func find(inURL text: String) {
    find(inQueryOf: text, depth: 0)
    guard redaction.hidesSecretNames, let userInfo = URLParts(absolute: text)?.userInfo else { return }
    let halves = userInfo.split(separator: ":", maxSplits: 1).map { Self.decoded($0) }
    learn(name: halves.first ?? "", password: halves.count > 1 ? halves[1] : "")
  }

  private mutating func find(inQueryOf text: String, depth: Int) {
    guard let mark = text.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return }
    for part in text[text.index(after: mark)...].split(separator: "#") {
      find(inPairs: part, .queryItem, depth: depth)
    }
  }

  private mutating func find(inPairs text: Substring, _ place: Redaction.Place, depth: Int = 0) {
    for pair in text.split(separator: "&") {
      guard let equals = pair.firstIndex(of: "=") else { continue }
      let value = Self.decoded(pair[pair.index(after: equals)...])
      if redaction.hides(Self.decoded(pair[..<equals]), in: place) {
        learn(value)
      } else if depth < 3 {
        find(inQueryOf: value, depth: depth + 1)
      }
    }
  }

  private mutating func find(in body: RequestBody, type: String?) {
    if let plain = body.provider?.uncompressed { return find(in: plain, type: type) }
    for field in body.fields where redaction.hides(field.name, in: .field) { learn(field.value) }
    guard let data = body.data, !data.isEmpty, data.count <= Self.bodyLimit else { return }
    let media = type.flatMap { MediaType($0) }
    if media?.description == "application/x-www-form-urlencoded" {
      find(inPairs: Self.text(of: data, charset: media?["charset"])[...], .field)
    } else if media?.isJSON == true || Self.beginsLikeJSON(data) {
      find(inJSON: Self.text(of: data, charset: media?["charset"]))
    }
  }

  private static func beginsLikeJSON(_ data: Data) -> Bool {
    let first = data.first { !ASCII.isWhitespace($0) }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || Charset.marked(in: data) != nil
  }

  /// Tries the charset, then UTF-8, then ISO-8859-1.
  private static func text(of data: Data, charset name: String?) -> String {
    let charset = (name ?? Charset.marked(in: data)).flatMap { Charset($0) }
    return charset?.decode(data) ?? text(of: Array(data))
  }

  private static func text(of bytes: [UInt8]) -> String {
    bytes.withUnsafeBufferPointer(StringText.utf8)
      ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }

  /// Searches a JSON document.
  ///
  /// In other text, searches each line that is a JSON document.
  private mutating func find(inJSON text: String) {
    if let root = try? JSONTree.parse(Data(text.utf8)) { return find(in: root) }
    for line in text.split(whereSeparator: \.isNewline) {
      if let root = try? JSONTree.parse(Data(line.utf8)) { find(in: root) }
    }
  }

  /// Searches without recursion, because a thread's stack may be small.
  private mutating func find(in root: JSONValue) {
    var values = [(value: root, isSecret: false)]
    while let (value, isSecret) = values.popLast() {
      switch value {
      case .string(let text) where isSecret: learn(text)
      case .number(let number) where isSecret: learn(number.text)
      case .array(let elements): values += elements.map { ($0, isSecret) }
      case .object(let members):
        values += members.map { ($1, isSecret || redaction.hides($0, in: .field)) }
      case .null, .bool, .number, .string: break
      }
    }
  }

  private static func decoded(_ text: Substring) -> String {
    self.text(of: PercentEncoding.decode(Array(text.utf8)[...], plusIsBlank: true))
  }

  mutating func find(in field: HTTPHeaders.Field) {
    if HTTPHeaders.same(field.name, "Cookie") {
      for pair in field.value.split(separator: ";") {
        if pair.contains("=") {
          learn(valueOf: pair)
        } else {
          learn(pair.trimmingCharacters(in: Self.quotes))
        }
      }
      return
    }
    let scheme = field.value.prefix { $0 != " " }
    let rest = field.value[scheme.endIndex...].drop { $0 == " " }
    let isScheme = !rest.isEmpty && AuthorizationScheme.isKnown(scheme)
    // A value with a known scheme is not recorded as a whole, because the scheme stays visible.
    if !isScheme { learn(field.value) }
    if isScheme || SecretName(field.name).isAuthorization { learn(rest, by: scheme) }
  }

  /// Records credentials as a whole and in parts (RFC 9110 section 11.4).
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

  /// Records a password, and sometimes the user name.
  ///
  /// Some services expect a token as the user name, with a dummy password such as `x` or `x-oauth-basic`.
  private mutating func learn(name: String, password: String) {
    learn(password)
    if password.utf8.count < 4 || password == "x-oauth-basic" { learn(name) }
  }

  private mutating func learn(valueOf pair: Substring) {
    guard let equals = pair.firstIndex(of: "=") else { return }
    let value = pair[pair.index(after: equals)...].trimmingCharacters(in: Self.quotes)
    learn(value)
    if value.contains("%") { learn(String(decoding: PercentEncoding.decode(value), as: UTF8.self)) }
  }

  private static let quotes = CharacterSet(charactersIn: " \t\"")

  private static let harmlessParameters: Set<String> = [
    "realm", "uri", "username", "username*", "algorithm", "qop", "nc", "signedheaders", "userhash", "charset",
    "domain", "stale", "scope", "version", "oauth_version", "oauth_signature_method", "oauth_timestamp",
  ]
}
