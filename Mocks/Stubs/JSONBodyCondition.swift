import ErrandJSON
import Errand
import Foundation

struct JSONBodyCondition: StubCondition {
  private static let limit = 3

  /// The stub's JSON text, for messages; empty for a `JSONValue`.
  private let text: String
  /// The stub's JSON; `nil` for malformed JSON, and the stub then never matches.
  private let wanted: JSONValue?
  /// True for `exactJSONBody`, which allows no further members of objects.
  private let isWhole: Bool
  private let ignoresOrder: Bool

  init(_ text: String, isWhole: Bool, ignoringOrder: Bool) {
    self.text = text
    self.isWhole = isWhole
    ignoresOrder = ignoringOrder
    wanted = try? JSONCoding().decode(JSONValue.self, from: Data(text.utf8))
  }

  init(_ value: JSONValue, isWhole: Bool, ignoringOrder: Bool) {
    text = ""
    wanted = value
    self.isWhole = isWhole
    ignoresOrder = ignoringOrder
  }

  func difference(in request: ReceivedRequest, _ shown: MessageText) -> String? {
    guard let wanted else {
      return "body cannot be compared, because the stub's JSON is malformed: \(shown.json(text))"
    }
    guard !request.body.isEmpty else { return "body is empty, not \(shown.json(wanted, of: ""))" }
    guard let body = try? JSONCoding().decode(JSONValue.self, from: request.body) else {
      return "body is not JSON, expected \(shown.json(wanted, of: ""))"
    }
    if isWhole, let name = RepeatedName.find(in: request.body) {
      return "body has more than one member named \(shown.value(name, of: ""))"
    }
    let comparison = JSONComparison(shown: shown, ignoresOrder: ignoresOrder)
    let differences = comparison.differences(of: body, from: wanted, isWhole: isWhole)
    return differences.isEmpty ? nil : differences.prefix(Self.limit).joined(separator: "; ")
  }
}

private struct JSONComparison {
  let shown: MessageText
  let ignoresOrder: Bool

  /// Returns differences such as `body at tags[0] is 1, not 2`.
  func differences(
    of value: JSONValue, from wanted: JSONValue, at path: String = "", isWhole: Bool
  ) -> [String] {
    switch (value, wanted) {
    case (.object(let own), .object(let others)):
      let names = isWhole ? Set(own.keys).union(others.keys) : Set(others.keys)
      return names.sorted().flatMap { name in
        let place = path.isEmpty ? name : "\(path).\(name)"
        guard let value = own[name], let other = others[name] else {
          return [difference(of: own[name], from: others[name], at: place)]
        }
        return differences(of: value, from: other, at: place, isWhole: isWhole)
      }
    case (.array, .array) where ignoresOrder:
      return isSame(value, wanted) ? [] : ["\(difference(of: value, from: wanted, at: path)) in any order"]
    case (.array(let own), .array(let others)) where own.count == others.count:
      return own.indices.flatMap { index in
        differences(of: own[index], from: others[index], at: "\(path)[\(index)]", isWhole: true)
      }
    case (.string(let own), .string(let other)):
      return own.isWritten(as: other) ? [] : [difference(of: value, from: wanted, at: path)]
    default:
      return value == wanted ? [] : [difference(of: value, from: wanted, at: path)]
    }
  }

  private func difference(of value: JSONValue?, from wanted: JSONValue?, at path: String) -> String {
    let text = value.map { shown.json($0, of: path) } ?? "missing"
    let place = shown.redaction.text(path)
    let subject = "body\(place.isEmpty ? "" : " at \(place)") is \(text)"
    guard let wanted else { return "\(subject), not missing" }
    return "\(subject), not \(shown.json(wanted, of: path, insteadOf: value))"
  }

  private func isSame(_ one: JSONValue, _ other: JSONValue) -> Bool {
    switch (one, other) {
    case (.array(let own), .array(let others)):
      guard own.count == others.count else { return false }
      // `isSame` is transitive, so the choice among equal elements does not matter.
      var rest = others
      return own.allSatisfy { element in
        guard let index = rest.firstIndex(where: { isSame(element, $0) }) else { return false }
        rest.remove(at: index)
        return true
      }
    case (.object(let own), .object(let others)):
      return own.count == others.count
        && own.allSatisfy { name, value in others[name].map { isSame(value, $0) } ?? false }
    case (.string(let own), .string(let other)): return own.isWritten(as: other)
    default: return one == other
    }
  }
}
