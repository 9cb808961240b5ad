import ErrandMocks
import Foundation
import Testing

@testable import Errand
@testable import ErrandJSON

@Suite("JSON without a type")
struct JSONValueTests {
  static func read(_ text: String) throws -> JSONValue {
    try JSONCoding().decode(JSONValue.self, from: Data(text.utf8))
  }

  @Test("A JSON value is a response, is read by names and indices, and missing values are null")
  func subscripts() async throws {
    let body = #"{"data":{"items":[{"id":7,"name":"Ada","on":true,"rate":1.5}],"none":null}}"#
    let agent = RequestAgent.mocked(Stub(.get, "/x", answers: .json(body)))
    let value = try await agent.send(.get("x", as: JSONValue.self))
    let item = value["data"]["items"][0]
    #expect(item["name"].string == "Ada" && item["id"].int == 7 && item["on"].bool == true)
    #expect(item["rate"].double == 1.5 && item["rate"].int == nil && item["rate"].decimal == 1.5)
    #expect(value["data"]["items"].array?.count == 1)
    #expect(value["data"].object?.keys.sorted() == ["items", "none"])
    for absent in [
      value["x"], value["data"]["items"][1], value["data"]["items"][-1], value[0], item["id"]["x"],
      value["data"]["none"],
    ] {
      #expect(absent.isNull && absent.string == nil && absent.int == nil && absent.array == nil)
    }
    #expect(try await agent.send(.get("x", as: JSONValue?.self)) == value)
    #expect(try JSONCoding().decode(JSONValue?.self, from: Data("null".utf8)) == .some(.none))
    #expect(try JSONCoding().decode(JSONValue?.self, from: Data("1e400".utf8))?.number?.text == "1e400")
    let empty = RequestAgent.mocked(Stub(.get, "/x", answers: .status(204)))
    #expect(try await empty.send(.get("x", as: JSONValue.self)).isNull)
    let nested = OneOffRequest<JSONValue>("x", response: .json(keyPath: "data.items.0.id"))
    #expect(try await agent.send(nested) == 7)
  }

  @Test("A JSON value is written as literals, and sent as a body")
  func literals() async throws {
    let name = "A\"b/\u{1}é"
    let value: JSONValue = ["n": "\(name)", "list": [1, -2.5, true, nil, [:]], "big": 9_007_199_254_740_993]
    #expect(try value.text() == #"{"big":9007199254740993,"list":[1,-2.5,true,null,{}],"n":"A\"b/\u0001é"}"#)
    #expect(try Self.read(value.text()) == value)
    let transport = MockTransport { _ in .status(204) }
    try await RequestAgent.mocked(by: transport).send(.post("x", body: .json(value)))
    #expect(transport.requests.map(\.text) == [try value.text().replacing("/", with: #"\/"#)])
    var pretty = JSONCoding()
    pretty.outputFormatting = [.prettyPrinted, .sortedKeys]
    #expect(try pretty.encode(["a": 1] as JSONValue) == Data("{\n  \"a\" : 1\n}".utf8))
  }

  static let numbers = [
    "0", "-0", "7", "1.50", "1e3", "2E+9", "9223372036854775807", "-9223372036854775808",
    "18446744073709551615", "123456789012345678901234567890.12345678", "1e400", "0.1e-9223372036854775808",
    "1234567890123456789012345678901234567890123456789012345678901234567890",
  ]

  @Test("A whole body keeps every digit of its numbers, in both directions", arguments: numbers)
  func digits(_ text: String) throws {
    let value = try Self.read("[\(text)]")
    #expect(value[0].number?.text == text)
    #expect(try JSONCoding().encode(value) == Data("[\(text)]".utf8))
    #expect(JSONValue.Number(text)?.text == text)
  }

