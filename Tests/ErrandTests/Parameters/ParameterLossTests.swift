import Foundation
import Testing

@testable import Errand

@Suite("Loss of information in parameters is an error")
struct ParameterLossTests {
  enum Sort: Codable { case name, date }
  enum Choice: Encodable { case a(x: Int?), b }
  enum Named: String, Encodable { case name, date }

  struct Filter<Value: Encodable>: Encodable {
    var sort: Value
    var page = 1
  }

  typealias Key = ParameterEncoderTests.Named
  typealias Written = ParameterEncoderMisuseTests.Written

  private static func refusal(_ key: String, _ type: String) -> Refusal {
    Refusal(
      "the parameter \"\(key)\" is an empty object, which only JSON can represent: give the enum \(type) a raw type, as in "
        + "enum \(type): String, or implement encode(to:)", kind: .encoding)
  }

  @Test("An enum case without a raw type is refused in a form, and kept in JSON")
  func cases() throws {
    func expect(_ value: some Encodable, _ key: String, _ type: String, json: String) throws {
      let parameters = try Parameters(encoding: value)
      for encoding in [ParameterEncoding(), .init(.commaSeparatedLists, .sortedKeys, .dottedKeys)] {
        let name = String(key.split(separator: "[").last?.dropLast() ?? "")
        let key = encoding.nesting == .dots ? key.replacing("[\(name)]", with: ".\(name)") : key
        #expect(throws: Self.refusal(key, type)) { try encoding.encode(parameters) }
      }
      #expect(throws: Self.refusal(key, type)) {
        var parts = FormWriter(encoding: ParameterEncoding(), makesParts: true)
        try parts.write(parameters)
      }
      #expect(String(decoding: try JSONWriter.data(of: parameters), as: UTF8.self) == json)
    }
    try expect(Filter(sort: Sort.date), "sort[date]", "Sort", json: #"{"sort":{"date":{}},"page":1}"#)
    try expect(Filter(sort: Sort?.some(.date)), "sort[date]", "Sort", json: #"{"sort":{"date":{}},"page":1}"#)
    try expect(["h": [Choice.b, .a(x: 3)]], "h[0][b]", "Choice", json: #"{"h":[{"b":{}},{"a":{"x":3}}]}"#)
    try expect(["h": Choice.a(x: nil)], "h[a]", "Choice", json: #"{"h":{"a":{}}}"#)
    try expect(Sort.date, "date", "Sort", json: #"{"date":{}}"#)
    #expect(
      try ParameterEncoding().encode(Parameters(encoding: Filter(sort: Named.date))) == "sort=date&page=1")
    #expect(
      try ParameterEncoding().encode(Parameters(encoding: ["h": Choice.a(x: 3)])) == "h%5Ba%5D%5Bx%5D=3")
  }

  @Test("Other empty objects are left out, as in a literal")
  func empty() throws {
    struct Range: Encodable { var from, to: Int? }
    struct Outer: Encodable {
      var range = Range()
      var map: [String: Int] = [:]
      var list: [[String: Int]] = [[:]]
      var page = 1
    }
    let attributes = Written { encoder in
      var container = encoder.container(keyedBy: Key.self)
      var inner = container.nestedContainer(keyedBy: Key.self, forKey: Key("attributes"))
      try inner.encodeIfPresent(nil as Int?, forKey: Key("name"))
    }
    #expect(try ParameterEncoding().encode(Parameters(encoding: Outer())) == "page=1")
    #expect(try ParameterEncoding().encode(Parameters(encoding: attributes)) == "")
    #expect(try ParameterEncoding().encode(["sort": .object(["date": .object([:])]), "page": 1]) == "page=1")
  }

  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  struct Large: Encodable {
    var a = Int128.max
    var b = Int128.min
    var c = [UInt128.max, 100_000_000_000_000_000_000_000_000_000_000_000_001]
  }

  @Test("Whole numbers of 128 bits keep every digit")
  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func large() throws {
    let parameters = try Parameters(encoding: Large())
    let (a, b) = (
      "170141183460469231731687303715884105727", "-170141183460469231731687303715884105728"
    )
    let (c, d) = (
      "340282366920938463463374607431768211455", "100000000000000000000000000000000000001"
    )
    #expect(
      try ParameterEncoding(.repeatedKeys).encode(parameters) == "a=\(a)&b=\(b)&c=\(c)&c=\(d)")
    let json = #"{"a":\#(a),"b":\#(b),"c":[\#(c),\#(d)]}"#
    #expect(String(decoding: try JSONWriter.data(of: parameters), as: UTF8.self) == json)
    let value = try JSONCoding().decode(JSONValue.self, from: Data(json.utf8))
    #expect(value.parameterNode == .object(parameters))
    // The next number does not fit into a Decimal, and is rounded.
    let next = try #require(JSONValue.Number("340282366920938463463374607431768211456"))
    #expect(Parameters.Node(next) == .double(0x1p128))
  }

  @Test("Two keys with the same converted name are refused, on every level")
  func collisions() throws {
    func expect(
      _ name: String, _ write: @escaping @Sendable (inout KeyedEncodingContainer<Key>) throws -> Void
    ) {
      let refusal = Refusal(
        "the parameter \"\(name)\" has two values, from the keys \"fooBar\" and \"foo_bar\", because the key strategy gives both keys the same name",
        kind: .encoding)
      let value = Written { encoder in
        var container = encoder.container(keyedBy: Key.self)
        try? write(&container)
      }
      #expect(throws: refusal) { try Parameters(encoding: value, keys: .convertToSnakeCase) }
      #expect(throws: Never.self) { try Parameters(encoding: value) }
    }
    struct Pair: Encodable { var fooBar = 1, foo_bar = 2 }
    expect("foo_bar") { container in
      try container.encode(1, forKey: Key("fooBar"))
      try container.encode(2, forKey: Key("foo_bar"))
    }
    expect("a[foo_bar]") { try $0.encode(Pair(), forKey: Key("a")) }
    expect("list[0][foo_bar]") { try $0.encode([Pair()], forKey: Key("list")) }
    expect("foo_bar") { container in
      _ = container.nestedContainer(keyedBy: Key.self, forKey: Key("fooBar"))
      _ = container.nestedContainer(keyedBy: Key.self, forKey: Key("foo_bar"))
    }
    // A key that is encoded again replaces its value.
    let again = Written { encoder in
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(1, forKey: Key("fooBar"))
      try container.encode(2, forKey: Key("fooBar"))
    }
    #expect(try Parameters(encoding: again, keys: .convertToSnakeCase) == ["foo_bar": 2])
    // The keys of a dictionary are not converted.
    let map = ["fooBar": 1, "foo_bar": 2]
    #expect(try Parameters(encoding: map, keys: .convertToSnakeCase) == ["fooBar": 1, "foo_bar": 2])
  }

  @Test("A container for a key with a value is refused, because the value would be lost")
  func replaced() {
    func expect(
      _ key: String, _ what: String, _ open: @escaping @Sendable (inout KeyedEncodingContainer<Key>) -> Void
    ) {
      let refusal = Refusal(
        "the parameter \"\(key)\" cannot be encoded: its encode(to:) asks for \(what) of a key that has a value",
        kind: .encoding)
      #expect(throws: refusal) {
        try Parameters(
          encoding: Written { encoder in
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(1, forKey: Key("a"))
            try container.encode(2, forKey: Key("super"))
            open(&container)
          })
      }
    }
    expect("a", "a super encoder") { _ = $0.superEncoder(forKey: Key("a")) }
    expect("super", "a super encoder") { _ = $0.superEncoder() }
    expect("a", "a container") { _ = $0.nestedContainer(keyedBy: Key.self, forKey: Key("a")) }
    expect("a", "a container") { _ = $0.nestedUnkeyedContainer(forKey: Key("a")) }
    expect("b", "a super encoder") { container in
      _ = container.superEncoder(forKey: Key("b"))
      _ = container.superEncoder(forKey: Key("b"))
    }
  }
}
