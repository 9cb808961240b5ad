import Foundation
import Testing

@testable import ErrandJSON

private typealias Key = EncodingPlan.Key

@Suite("Errors of an encoder")
struct EncodingErrorTests {
  private struct Refusal: Error {}

  @Test("Infinite numbers and NaN are refused as in Foundation, with Foundation's path")
  func unusualNumbers() {
    struct Inner: Encodable { var values: [Double]; var float: Float = .infinity }
    expectFoundationsResult(of: Double.nan)
    expectFoundationsResult(of: [1, Float.infinity])
    expectFoundationsResult(of: ["a": ["b": Inner(values: [1])]])
    expectFoundationsResult(of: ["1": [Inner(values: [0, .nan])]])
    expectFoundationsResult(of: [7: Optional(Double.nan)])
    expectFoundationsResult(of: ["aB": [["cD": Inner(values: [.nan])]]]) {
      $0.keyEncodingStrategy = .convertToSnakeCase
    }
    expectFoundationsResult(of: [Inner(values: [.nan, -.infinity])]) {
      $0.nonConformingFloatEncodingStrategy = .convertToString(
        positiveInfinity: "+", negativeInfinity: "-/", nan: "\"")
    }
    for strategy in [.deferredToDate, .secondsSince1970, .millisecondsSince1970, .iso8601]
      as [JSONEncoder.DateEncodingStrategy]
    {
      expectFoundationsResult(of: ["d": [Date(timeIntervalSince1970: .infinity)]]) {
        $0.dateEncodingStrategy = strategy
        $0.nonConformingFloatEncodingStrategy = .convertToString(
          positiveInfinity: "+", negativeInfinity: "-", nan: "x")
      }
    }
    let nested = Encoding { encoder in
      var container = encoder.container(keyedBy: Key.self)
      var nested = container.nestedContainer(keyedBy: Key.self, forKey: Key("n"))
      var list = nested.nestedUnkeyedContainer(forKey: Key("l"))
      #expect(list.codingPath.map(\.stringValue) == ["Index 0", "n", "l"])
      try list.encode(Double.nan)
    }
    expectFoundationsResult(of: [nested])
  }

  @Test("A Decimal NaN is refused")
  func decimals() {
    #expect(encodedText([Decimal.nan]) == .failure(#"invalidValue Double at ["Index 0|0"]"#))
  }

  @Test("A value that encodes nothing becomes an empty object, and an error at the top level")
  func nothing() {
    struct Nothing: Encodable { func encode(to encoder: any Encoder) throws {} }
    #expect(encodedText(Nothing()) == .failure("invalidValue Nothing at []"))
    #expect(encodedText([Nothing()]) == .text("[{}]"))
    for value: any Encodable in [
      Nothing(), [Nothing()], ["a": Nothing()], Optional(Nothing()), [Nothing?.none],
    ] {
      expectFoundationsResult(of: value)
    }
    expectFoundationsResult(of: Date()) { $0.dateEncodingStrategy = .custom { _, _ in } }
    expectFoundationsResult(of: [Data()]) { $0.dataEncodingStrategy = .custom { _, _ in } }
    expectFoundationsResult(of: Int?.none)
  }

  @Test("A value with a caught error leaves no partial output")
  func caughtErrors() {
    let failing = Encoding { encoder in
      var container = encoder.container(keyedBy: Key.self)
      try container.encode("left", forKey: Key("left"))
      var nested = container.nestedUnkeyedContainer(forKey: Key("nested"))
      try nested.encode(1)
      throw Refusal()
    }
    let value = Encoding { encoder in
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(1, forKey: Key("a"))
      try? container.encode(failing, forKey: Key("b"))
      try? container.encode(Double.nan, forKey: Key("é"))
      try? container.encode([failing], forKey: Key("a"))
      try container.encode(["c": 3], forKey: Key("é"))
      var list = container.nestedUnkeyedContainer(forKey: Key("list"))
      try? list.encode(failing)
      try list.encode(4)
      #expect(list.count == 1)
    }
    #expect(encodedText(value) == .text(#"{"a":1,"é":{"c":3},"list":[4]}"#))
    let list = Encoding { encoder in
      var container = encoder.unkeyedContainer()
      try? container.encode(failing)
      try container.encode(1)
      try? container.encode([1, .nan])
      #expect(container.count == 1)
    }
    #expect(encodedText(list) == .text("[1]"))
    let either = Encoding { encoder in
      var container = encoder.singleValueContainer()
      try? container.encode(failing)
      try? container.encode(Double.nan)
      try container.encode([1])
    }
    #expect(encodedText(either) == .text("[1]"))
    #expect(encodedText(["x": failing]) == .failure("Refusal()"))
  }

