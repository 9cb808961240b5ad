import ErrandJSON
import Errand
import Foundation

/// What a stub asks of a request besides method and place.
protocol StubCondition: Sendable {
  /// What differs, in words such as `header Accept is missing, not text/plain`; `nil` when the request meets it.
  ///
  /// - Parameter shown: how values of request and stub are written.
  func difference(in request: ReceivedRequest, _ shown: MessageText) -> String?
}

extension [any StubCondition] {
  func areMet(by request: ReceivedRequest) -> Bool {
    allSatisfy { $0.difference(in: request, .standard) == nil }
  }
}

/// A header field; the name is compared in any case, the value as it is.
struct HeaderCondition: StubCondition {
  let name: String
  let wanted: WantedValue

  func difference(in request: ReceivedRequest, _ shown: MessageText) -> String? {
    let values = request.headers.values(for: name)
    return wanted.difference(of: values, named: name, shown).map { "header \(name) \($0)" }
  }
}

/// An item of the query; others are ignored.
struct QueryCondition: StubCondition {
  let name: String
  let wanted: WantedValue

  func difference(in request: ReceivedRequest, _ shown: MessageText) -> String? {
    let values = FormItems(request.query ?? "").values(for: name)
    return wanted.difference(of: values, named: name, shown).map { "query item \(name) \($0)" }
  }
}

/// Fields of a body that is a form, of parts or in one text; others are ignored.
struct FormBodyCondition: StubCondition {
  let fields: [String: TextPattern]

  func difference(in request: ReceivedRequest, _ shown: MessageText) -> String? {
    let parts = request.parts
    let items = parts.isEmpty ? FormItems(request.text) : FormItems(parts)
    let differences = fields.sorted { $0.key < $1.key }.compactMap { name, value in
      WantedValue.matching(value).difference(of: items.values(for: name), named: name, shown)
        .map { "body field \(name) \($0)" }
    }
    return differences.isEmpty ? nil : differences.joined(separator: "; ")
  }
}

/// A variable of the stub's own path.
struct VariableCondition: StubCondition {
  let name: String
  let wanted: WantedValue

  func difference(in request: ReceivedRequest, _ shown: MessageText) -> String? {
    let values = request.variables[name].map { [$0] } ?? []
    return wanted.difference(of: values, named: name, shown).map { "path variable \(name) \($0)" }
  }
}

/// A cookie of the `Cookie` field (RFC 6265 section 4.2); others are ignored.
struct CookieCondition: StubCondition {
  let name: String
  let wanted: WantedValue

  func difference(in request: ReceivedRequest, _ shown: MessageText) -> String? {
    let values = request.cookies.filter { $0.name == name }.map(\.value)
    // All of them are secrets: a session has no name of its own.
    return wanted.difference(of: values, named: "Cookie", shown).map { "cookie \(name) \($0)" }
  }
}

/// JSON that the body has: every member of the objects in it, and arrays and scalars as they are.
struct JSONBodyCondition: StubCondition {
  /// The most differences that are named.
  private static let limit = 3

  private let text: String
  /// What is asked for; `nil` when the stub's own text is no JSON, so that it never matches.
  private let wanted: JSONValue?
  /// Whether the body has nothing else.
  private let isWhole: Bool

  init(_ text: String, isWhole: Bool) {
    self.text = text
    self.isWhole = isWhole
    wanted = try? JSONCoding().decode(JSONValue.self, from: Data(text.utf8))
  }

  func difference(in request: ReceivedRequest, _ shown: MessageText) -> String? {
    guard let wanted else {
      return "body cannot be compared, as the stub's own JSON is malformed: \(shown.json(text))"
    }
    guard !request.body.isEmpty else { return "body is empty, not \(shown.json(wanted, of: ""))" }
    guard let body = try? JSONCoding().decode(JSONValue.self, from: request.body) else {
      return "body is no JSON, not \(shown.json(wanted, of: ""))"
    }
    let differences = body.differences(from: wanted, shown, isWhole: isWhole)
    return differences.isEmpty ? nil : differences.prefix(Self.limit).joined(separator: "; ")
  }
}

