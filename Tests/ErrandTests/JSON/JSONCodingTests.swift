import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("JSON coding as a value")
struct JSONCodingTests {
  struct Entry: Codable, Sendable, Equatable {
    var firstName: String
    var seenAt: Date
  }

  static let date = Date(timeIntervalSince1970: 1_795_255_200)
  static let entry = Entry(firstName: "Ada", seenAt: date)

  static func json(_ value: some Encodable, _ coding: JSONCoding) throws -> String {
    var coding = coding
    coding.outputFormatting = .sortedKeys
    return String(decoding: try coding.encode(value), as: UTF8.self)
  }

  /// Returns the sent body and the decoded response.
  static func exchange(
    _ request: some Request<Entry>, answer: String, by agent: AgentConfiguration = .init()
  ) async throws -> (sent: String, value: Entry?) {
    let transport = MockTransport { _ in .json(answer) }
    let value = try? await RequestAgent.mocked(by: transport, configuration: agent).send(request)
    return (transport.requests.map(\.text).joined(), value)
  }

  static let rows: [(JSONCoding, String)] = [
    (.init(), #"{"firstName":"Ada","seenAt":816948000}"#),
    (.iso8601, #"{"firstName":"Ada","seenAt":"2026-11-21T10:00:00Z"}"#),
    (.secondsSince1970, #"{"firstName":"Ada","seenAt":1795255200}"#),
    (.millisecondsSince1970, #"{"firstName":"Ada","seenAt":1795255200000}"#),
    (.snakeCase, #"{"first_name":"Ada","seen_at":816948000}"#),
    (.snakeCase.iso8601, #"{"first_name":"Ada","seen_at":"2026-11-21T10:00:00Z"}"#),
    (.iso8601.snakeCase, #"{"first_name":"Ada","seen_at":"2026-11-21T10:00:00Z"}"#),
    (.iso8601.snakeCase.secondsSince1970, #"{"first_name":"Ada","seen_at":1795255200}"#),
  ]

  @Test("Each setting changes one thing for decoding and encoding, and leaves the others", arguments: rows)
  func words(_ row: (JSONCoding, String)) throws {
    #expect(try Self.json(Self.entry, row.0) == row.1)
    #expect(try row.0.decode(Entry.self, from: Data(row.1.utf8)) == Self.entry)
  }

  @Test("ISO 8601 dates with fractions and offsets are decoded")
  func variants() throws {
    let text = #"["2026-11-21T10:00:00.25Z","2026-11-21T12:00:00.25+02:00","2026-11-21T11:30:00+01:30"]"#
    let dates = try JSONCoding.iso8601.decode([Date].self, from: Data(text.utf8))
    #expect(dates.map { $0.timeIntervalSince(Self.date) } == [0.25, 0.25, 0])
  }

  @Test(
    "An invalid date, or a date with trailing text, is refused and named",
    arguments: ["tomorrow", "2026-11-21T10:00:00Zero"])
  func refused(_ text: String) throws {
    let error = try #require(throws: DecodingError.self) {
      try JSONCoding.iso8601.decode([Date].self, from: Data("[\"\(text)\"]".utf8))
    }
    #expect(error.clause == "[0]: \"\(text)\" is not an ISO 8601 date")
  }

  @Test("Data, NaN and user info have settings, and closures work")
  func others() throws {
    struct Tagged: Codable, Equatable {
      static let key = CodingUserInfoKey(rawValue: "tag")!
      var tag: String
      init(tag: String) { self.tag = tag }
      init(from decoder: any Decoder) throws { tag = decoder.userInfo[Self.key] as? String ?? "none" }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(encoder.userInfo[Self.key] as? String ?? "none")
      }
    }
    var coding = JSONCoding().nonConformingFloats(
      positiveInfinity: "+inf", negativeInfinity: "-inf", nan: "nan")
    coding.userInfo = [Tagged.key: "t"]
    coding.dataDecodingStrategy = .custom { decoder in
      Data(try decoder.singleValueContainer().decode(String.self).utf8)
    }
    coding.dataEncodingStrategy = .custom { data, encoder in
      var container = encoder.singleValueContainer()
      try container.encode(String(decoding: data, as: UTF8.self))
    }
    let numbers = try Self.json([Double.infinity, -.infinity], coding)
    #expect(numbers == #"["+inf","-inf"]"#)
    #expect(try coding.decode([Double].self, from: Data(numbers.utf8)) == [.infinity, -.infinity])
    #expect(try Self.json([Data("hi".utf8)], coding) == #"["hi"]"#)
    #expect(try coding.decode([Data].self, from: Data(#"["hi"]"#.utf8)) == [Data("hi".utf8)])
    #expect(try Self.json([Tagged(tag: "x")], coding) == #"["t"]"#)
    #expect(try coding.decode([Tagged].self, from: Data("[1]".utf8)) == [Tagged(tag: "t")])
  }

  @Test("A changed copy affects neither an agent nor a coder given to an agent")
  func copies() async throws {
    let (decoder, encoder) = (JSONDecoder(), JSONEncoder())
    var production = AgentConfiguration()
    production.jsonCoding = JSONCoding(decoder: decoder, encoder: encoder)
    let request = OneOffRequest<Entry>(
      "x", method: .post, body: .json(["aB": 1]), response: .json())
    let answer = #"{"firstName":"Ada","seenAt":816948000}"#
    let transport = MockTransport { _ in .json(answer) }
    let agent = RequestAgent.mocked(by: transport, configuration: production)

    var development = production
    development.jsonCoding.keyDecodingStrategy = .convertFromSnakeCase
    development.jsonCoding.dateDecodingStrategy = .iso8601
    development.jsonCoding.keyEncodingStrategy = .convertToSnakeCase
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.dateDecodingStrategy = .iso8601
    encoder.outputFormatting = .prettyPrinted
    encoder.keyEncodingStrategy = .convertToSnakeCase

    #expect(try await agent.send(request) == Self.entry)
    #expect(transport.requests.map(\.text) == [#"{"aB":1}"#])
    #expect(try await Self.exchange(request, answer: answer, by: production).value == Self.entry)
    #expect(try await Self.exchange(request, answer: answer, by: development).value == nil)
  }

  @Test("A custom coder keeps all its settings until a setting is changed")
  func ownCoders() throws {
    let (decoder, encoder) = (JSONDecoder(), JSONEncoder())
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.dateDecodingStrategy = .secondsSince1970
    decoder.allowsJSON5 = true
    encoder.dateEncodingStrategy = .millisecondsSince1970
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = .sortedKeys
    var coding = JSONCoding(decoder: decoder, encoder: encoder)
    let members = Data("{first_name: 'Ada', seen_at: 1795255200}".utf8)
    #expect(try coding.decode(Entry.self, from: members) == Self.entry)
    let written = #"{"first_name":"Ada","seen_at":1795255200000}"#
    #expect(String(decoding: try coding.encode(Self.entry), as: UTF8.self) == written)
    coding.dateDecodingStrategy = .millisecondsSince1970
    let milliseconds = Data("{first_name: 'Ada', seen_at: 1795255200000}".utf8)
    #expect(try coding.decode(Entry.self, from: milliseconds) == Self.entry)
    #expect(String(decoding: try coding.encode(Self.entry), as: UTF8.self) == written)
  }

  // Unchecked: neither class has state.
  final class Upper: JSONDecoder, @unchecked Sendable {
    override func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
      try super.decode(type, from: Data(String(decoding: data, as: UTF8.self).uppercased().utf8))
    }
  }

  final class Shouting: JSONEncoder, @unchecked Sendable {
    override func encode<T: Encodable>(_ value: T) throws -> Data {
      try super.encode(value) + Data("!".utf8)
    }
  }

  @Test("A subclass object codes itself, on agent, request, call and serializer")
  func subclasses() async throws {
    struct Post: Request {
      typealias Response = [String]
      var jsonDecoder: JSONDecoder?
      var jsonEncoder: JSONEncoder?
      let method = HTTPMethod.post
      var body: RequestBody { .json([1]) }
    }
    let coding = JSONCoding(decoder: Upper(), encoder: Shouting())
    var configuration = AgentConfiguration()
    let transport = MockTransport { _ in .json(#"["a"]"#) }
    let plain = RequestAgent.mocked(by: transport, configuration: configuration)
    configuration.jsonCoding = coding
    let agent = RequestAgent.mocked(by: transport, configuration: configuration)
    #expect(try await agent.send(Post()) == ["A"])
    #expect(try await plain.send(Post(jsonDecoder: Upper(), jsonEncoder: Shouting())) == ["A"])
    #expect(
      try await plain.send(Post().with(\.jsonDecoder, Upper()).with(\.jsonEncoder, Shouting())) == ["A"])
    #expect(try await plain.send(Post().with(\.jsonCoding, coding)) == ["A"])
    #expect(transport.requests.map(\.text) == Array(repeating: "[1]!", count: 4))
    #expect(
      try await plain.send(OneOffRequest<[String]>("x", response: .json(decoder: Upper()))) == ["A"])
    #expect(try await plain.send(Post()) == ["a"])
    var changed = coding
    changed.userInfo = [:]
    #expect(try changed.decode([String].self, from: Data(#"["a"]"#.utf8)) == ["a"])
    #expect(try changed.encode(["a"]) == Data(#"["a"]"#.utf8))
  }

  @Test("The call's coding precedes the request's, and the request's the agent's, for both directions")
  func precedence() async throws {
    struct Save: Request {
      typealias Response = Entry
      var jsonCoding: JSONCoding?
      var jsonDecoder: JSONDecoder?
      var jsonEncoder: JSONEncoder?
      let method = HTTPMethod.post
      var body: RequestBody { .json([JSONCodingTests.entry]) }
    }
    let seconds = #"{"firstName":"Ada","seenAt":1795255200}"#
    let iso = #"{"firstName":"Ada","seenAt":"2026-11-21T10:00:00Z"}"#
    let (reading, writing) = (JSONDecoder(), JSONEncoder())
    (reading.dateDecodingStrategy, writing.dateEncodingStrategy) = (.iso8601, .iso8601)
    var agent = AgentConfiguration()
    agent.jsonCoding = .secondsSince1970
    let rows: [(any Request<Entry>, String)] = [
      (Save(), seconds), (Save(jsonCoding: .iso8601), iso),
      (Save(jsonDecoder: reading, jsonEncoder: writing), iso),
      (Save(jsonCoding: .millisecondsSince1970, jsonDecoder: reading, jsonEncoder: writing), iso),
      (Save().with(\.jsonCoding, .iso8601), iso),
      (Save().with(\.jsonDecoder, reading).with(\.jsonEncoder, writing), iso),
      (Save(jsonCoding: .iso8601).with(\.jsonCoding, .secondsSince1970), seconds),
      (Save(jsonDecoder: reading, jsonEncoder: writing).with(\.jsonCoding, .secondsSince1970), seconds),
    ]
    for (index, (request, json)) in rows.enumerated() {
      let result = try await Self.sorted(request, answer: json, by: agent)
      #expect(result.sent == "[\(json)]" && result.value == Self.entry, "row \(index)")
    }
  }

  private static func sorted<R: Request<Entry>>(
    _ request: R, answer: String, by agent: AgentConfiguration
  ) async throws -> (sent: String, value: Entry?) {
    let (sent, value) = try await exchange(request, answer: answer, by: agent)
    return (try JSONCoding().decode(JSONValue.self, from: Data(sent.utf8)).text(), value)
  }

  @Test("A coder given to a call or a serializer is copied at that time")
  func givenToACall() async throws {
    let decoder = JSONDecoder()
    let call = OneOffRequest<Entry>("x", response: .json()).with(\.jsonDecoder, decoder)
    let serializer = OneOffRequest<Entry>("x", response: .json(decoder: decoder))
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.dateDecodingStrategy = .iso8601
    let answer = #"{"firstName":"Ada","seenAt":816948000}"#
    #expect(try await Self.exchange(call, answer: answer).value == Self.entry)
    #expect(try await Self.exchange(serializer, answer: answer).value == Self.entry)
  }

  @Test("Hooks and serializers get the coding of their dispatch from the context")
  func context() async throws {
    struct Envelope: ResponseSerializer {
      func serialize(_ response: HTTPResponse, context: RequestContext) async throws -> Entry {
        try context.jsonCoding.decode([Entry].self, from: response.body)[0]
      }
    }
    let request = OneOffRequest("x", response: Envelope()).with(\.jsonCoding, .snakeCase.iso8601)
    let answer = #"[{"first_name":"Ada","seen_at":"2026-11-21T10:00:00Z"}]"#
    #expect(try await Self.exchange(request, answer: answer).value == Self.entry)
  }

  @Test("Nulls are dropped on every level on demand, also before typed decoding")
  func nulls() async throws {
    struct Page: Decodable, Sendable, Equatable {
      var names: [String]
      var next: [String: Int]
    }
    let body = #"{"names":["a",null,"b"],"next":{"a":1,"b":null},"none":null}"#
    let page = OneOffRequest<Page>("x", response: .json())
    let agent = RequestAgent.mocked(by: MockTransport { _ in .json(body) })
    await #expect(throws: RequestError.self) { try await agent.send(page) }
    let dropping = page.with(\.jsonCoding, .droppingNulls)
    #expect(try await agent.send(dropping) == Page(names: ["a", "b"], next: ["a": 1]))
    let names = OneOffRequest<[String]>("x", response: .json(keyPath: "names"))
    #expect(try await agent.send(names.with(\.jsonCoding, .droppingNulls)) == ["a", "b"])
    let value = OneOffRequest<JSONValue>("x", response: .json())
    #expect(
      try await agent.send(value.with(\.jsonCoding, .snakeCase.droppingNulls))
        == ["names": ["a", "b"], "next": ["a": 1]])
    #expect(try await agent.send(value)["none"].isNull)
    var five = JSONCoding.droppingNulls
    five.allowsJSON5 = true
    #expect(try five.decode([Int].self, from: Data("[1,null,/* none */2,]".utf8)) == [1, 2])
    #expect(try JSONCoding.droppingNulls.decode(Int?.self, from: Data("null".utf8)) == nil)
  }

  @Test("A printed coding shows differences from the defaults, and no value of the user info")
  func printed() throws {
    var coding = JSONCoding.snakeCase.iso8601.droppingNulls
    coding.userInfo = [CodingUserInfoKey(rawValue: "pin")!: "hunter2"]
    #expect(
      "\(coding)" == """
        JSONCoding(dateDecodingStrategy: iso8601, keyDecodingStrategy: convertFromSnakeCase, dropsNulls: true, \
        dateEncodingStrategy: iso8601, keyEncodingStrategy: convertToSnakeCase, userInfo: ["pin"])
        """)
    var dumped = ""
    dump(coding, to: &dumped)
    #expect(!dumped.contains("hunter2"))
    #expect("\(JSONCoding())" == "JSONCoding()")
  }
}
