import Foundation
import Testing

@testable import Errand

@Suite("Request serializers")
struct RequestSerializerTests {
  struct Mishap: Error {}

  private func text(_ serializer: RequestSerializer, _ parameters: Parameters) throws -> String? {
    try serializer.body(of: parameters).data.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("A form body has its content type and its encoding")
  func form() throws {
    let body = try RequestSerializer.form.body(of: ["a": [1, 2], "b": "x y"])
    #expect(body.contentType == "application/x-www-form-urlencoded")
    #expect(body.data == Data("a%5B%5D=1&a%5B%5D=2&b=x%20y".utf8))
    #expect(try text(.form(.init(arrays: .comma)), ["a": [1, 2]]) == "a=1,2")
  }

  @Test("Empty parameters make no body and no content type")
  func empty() throws {
    for serializer in [RequestSerializer.form, .json] {
      let body = try serializer.body(of: [:])
      #expect(body.description == "none" && body.contentType == nil)
    }
    #expect(try RequestSerializer.form.body(of: ["a": .list()]).description == "none")
    #expect(try text(.json, ["a": .list()]) == #"{"a":[]}"#)
  }

  @Test("JSON keeps the order and every digit")
  func json() throws {
    let parameters: Parameters = [
      "z": 1, "a": .list(Int64.min, UInt64.max, 0.1, 2.0, 1e300, Double.leastNonzeroMagnitude),
      "n": .null, "t": true, "f": false,
      "d": Decimal(string: "12345678901234567890.123456789")!, "o": .object([:]),
    ]
    #expect(try RequestSerializer.json.body(of: parameters).contentType == "application/json")
    #expect(
      try text(.json, parameters)
        == #"{"z":1,"a":[-9223372036854775808,18446744073709551615,0.1,2,1e+300,5e-324],"n":null,"t":true,"#
        + #""f":false,"d":12345678901234567890.123456789,"o":{}}"#)
  }

  @Test("JSON text is escaped as RFC 8259 wants")
  func escaping() throws {
    let parameters: Parameters = ["\"\\/": "\n\r\t\u{8}\u{C}\u{0}\u{1F}\u{7F}é😀\u{2028}"]
    #expect(
      try text(.json, parameters)
        == #"{"\"\\/":"\n\r\t\b\f\u0000\u001f"# + "\u{7F}é😀\u{2028}\"}")
  }

  @Test("JSON refuses what it has no text for")
  func refusals() {
    #expect(throws: Refusal(#"the parameter "a[1][b]" is infinite or not a number"#, kind: .encoding)) {
      try RequestSerializer.json.body(of: ["a": .list(1, .object(["b": Double.nan]))])
    }
    #expect(throws: Refusal(#"the parameter "d" is infinite or not a number"#, kind: .encoding)) {
      try RequestSerializer.json.body(of: ["d": Decimal.nan])
    }
    var deep: Parameters = ["a": 1]
    for _ in 0..<600 { deep = ["a": .object(deep)] }
    #expect(throws: Refusal("the parameters are nested deeper than 512 levels", kind: .encoding)) {
      try RequestSerializer.json.body(of: deep)
    }
  }

  @Test("The query is written by the serializer's encoding")
  func query() throws {
    #expect(try RequestSerializer.form.query(of: ["a": [1]]) == "a%5B%5D=1")
    let repeated = RequestSerializer.json(query: .init(arrays: .repeated))
    #expect(try repeated.query(of: ["a": [1, 2]]) == "a=1&a=2")
    #expect(try RequestSerializer.json.query(of: [:]) == "")
  }

  @Test("A serializer of one's own writes the body, and what it throws comes through")
  func custom() throws {
    let lines = RequestSerializer(contentType: "text/plain") { Data($0.keys.joined(separator: "\n").utf8) }
    let body = try lines.body(of: ["a": 1, "b": 2])
    #expect(body.data == Data("a\nb".utf8) && body.contentType == "text/plain")
    let failing = RequestSerializer(contentType: "text/plain") { _ in throw Mishap() }
    #expect(throws: Mishap.self) { try failing.body(of: ["a": 1]) }
  }
}