  @Test("Numbers are read as Swift types if in range")
  func numberTypes() throws {
    #expect(JSONValue.Number("1.20e2")?.integer() == 120 && JSONValue.Number("12e-1")?.integer() == Int?.none)
    #expect(try Self.read("9223372036854775808").int == nil)
    #expect(try Self.read("18446744073709551615").number?.integer() == UInt64.max)
    #expect(try Self.read("1e400").double == nil && Self.read("1e400").decimal == nil)
    let digits = "-1234567890.1234567890123456789012345678"
    #expect(try Self.read(digits).decimal == Decimal(string: digits, locale: nil))
    #expect(try Self.read("1e127").decimal == Decimal(string: "1e127", locale: nil))
    #expect(try Self.read("0.1234567890123456789012345678901234567891").decimal == nil)
    #expect(JSONValue.Number(Decimal(string: "0.10", locale: nil)!)?.text == "0.1")
    #expect(JSONValue.Number(Double.infinity) == nil && JSONValue.Number(Decimal.nan) == nil)
    #expect(["", "01", "1 ", "x", "[1]", "+1"].allSatisfy { JSONValue.Number($0) == nil })
    #expect(
      [1.0, 0.1, 1e16, -.leastNonzeroMagnitude].compactMap { JSONValue.Number($0)?.text } == [
        "1", "0.1", "1e+16", "-5e-324",
      ])
  }

  @Test("Numbers are equal by value, with all their digits")
  func equality() throws {
    let same = ["1", "1.0", "10e-1", "0.1e1"].map { JSONValue.Number(text: $0) }
    #expect(Set(same).count == 1)
    #expect(JSONValue.Number(text: "0") == JSONValue.Number(text: "-0.0e9"))
    let others = [
      "9007199254740993", "9007199254740992", "-1", "1", "1e99999999999999999999", "1e99999999999999999998",
    ]
    #expect(Set(others.map { JSONValue.Number(text: $0) }).count == others.count)
  }

  struct Holder: Codable, Sendable, Equatable { var value: JSONValue }

  @Test(
    "A member of a type is decoded and encoded",
    arguments: [
      #"{"a":[1,-9223372036854775808,18446744073709551615,true,false,null,"x",{}],"b":[]}"#, "1.5", "null",
      "1e+300", "1234567890123456789012345678901234567",
    ])
  func members(_ json: String) throws {
    let text = "{\"value\":\(json)}"
    let holder = try JSONDecoder().decode(Holder.self, from: Data(text.utf8))
    #expect(holder.value == (try Self.read(json)))
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(try Self.read(String(decoding: encoder.encode(holder), as: UTF8.self)) == Self.read(text))
  }

  @Test(
    "A member keeps every digit, and a number that Foundation's coder would round is refused with its location"
  )
  func rounded() throws {
    let digits = "1234567890123456789012345678901234567890123"
    let text = Data("{\"value\":[0,\(digits)]}".utf8)
    #expect(try JSONCoding().decode(Holder.self, from: text).value[1].number?.text == digits)
    let error = try #require(throws: DecodingError.self) { try JSONDecoder().decode(Holder.self, from: text) }
    #expect(
      error.clause
        == "value[1]: only a decoder of JSONCoding keeps a number with this many digits")
    let holder = Holder(value: [.number(JSONValue.Number(text: digits))])
    #expect(try JSONCoding().encode(holder) == Data("{\"value\":[\(digits)]}".utf8))
    let refused = try #require(throws: EncodingError.self) { try JSONEncoder().encode(holder) }
    #expect(
      refused.clause
        == "value[0] cannot be encoded: only an encoder of JSONCoding writes a number with this many digits"
    )
  }

  @Test("The first of members with equal names counts, as for a decoder and a shape")
  func duplicates() throws {
    let text = #"{"a":1,"a":"x"}"#
    #expect(try Self.read(text) == ["a": 1])
    #expect(try JSONDecoder().decode([String: Int].self, from: Data(text.utf8)) == ["a": 1])
    #expect(JSONShape.object(["a": .integer]).mismatch(in: try Self.read(text)) == nil)
  }

  @Test("UTF-16 and UTF-32 texts are read as in a decoder")
  func encodings() throws {
    for encoding: String.Encoding in [
      .utf8, .utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32LittleEndian, .utf32BigEndian,
    ] {
      let data = try #require(#"["é",1]"#.data(using: encoding))
      #expect(try JSONCoding().decode(JSONValue.self, from: data) == ["é", 1], "\(encoding)")
      // Foundation on Linux mistakes the byte order mark of UTF-32 for the mark of UTF-16.
      if encoding == .utf32 { continue }
      #expect(try JSONDecoder().decode(JSONValue.self, from: data) == ["é", 1], "\(encoding)")
    }
    #expect(try JSONCoding().decode(JSONValue.self, from: Data("\u{FEFF}[1]".utf8)) == [1])
    let error = try #require(throws: DecodingError.self) {
      try JSONCoding().decode(JSONValue.self, from: Data([0xFF, 0xFE, 0x00, 0xD8, 0x00]))
    }
    #expect(error.clause == "The given data was not valid JSON: the text is not valid in its encoding")
  }

  @Test("Printed and dumped values have redacted secrets, and the JSON text has the secrets")
  func printed() throws {
    let value: JSONValue = ["id": 7, "token": "hunter2", "list": [["password": "hunter2"]]]
    let shown = #"{"id":7,"list":[{"password":"<redacted>"}],"token":"<redacted>"}"#
    #expect("\(value)" == shown && String(reflecting: value) == shown)
    var dumped = ""
    dump(["held": value], to: &dumped)
    #expect(!dumped.contains("hunter2"))
    #expect(try value.text().contains("hunter2"))
  }

  @Test("A program without Errand prints the kind and the count, also of a deep value on a small stack")
  func printedWithoutErrand() async throws {
    let program = Compiler.products.appendingPathComponent("json-comparison")
    let (status, output) = try await Compiler.run(program.path, ["--printing"])
    let expected = [
      "an object with 1 members", "a string", "a number", "a boolean", "null", "an array with 1 elements",
    ]
    #expect(
      output
        == expected.map { "\($0)\n\($0)\n▿ \($0)\n  - \"\($0)\"\n" }.joined())
    #expect(status == 0)
  }

  @Test("A value that is nested too deep is never written, and does not crash the process")
  func depth() throws {
    let deep = (0..<600).reduce(JSONValue.null) { value, _ in [value] }
    let error = #expect(throws: EncodingError.self) { try JSONCoding().encode(deep) }
    #expect(
      error?.clause
        == "the value cannot be encoded: Unable to encode the given top-level value to JSON: the value has more than 511 nested containers, or more than 1536 nested values."
    )
    struct Holder: Encodable { var value: JSONValue }
    let deeper = (0..<8000).reduce(JSONValue.null) { value, _ in [value] }
    #expect(throws: EncodingError.self) { try JSONCoding().encode(Holder(value: deeper)) }
    #expect("\(deep)" == "an array, nested deeper than 512 levels")
  }
}
