import Errand
import Foundation

/// JSON that the body has: every member of the objects in it, and arrays and scalars as they are.
struct JSONBodyCondition: StubCondition {
  /// The most differences that are named.
  private static let limit = 3

  private let text: String
  /// What is asked for; `nil` when the stub's own text is no JSON, so that it never matches.
  private let wanted: JSONValue?

  init(_ text: String) {
    self.text = text
    wanted = try? JSONCoding().decode(JSONValue.self, from: Data(text.utf8))
  }

  func difference(in request: ReceivedRequest, _ shown: Shown) -> String? {
    guard let wanted else {
      return "body cannot be compared, as the stub's own JSON is malformed: \(shown.json(text))"
    }
    guard !request.body.isEmpty else { return "body is empty, not \(shown.json(wanted, of: ""))" }
    guard let body = try? JSONCoding().decode(JSONValue.self, from: request.body) else {
      return "body is no JSON, not \(shown.json(wanted, of: ""))"
    }
    let differences = body.differences(from: wanted, shown)
    return differences.isEmpty ? nil : differences.prefix(Self.limit).joined(separator: "; ")
  }
}
