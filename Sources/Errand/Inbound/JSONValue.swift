/// A JSON text read (RFC 8259); numbers stay as they were written, so that none loses a digit.
enum JSONValue: Sendable, Hashable {
  case null
  case bool(Bool)
  case number(JSONNumber)
  case string(String)
  case array([JSONValue])
  /// Of members with the same name the last counts.
  case object([String: JSONValue])

  /// What it is, for messages: `a string`.
  var kind: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
