import Foundation

/// Collects what a request sends under the names of secrets.
struct CredentialFinder {
  /// A form or a JSON text that is longer is not looked into.
  private static let bodyLimit = 1_048_576

  let redaction: Redaction
  private(set) var values: Set<HiddenValue> = []

  static func values(in request: HTTPRequest, by redaction: Redaction) -> Set<HiddenValue> {
    guard !redaction.hidesNoNames else { return [] }
    var finder = CredentialFinder(redaction: redaction)
    finder.find(inURL: request.url.absoluteString)
    for field in request.headers.fields where redaction.hidesHeader(field.name) { finder.find(in: field) }
    finder.find(in: request.body, type: request.headers["Content-Type"])
    return finder.values
  }

  private init(redaction: Redaction) { self.redaction = redaction }

  mutating func learn(_ text: some StringProtocol) {
    if let value = HiddenValue(learned: text) { values.insert(value) }
  }

  private mutating func find(inURL text: String) {
    find(inQueryOf: text, depth: 0)
    guard redaction.hidesSecretNames, let userInfo = URLParts(absolute: text)?.userInfo else { return }
    let halves = userInfo.split(separator: ":", maxSplits: 1).map { Self.decoded($0) }
    learn(name: halves.first ?? "", password: halves.count > 1 ? halves[1] : "")
  }

  /// The fragment is treated like the query; a `?` within either belongs to it.
  private mutating func find(inQueryOf text: String, depth: Int) {
    guard let mark = text.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return }
    for part in text[text.index(after: mark)...].split(separator: "#") {
      find(inPairs: part, .queryItem, depth: depth)
    }
  }

  /// The pairs of a query or a form; a value may be a URL with pairs of its own.
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
    guard let data = body.data, !data.isEmpty, data.count <= Self.bodyLimit else { return }
    let media = type.flatMap { MediaType($0) }
    if media?.description == "application/x-www-form-urlencoded" {
      find(inPairs: Substring(decoding: data, as: UTF8.self), .field)
    } else if media?.isJSON == true || data.first == UInt8(ascii: "{") || data.first == UInt8(ascii: "[") {
      (try? JSONParser.parse(data)).map { find(in: $0, isSecret: false) }
    }
  }

  private mutating func find(in value: JSONValue, isSecret: Bool) {
    switch value {
    case .string(let text) where isSecret: learn(text)
    case .number(let number) where isSecret: learn(number.text)
    case .array(let elements): for element in elements { find(in: element, isSecret: isSecret) }
    case .object(let members):
      for (name, member) in members {
        find(in: member, isSecret: isSecret || redaction.hides(name, in: .field))
      }
    case .null, .bool, .number, .string: break
    }
  }

  private static func decoded(_ text: Substring) -> String {
    String(decoding: PercentEncoding.decode(Array(text.utf8)[...], plusIsBlank: true), as: UTF8.self)
  }
}
