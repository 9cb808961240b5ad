import Foundation
import Testing

@testable import Errand
@testable import ErrandJSON

@Suite("A tree of JSON, on generated input") struct JSONTreePropertyTests {
  @Test("The tree agrees with JSONSerialization on valid texts")
  func agrees() throws {
    var random = SeededGenerator(seed: 2)
    for _ in 0..<3000 {
      let text = Self.json(&random, depth: 4)
      let reference = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
      #expect(Self.same(try JSONTree.parse(Data(text.utf8)), reference), "\(text)")
    }
  }

  @Test(
    "Mutated and random bytes are refused or read without a crash, and accepted only if JSONSerialization accepts"
  )
  func mutated() {
    var random = SeededGenerator(seed: 3)
    for round in 0..<20_000 {
      var bytes = round % 4 == 0 ? random.bytes(upTo: 40) : Array(Self.json(&random, depth: 3).utf8)
      for _ in 0..<random.below(4) where !bytes.isEmpty {
        bytes[random.below(bytes.count)] = random.pick(Array("{}[]\",:\\u0e.-\n\u{0}".utf8) + [0xFF, 0xC3])
      }
      if random.below(3) == 0 { bytes = Array(bytes.prefix(random.below(bytes.count + 1))) }
      guard let value = try? JSONTree.parse(Data(bytes)), Self.isFinite(value),
        !bytes.contains(UInt8(ascii: "\\"))
      else { continue }
      let object = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
      #expect(object != nil, "\(String(decoding: bytes, as: UTF8.self))")
    }
  }

  static func json(_ random: inout SeededGenerator, depth: Int) -> String {
    switch random.below(depth > 0 ? 8 : 6) {
    case 0: return "null"
    case 1: return random.pick(["true", "false"])
    case 2: return String(Int.random(in: -1_000_000...1_000_000, using: &random))
    case 3:
      return "\(random.below(1000)).\(random.below(100))e\(random.pick(["", "-", "+"]))\(random.below(9))"
    case 4, 5: return string(&random)
    case 6:
      let elements = (0..<random.below(4)).map { _ in json(&random, depth: depth - 1) }
      return "[ \(elements.joined(separator: " ,\n")) ]"
    default:
      let members = (0..<random.below(4)).map { index in
        "\"\(index)\(string(&random).dropFirst()) : \(json(&random, depth: depth - 1))"
      }
      return "{\(members.joined(separator: ","))}"
    }
  }

  private static func string(_ random: inout SeededGenerator) -> String {
    let parts = ["a", "é", "😀", "\\n", "\\\"", "\\\\", "\\u00e9", "\\ud83d\\ude00", "\\/", " ", "日"]
    return "\"\((0..<random.below(6)).map { _ in random.pick(parts) }.joined())\""
  }

  /// `JSONSerialization` refuses numbers beyond `Double`.
  private static func isFinite(_ value: JSONValue) -> Bool {
    switch value {
    case .number(let number): Double(number.text)?.isFinite == true
    case .array(let elements): elements.allSatisfy(isFinite)
    case .object(let members): members.values.allSatisfy(isFinite)
    default: true
    }
  }

  private static func same(_ value: JSONValue, _ reference: Any) -> Bool {
    switch value {
    case .null: return reference is NSNull
    case .bool(let bool): return reference as? Bool == bool
    case .number(let number): return (reference as? NSNumber)?.doubleValue == Double(number.text)
    case .string(let string): return reference as? String == string
    case .array(let elements):
      guard let array = reference as? [Any], array.count == elements.count else { return false }
      return zip(elements, array).allSatisfy(same)
    case .object(let members):
      guard let object = reference as? [String: Any], object.count == members.count else { return false }
      return members.allSatisfy { name, value in object[name].map { same(value, $0) } ?? false }
    }
  }
}
