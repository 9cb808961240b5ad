import ErrandJSON
import ErrandMocks
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
    #expect(try text(.form(.init(.commaSeparatedLists)), ["a": [1, 2]]) == "a=1,2")
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

  @Test("JSON refuses a repeated key on every level, by its name")
  func repeated() throws {
    func refusal(_ key: String) -> Refusal {
      Refusal(
        "the parameter \"\(key)\" is set twice, and JSON readers disagree about repeated names: send a list, set the "
          + "parameter once, or use the serializer .form", kind: .encoding)
    }
    #expect(throws: refusal("a")) { try RequestSerializer.json.body(of: ["b": 0, "a": 1, "a": 1]) }
    #expect(throws: refusal("x[1][a]")) {
      try RequestSerializer.json.body(of: ["x": .list(0, .object(["a": 1, "b": 2, "a": 3]))])
    }
    var many = Parameters(pairs: (0..<20).map { ("\($0)", "") })
    #expect(throws: Never.self) { try RequestSerializer.json.body(of: many) }
    many.add("7", 1)
    #expect(throws: refusal("7")) { try RequestSerializer.json.body(of: many) }
    many["3"] = nil
    #expect(throws: refusal("7")) { try RequestSerializer.json.body(of: many) }
    many["7"] = 7
    #expect(throws: Never.self) { try RequestSerializer.json.body(of: many) }
  }

  @Test("JSON has dates and data as in the coding, by default as UTC text and base64")
  func coding() throws {
    let parameters: Parameters = [
      "d": Date(timeIntervalSince1970: 1_795_255_200.5), "b": [Data([0xFB, 0xFF, 0xFE])],
    ]
    func text(_ change: (inout JSONCoding) -> Void) throws -> String? {
      var coding = JSONCoding()
      change(&coding)
      let fixed = coding
      return try RequestSerializer.json.body(of: parameters) { fixed }.data.map {
        String(decoding: $0, as: UTF8.self)
      }
    }
    let standard = #"{"d":"2026-11-21T10:00:00Z","b":["+//+"]}"#
    #expect(try text { $0 = JSONCoding() } == standard)
    #expect(try text { $0 = .iso8601 } == standard)
    #expect(try text { $0 = .secondsSince1970 } == #"{"d":1795255200.5,"b":["+//+"]}"#)
    #expect(try text { $0 = .millisecondsSince1970 } == #"{"d":1795255200500,"b":["+//+"]}"#)
    #expect(
      try text {
        $0.dateEncodingStrategy = .custom { try $0.timeIntervalSinceReferenceDate.encode(to: $1) }
        $0.dataEncodingStrategy = .deferredToData
      } == #"{"d":816948000.5,"b":[[251,255,254]]}"#)
    struct Mishap: Error {}
    let error = #expect(throws: Refusal.self) {
      try text { $0.dataEncodingStrategy = .custom { _, _ in throw Mishap() } }
    }
    #expect(error?.message == #"the parameter "b[0]" cannot be written: Mishap()"# && error?.cause is Mishap)
  }

  @Test("JSON parameters use the request's coding, otherwise the agent's", arguments: [false, true])
  func codingOnTheWire(_ hasOwn: Bool) async throws {
    let transport = MockTransport { _ in .status(200) }
    var configuration = AgentConfiguration()
    configuration.jsonCoding = .secondsSince1970
    let agent = RequestAgent(
      baseURL: "https://api.example.com", transport: transport, configuration: configuration)
    let request = OneOffRequest.post(
      "x", parameters: ["at": Date(timeIntervalSince1970: 5)], serializer: .json)
    try await agent.send(hasOwn ? request.with(\.jsonCoding, .iso8601) : request.with(\.tag, 1))
    let sent = try #require(transport.requests.first)
    #expect(
      String(decoding: sent.body, as: UTF8.self)
        == (hasOwn ? #"{"at":"1970-01-01T00:00:05Z"}"# : #"{"at":5}"#))
  }

  @Test("JSON text is escaped according to RFC 8259")
  func escaping() throws {
    let parameters: Parameters = ["\"\\/": "\n\r\t\u{8}\u{C}\u{0}\u{1F}\u{7F}é😀\u{2028}"]
    #expect(
      try text(.json, parameters)
        == #"{"\"\\/":"\n\r\t\b\f\u0000\u001f"# + "\u{7F}é😀\u{2028}\"}")
  }

  @Test("JSON refuses values without a JSON text")
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
    let repeated = RequestSerializer.json(query: .init(.repeatedKeys))
    #expect(try repeated.query(of: ["a": [1, 2]]) == "a=1&a=2")
    #expect(try RequestSerializer.json.query(of: [:]) == "")
  }

  @Test("A custom serializer writes the body, and its error is passed on")
  func custom() throws {
    let lines = RequestSerializer(contentType: "text/plain") { Data($0.keys.joined(separator: "\n").utf8) }
    let body = try lines.body(of: ["a": 1, "b": 2])
    #expect(body.data == Data("a\nb".utf8) && body.contentType == "text/plain")
    let failing = RequestSerializer(contentType: "text/plain") { _ in throw Mishap() }
    #expect(throws: Mishap.self) { try failing.body(of: ["a": 1]) }
  }
}
