import Foundation

/// Writes the JSON text of a value, with members sorted by name and without recursion.
struct JSONValueText {
  private enum Part {
    case value(JSONValue)
    case name(String)
    case comma
    case end(UInt8)
  }

  private(set) var bytes: [UInt8] = []
  private var parts: [Part] = []

  mutating func write(_ value: JSONValue) throws {
    var depth = 0
    parts.append(.value(value))
    while let part = parts.popLast() {
      switch part {
      case .value(let value):
        if begin(value) { depth += 1 }
        guard depth <= JSONDepth.limit else { throw JSONValue.tooDeep }
      case .name(let name):
        append(name)
        bytes.append(UInt8(ascii: ":"))
      case .comma: bytes.append(UInt8(ascii: ","))
      case .end(let bracket):
        bytes.append(bracket)
        depth -= 1
      }
    }
  }

  private mutating func begin(_ value: JSONValue) -> Bool {
    switch value {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .number(let number): bytes += number.text.utf8
    case .string(let text): append(text)
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      parts.append(.end(UInt8(ascii: "]")))
      for (index, element) in elements.enumerated().reversed() {
        parts.append(.value(element))
        if index > 0 { parts.append(.comma) }
      }
      return true
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      parts.append(.end(UInt8(ascii: "}")))
      for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated().reversed() {
        parts.append(.value(member.value))
        parts.append(.name(member.key))
        if index > 0 { parts.append(.comma) }
      }
      return true
    }
    return false
  }

  private mutating func append(_ text: String) {
    JSONStringWriter.append(text.utf8, to: &bytes, escapingSlashes: false)
  }
}