/// A condition in the words and the code of a test.
struct ClosureCondition: StubCondition {
  /// What is wrong; `nil` when nothing is.
  let difference: @Sendable (ReceivedRequest) -> String?

  func difference(in request: ReceivedRequest, _ shown: MessageText) -> String? {
    difference(request).map(shown.redaction.text)
  }
}

/// What is asked of the values that stand under a name.
enum WantedValue: Sendable {
  case matching(TextPattern)
  case present, absent

  static func equal(_ value: String) -> WantedValue { .matching(.equal(value)) }

  /// What differs, as the end of a sentence about the name; `nil` when the values are as wanted.
  func difference(of values: [String], named name: String, _ shown: MessageText) -> String? {
    let found = values.isEmpty ? "missing" : values.map { shown.value($0, of: name) }.joined(separator: ", ")
    switch self {
    case .matching(let pattern):
      guard !values.contains(where: pattern.matches) else { return nil }
      if let problem = pattern.problem { return "cannot be compared: \(problem)" }
      return "is \(found), not \(pattern.words { shown.value($0, of: name) })"
    case .present: return values.isEmpty ? "is missing" : nil
    case .absent: return values.isEmpty ? nil : "is \(found), not missing"
    }
  }
}

/// The items of a query or a form (WHATWG URL section 5.1), decoded; a `+` is a blank.
struct FormItems {
  let items: [(name: String, value: String)]

  init(_ text: String) {
    items = text.split(separator: "&").map { item in
      let name = item.prefix { $0 != "=" }
      return (Self.decoded(name), Self.decoded(item.dropFirst(name.count + 1)))
    }
  }

  /// The fields of a form of parts.
  init(_ parts: [BodyPart]) {
    items = parts.filter { $0.filename == nil }.map { ($0.name ?? "", $0.text) }
  }

  func values(for name: String) -> [String] { items.filter { $0.name == name }.map(\.value) }

  private static func decoded(_ text: Substring) -> String {
    let blanks = text.replacingOccurrences(of: "+", with: " ")
    return blanks.removingPercentEncoding ?? blanks
  }
}

extension JSONValue {
  /// What of this body is not as wanted, in words with the place, such as `body at tags[0] is 1, not 2`.
  ///
  /// - Parameters:
  ///   - shown: how values are written.
  ///   - path: where this value stands; empty for the whole body.
  ///   - isWhole: whether objects may have no members but the wanted ones, as in an array.
  func differences(
    from wanted: JSONValue, _ shown: MessageText, at path: String = "", isWhole: Bool = false
  ) -> [String] {
    switch (self, wanted) {
    case (.object(let own), .object(let others)):
      let names = isWhole ? Set(own.keys).union(others.keys) : Set(others.keys)
      return names.sorted().flatMap { name in
        let place = path.isEmpty ? name : "\(path).\(name)"
        guard let value = own[name], let other = others[name] else {
          return [Self.difference(of: own[name], from: others[name], shown, at: place)]
        }
        return value.differences(from: other, shown, at: place, isWhole: isWhole)
      }
    case (.array(let own), .array(let others)) where own.count == others.count:
      return own.indices.flatMap { index in
        own[index].differences(from: others[index], shown, at: "\(path)[\(index)]", isWhole: true)
      }
    default:
      return self == wanted ? [] : [Self.difference(of: self, from: wanted, shown, at: path)]
    }
  }

  private static func difference(
    of value: JSONValue?, from wanted: JSONValue?, _ shown: MessageText, at path: String
  ) -> String {
    let texts = [value, wanted].map { $0.map { shown.json($0, of: path) } ?? "missing" }
    let path = shown.redaction.text(path)
    return "body\(path.isEmpty ? "" : " at \(path)") is \(texts[0]), not \(texts[1])"
  }
}
