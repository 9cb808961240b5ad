import Foundation

/// A JSON text read (RFC 8259), for comparing; of members with one name, one counts.
indirect enum JSONTree: Sendable, Equatable, Decodable {
  case null
  case bool(Bool)
  /// A number of up to 38 digits: as a binary fraction many would be the same that are not.
  case decimal(Decimal)
  /// What is too large or too small for that.
  case number(Double)
  case string(String)
  case array([JSONTree])
  case object([String: JSONTree])

  /// Reads a text; `nil` when it is malformed.
  init?(_ data: Data) {
    guard let tree = try? JSONDecoder().decode(JSONTree.self, from: data) else { return nil }
    self = tree
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Decimal.self) {
      self = .decimal(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONTree].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONTree].self))
    }
  }

  /// The tree as JSON without blanks, members sorted by name.
  var text: String {
    switch self {
    case .null: "null"
    case .bool(let value): String(value)
    case .decimal(let value): value.description
    case .number(let value): String(value)
    case .string(let value): value.debugDescription
    case .array(let values): "[\(values.map(\.text).joined(separator: ","))]"
    case .object(let members):
      "{\(members.sorted { $0.key < $1.key }.map { "\($0.debugDescription):\($1.text)" }.joined(separator: ","))}"
    }
  }
}