  @Test("Uses of containers that crash Foundation are errors")
  func misuse() {
    #expect(
      encodedText([
        "k": Encoding { encoder in
          var container = encoder.singleValueContainer()
          try container.encode(1)
          try container.encode(2)
        }
      ]) == .failure(#"invalidValue String at ["k|-"]"#))
    #expect(
      encodedText(
        Encoding { encoder in
          var keyed = encoder.container(keyedBy: Key.self)
          try keyed.encode(1, forKey: Key("a"))
          var unkeyed = encoder.unkeyedContainer()
          try? unkeyed.encode(2)
        }) == .failure("invalidValue String at []"))
    #expect(
      encodedText([
        Encoding { encoder in
          var keyed = encoder.container(keyedBy: Key.self)
          try keyed.encode(1, forKey: Key("a"))
          _ = keyed.nestedContainer(keyedBy: Key.self, forKey: Key("a"))
        }
      ]) == .failure(#"invalidValue String at ["Index 0|0", "a|-"]"#))
  }

  @Test("The words of such an error")
  func words() {
    func words(_ body: @escaping (any Encoder) throws -> Void) -> String? {
      let error = #expect(throws: EncodingError.self) { try JSONCoding().encode(["k": Encoding(body)]) }
      guard case .invalidValue(_, let context) = error else { return nil }
      return context.debugDescription
    }
    let second = words { encoder in
      var container = encoder.singleValueContainer()
      try container.encode(1)
      try container.encode(2)
    }
    #expect(second == "A second value was encoded in a single-value container.")
    let nested = words { encoder in
      var keyed = encoder.container(keyedBy: Key.self)
      try keyed.encode(1, forKey: Key("a"))
      _ = keyed.nestedContainer(keyedBy: Key.self, forKey: Key("a"))
    }
    #expect(nested == "An object container was requested in place of another value.")
  }

  private indirect enum Deep: Encodable {
    case end, array(Deep), object(Deep), single(Deep), nested(Int)

    func encode(to encoder: any Encoder) throws {
      switch self {
      case .end: try 1.encode(to: encoder)
      case .array(let inner):
        var container = encoder.unkeyedContainer()
        try container.encode(inner)
      case .object(let inner):
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(inner, forKey: Key("o"))
      case .single(let inner):
        var container = encoder.singleValueContainer()
        try container.encode(inner)
      case .nested(let depth):
        var container = encoder.container(keyedBy: Key.self)
        for _ in 1..<depth { container = container.nestedContainer(keyedBy: Key.self, forKey: Key("n")) }
        try container.encode(1, forKey: Key("end"))
      }
    }
  }

  private final class Endless: Encodable {
    let way: Int
    init(_ way: Int) { self.way = way }

    func encode(to encoder: any Encoder) throws {
      switch way {
      case 0:
        var container = encoder.unkeyedContainer()
        try container.encode(self)
      case 1:
        var container = encoder.container(keyedBy: Key.self)
        try? container.encode(self, forKey: Key("k"))
      case 2:
        var container = encoder.container(keyedBy: Key.self)
        try encode(to: container.superEncoder())
      case 3:
        var container = encoder.unkeyedContainer()
        var nested = container.nestedUnkeyedContainer()
        try nested.encode(["k": self])
      default:
        var container = encoder.singleValueContainer()
        try container.encode(self)
      }
    }
  }

  @Test("511 nested containers are written, and 512 throw Foundation's error")
  func depth() {
    for depth in [511, 512, 600] {
      expectFoundationsResult(of: (0..<depth).reduce(Deep.end) { inner, _ in .array(inner) })
      expectFoundationsResult(of: (0..<depth).reduce(Deep.end) { inner, _ in .object(inner) })
      expectFoundationsResult(
        of: (0..<depth).reduce(Deep.end) { inner, index in index % 2 == 0 ? .array(inner) : .object(inner) })
      expectFoundationsResult(of: Deep.nested(depth))
      expectFoundationsResult(of: (0..<depth - 1).reduce(Deep.nested(1)) { inner, _ in .array(inner) })
    }
  }

  @Test("Infinitely nested values are errors without a stack overflow", arguments: [0, 1, 3, 4])
  func endless(way: Int) {
    #expect(encodedText(Endless(way)) == .failure("invalidValue Endless at []"))
    #expect(encodedText(Deep.nested(100_000)) == .failure("invalidValue Deep at []"))
  }

  @Test("Values that encode another value may be as deep as containers")
  func wrapped() throws {
    let nodes = (0..<510).reduce(Node(nil)) { node, _ in Node(node) }
    let text = try JSONCoding().encode(nodes)
    #expect(text.count == 9 * 510 + 13)
    var count = 0
    var node: Node? = try JSONCoding().decode(Node.self, from: text)
    while let next = node {
      (node, count) = (next.next, count + 1)
    }
    #expect(count == 511)
  }

  private struct Node: Codable {
    @Reference var next: Node?
    init(_ next: Node?) { _next = Reference(wrappedValue: next) }
  }

  @propertyWrapper private final class Reference<Value: Codable>: Codable {
    let wrappedValue: Value
    init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    init(from decoder: any Decoder) throws {
      wrappedValue = try decoder.singleValueContainer().decode(Value.self)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(wrappedValue)
    }
  }
}
