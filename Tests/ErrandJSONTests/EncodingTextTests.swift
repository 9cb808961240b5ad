import Foundation
import Testing

@testable import ErrandJSON

@Suite("Text of an encoder")
struct EncodingTextTests {
  @Test("Every character is escaped as in Foundation, at every position of a word")
  func characters() {
    let characters = (UInt32(0)..<0x180).compactMap(Unicode.Scalar.init).map { String($0) }
    let texts = characters.flatMap { character in
      (0..<18).map { String(repeating: "x", count: $0) + character + String(repeating: "y", count: 17 - $0) }
    }
    expectFoundationsResult(of: texts)
    expectFoundationsResult(of: Dictionary(texts.map { ($0, $0) }, uniquingKeysWith: { first, _ in first }))
    #expect(
      encodedText("\u{0}\u{1F}\u{7F}\"\\/\u{8}\u{C}\n\r\t\u{2028}")
        == .text("\"\\u0000\\u001f\u{7F}\\\"\\\\\\/\\b\\f\\n\\r\\t\u{2028}\""))
  }

  @Test("Strings of all lengths, and growth of the buffer in the middle of escapes")
  func lengths() {
    for length in 0..<70 {
      expectFoundationsResult(of: [
        String(repeating: "a", count: length), String(repeating: "/", count: length),
      ])
    }
    for length in [470, 480, 500, 1_000, 100_000] {
      expectFoundationsResult(of: String(repeating: "\u{1}", count: length))
      expectFoundationsResult(of: Data(repeating: 0xFF, count: length))
    }
  }

  @Test("Numbers have the same text as in Foundation")
  func numbers() {
    #expect(
      encodedText([
        0, -0.0, 1, -1.5, 0.001, 1e-4, 1e-5, 1e15, 1e16, 1e22, .leastNonzeroMagnitude, 1.7976931348623157e308,
        100.25, 12345.678,
      ])
        == .text(
          "[0,-0,1,-1.5,0.001,0.0001,1e-05,1000000000000000,1e+16,1e+22,5e-324,1.7976931348623157e+308,100.25,12345.678]"
        ))
    #expect(
      encodedText([Float(16_777_216), 33_554_432, 0.1, -0.0, 3.4028235e38])
        == .text("[16777216,3.3554432e+07,0.1,-0,3.4028235e+38]"))
    expectFoundationsResult(of: [
      Int.min, .max, 0, -1, 9, 10, 99, 100, 12_345, 99_999_999, 100_000_000, -1_000_000_000_000,
    ])
    expectFoundationsResult(of: [UInt64.max, 1 << 63, 0])
    expectFoundationsResult(of: [Int8.min, .max])
    for exponent in -330...310 {
      let power = Double("1e\(exponent)")!
      expectFoundationsResult(of: [power, power.nextUp, power.nextDown, -power].filter(\.isFinite))
    }
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *) {
      struct Wide: Encodable { var a = Int128.min, b = UInt128.max, c = [Int128(1)] }
      expectFoundationsResult(of: Wide())
      #expect(encodedText(Int128.max) == .text("170141183460469231731687303715884105727"))
    }
    expectFoundationsResult(of: [
      Decimal(string: "1.10")!, Decimal(sign: .minus, exponent: 60, significand: 3), 0,
    ])
  }

  @Test("Dates have the same text as in Foundation, also at the ends of years and centuries")
  func dates() {
    var days = [
      -1e12, 0, 1e9 + 0.9999999, 253_402_300_799, 253_402_300_800, -62_135_596_800, 4e11, .infinity, .nan,
    ]
    for year in stride(from: 1_599, through: 2_401, by: 1) {
      let first = Double(year - 1970) * 31_556_952
      for day in stride(from: first - 3 * 86_400, through: first + 62 * 86_400, by: 86_399.5) {
        days.append(day)
      }
    }
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    let dates = days.map { Date(timeIntervalSince1970: $0) }
    let theirs = EncodingResult { try encoder.encode(dates) }
    #expect(EncodingResult { try JSONCoding.iso8601.encode(dates) } == theirs)
    let few = dates.filter(\.timeIntervalSince1970.isFinite).prefix(50)
    for strategy in [.deferredToDate, .secondsSince1970, .millisecondsSince1970]
      as [JSONEncoder.DateEncodingStrategy]
    {
      expectFoundationsResult(of: Array(few)) { $0.dateEncodingStrategy = strategy }
    }
  }

  @Test("Base64 data has the same text as in Foundation")
  func data() {
    for length in 0..<50 {
      let data = Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 91 &+ 250) })
      expectFoundationsResult(of: [data, data.dropFirst()])
      expectFoundationsResult(of: data) { $0.dataEncodingStrategy = .deferredToData }
    }
  }

  @Test("Sorted keys are in the order of their UTF-8")
  func sortedKeys() {
    let keys = [
      "b", "a", "B", "A", "10", "9", "é", "z", "a/", "a.", "a\"", "a\u{1}", "", "ab", "a b", "日", "\u{FFFD}",
      "🚀", "abcdefgh", "abcdefghi", "abcdefg",
    ]
    expectFoundationsResult(of: Dictionary(uniqueKeysWithValues: keys.map { ($0, [$0: 1]) }))
    let plan = EncodingPlan.object(
      keys.filter { !$0.isEmpty && $0.utf8.allSatisfy { $0 > 0x2F && $0 < 0x5B } }.map {
        .init(key: $0, value: .null)
      })
    #expect(
      encodedText(plan) { $0.outputFormatting = .sortedKeys }
        == .text(#"{"10":null,"9":null,"A":null,"B":null}"#))
  }

  @Test("Empty containers, pretty printed")
  func emptyContainers() {
    struct Empty: Encodable {
      var object: [String: Int] = [:], array: [Int] = [], other: [[String]] = [[]], set: Set<Double> = []
    }
    #expect(encodedText([Empty]()) { $0.outputFormatting = .prettyPrinted } == .text("[\n\n]"))
    expectFoundationsResult(of: Empty())
    expectFoundationsResult(of: [Empty()])
    expectFoundationsResult(of: [String: Int]())
  }

  @Test("Dictionaries with string, integer, enum and custom keys; key strategies leave string keys unchanged")
  func dictionaries() {
    enum Color: String, Encodable, CodingKeyRepresentable { case darkRed, lightBlue }
    enum Plain: String, Encodable { case someCase }
    struct Model: Encodable {
      var strings = ["aB": ["cD": 1]], numbers = [3: "x"], colors = [Color.darkRed: 1],
        plain = [Plain.someCase: 2]
      var optional: [String: Int]? = ["eF": 1], list: [[String: Int]?] = [["gH": 1], nil],
        innerModel = ["iJ": Inner()]
    }
    struct Inner: Encodable { var someKey = 1 }
    for strategy in [
      .useDefaultKeys, .convertToSnakeCase,
      .custom { EncodingPlan.Key($0.map(\.stringValue).joined(separator: "-")) },
    ]
      as [JSONEncoder.KeyEncodingStrategy]
    {
      expectFoundationsResult(of: Model()) { $0.keyEncodingStrategy = strategy }
      expectFoundationsResult(of: ["aB": Model()]) { $0.keyEncodingStrategy = strategy }
    }
  }

  @Test("Keys are converted to snake case as in Foundation")
  func snakeCase() {
    let keys = [
      "", "a", "A", "aB", "AB", "myURLProperty", "isIOS", "URL", "_aB_", "a1B2c", "ABc", "aBCdE", "éÉa",
      "ÄÖü", "aǅb", "\r\nAb",
    ]
    for key in keys {
      expectFoundationsResult(of: EncodingPlan.object([.init(key: key, value: .int(1))])) {
        $0.keyEncodingStrategy = .convertToSnakeCase
      }
    }
  }

  @Test("Enums with payloads, property wrappers and fragments")
  func types() {
    enum Shape: Encodable { case circle(radius: Double), box(Int, height: Int), none }
    expectFoundationsResult(of: [Shape.circle(radius: 1.5), .box(1, height: 2), .none])
    #expect(encodedText(Shape.box(1, height: 2)) == .text(#"{"box":{"_0":1,"height":2}}"#))
    for value: any Encodable in [
      "/", 1, true, URL(string: "https://a/b?c")!, Optional("x"), [Int?.none, 1], Set([1]), 1..<3, [true: 1],
    ] {
      expectFoundationsResult(of: value)
    }
  }

  @Test("A value can read the coding path and the user info of its encoder")
  func context() {
    let value = Encoding { encoder in
      var container = encoder.unkeyedContainer()
      try container.encode(encoder.userInfo[CodingUserInfoKey(rawValue: "k")!] as? String)
      try container.encode([
        "p": Encoding { inner in
          var single = inner.singleValueContainer()
          try single.encode(inner.codingPath.map { "\($0.stringValue) \($0.intValue ?? -1)" })
        }
      ])
    }
    #expect(
      encodedText([value]) { $0.userInfo[CodingUserInfoKey(rawValue: "k")!] = "v" }
        == .text(#"[["v",{"p":["Index 0 0","Index 1 1","p -1"]}]]"#))
  }

  @Test("A number with given text keeps its digits")
  func numberText() {
    struct Number: Encodable {
      var text: String
      func encode(to encoder: any Encoder) throws {
        let container = try #require(encoder.singleValueContainer() as? any JSONNumberTextContainer)
        try container.encodeNumber(text: text)
      }
    }
    #expect(encodedText(["a": Number(text: "1.10")]) == .text(#"{"a":1.10}"#))
    #expect(encodedText(Number(text: "1E400")) == .text("1E400"))
    let inSuper = Encoding { encoder in
      var container = encoder.unkeyedContainer()
      try Number(text: "0.0").encode(to: container.superEncoder())
    }
    #expect(encodedText(inSuper) == .text("[0.0]"))
  }

  @Test("A string is escaped into bytes")
  func stringWriter() {
    var bytes = Array("x".utf8)
    JSONStringWriter.append("a/\"\n".utf8, to: &bytes)
    JSONStringWriter.append("a/\"\n".utf8.lazy.map { $0 }, to: &bytes, escapingSlashes: false)
    JSONStringWriter.append("".utf8, to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == #"x"a\/\"\n""a/\"\n""""#)
  }

  @Test("An encoder of a subclass encodes itself")
  func subclass() throws {
    final class Own: JSONEncoder, @unchecked Sendable {
      override func encode<Value: Encodable>(_ value: Value) throws -> Data { Data("own".utf8) }
    }
    #expect(EncodingResult { try JSONCoding(decoder: nil, encoder: Own()).encode(1) } == .text("own"))
  }

  @Test("A sorted object that adds to an object is sorted too")
  func sortedObjectInContainer() throws {
    struct Twice: Encodable {
      enum Key: CodingKey { case first }
      let names: [String]

      func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(0, forKey: .first)
        var single = encoder.singleValueContainer()
        try single.encode(JSONSortedObject(Dictionary(uniqueKeysWithValues: names.map { ($0, 1) })))
      }
    }
    let names = (10..<40).map { "n\($0)" }
    let text = "{\"first\":0," + names.map { "\"\($0)\":1" }.joined(separator: ",") + "}"
    let data = try JSONCoding().encode(Twice(names: names))
    #expect(String(decoding: data, as: UTF8.self) == text)
  }
}
