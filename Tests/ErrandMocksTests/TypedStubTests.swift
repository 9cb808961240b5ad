import Errand
import ErrandMocks
import Foundation
import Testing

struct Person: Codable, Sendable, Equatable {
  var id: Int
  var name: String
}

private struct GetPerson: Request {
  typealias Response = Person
  var id: Int
  var path: String { "people/\(id)" }
  var retryPolicy: RetryPolicy { .upTo(2) }
}

private struct FindPeople: Request {
  typealias Response = [Person]
  var name: String
  var page: Int?
  let path = "people?sort=id"
  var parameters: Parameters { ["name": name, "page": page, "fields": ["id", "name"]] }
  var responseSerializer: any ResponseSerializer<[Person]> { .json(keyPath: "data.1.items") }
}

private struct AddPerson: Request {
  typealias Response = Void
  let baseURL = URL(string: "https://people.example/v2/")
  let path = "/people"
  let method = HTTPMethod.post
  var parameters: Parameters { ["name": "Ada"] }
}

@Suite("Typed stubs")
struct TypedStubTests {
  private let ada = Person(id: 7, name: "Ada")

  @Test("A value travels as bytes through validation, hooks, decoding and retry")
  func pipeline() async throws {
    struct Renaming: RequestHooks {
      func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {
        let text = String(decoding: response.body, as: UTF8.self)
        response.body = Data(text.replacingOccurrences(of: "Ada", with: "Grace").utf8)
      }
    }
    let stub = Stub(answering: GetPerson(id: 7), with: ada).after(.status(503), .fault(.reset))
    let agent = RequestAgent.mocked(stub, hooks: [Renaming()])
    let received = try await agent.response(for: GetPerson(id: 7))
    #expect(received.value == Person(id: 7, name: "Grace"))
    #expect(received.report.attempts.count == 3)
    #expect(received.response.headers["Content-Type"] == "application/json")
    #expect(received.response.body == Data(#"{"id":7,"name":"Grace"}"#.utf8))

    let refused = RequestAgent.mocked(Stub(answering: GetPerson(id: 7), with: ada, status: 404))
    let error = await #expect(throws: RequestError.self) { try await refused.send(GetPerson(id: 7)) }
    #expect(error?.kind == .status && error?.status == 404)
    #expect(error?.response?.body == Data(#"{"id":7,"name":"Ada"}"#.utf8))
  }

  @Test("Without a base URL of the request, any origin and any path prefix match")
  func places() async throws {
    let transport = MockTransport([
      Stub(answering: GetPerson(id: 7), with: ada), Stub(answering: GetPerson(id: 8), answers: .status(410)),
    ])
    for base in ["https://h", "http://h:8080/api/v1/"] {
      let agent = RequestAgent(baseURL: base, transport: transport)
      #expect(try await agent.send(GetPerson(id: 7)) == ada)
      let gone = await #expect(throws: RequestError.self) { try await agent.send(GetPerson(id: 8)) }
      #expect(gone?.status == 410)
    }
    let line = #line + 1
    let stub = Stub(answering: GetPerson(id: 7), with: ada)
    #expect("\(stub)" == "GET **/people/7 (TypedStubTests.swift:\(line))")
    let message = try await MockTransport([stub]).refusal(of: .get, "https://h/api/people/70")
    #expect(message.hasSuffix("\(line)): path is /api/people/70, not **/people/7"))
    #expect(stub.line == line && stub.fileID == #fileID)
  }

  @Test("With a base URL, only that base matches, and Void is an answer without a body")
  func bases() async throws {
    let transport = MockTransport([Stub(answering: AddPerson())])
    let agent = RequestAgent(baseURL: "https://other.example", transport: transport)
    let received = try await agent.response(for: AddPerson())
    #expect(received.response.status == 204 && received.response.body.isEmpty)
    #expect(transport.requests.map(\.text) == ["name=Ada"])
    let message = try await transport.refusal(of: .post, "https://other.example/v2/people")
    #expect(message.hasSuffix("origin is https://other.example, not https://people.example"))
    #expect(
      try await RequestAgent.mocked(by: MockTransport([Stub(answering: AddPerson(), status: 200)]))
        .response(for: AddPerson()).response.status == 200)
  }

  @Test("The query must be present, and JSON is at the key path of the serializer")
  func queries() async throws {
    let transport = MockTransport([
      Stub(answering: FindPeople(name: "A B", page: 2), with: []),
      Stub(answering: FindPeople(name: "A B"), with: [ada]),
    ])
    let agent = RequestAgent.mocked(by: transport)
    #expect(try await agent.send(FindPeople(name: "A B")) == [ada])
    #expect(try await agent.send(FindPeople(name: "A B", page: 2)) == [])
    #expect(try await agent.send(FindPeople(name: "A B", page: 3)) == [ada])
    let error = await #expect(throws: RequestError.self) { try await agent.send(FindPeople(name: "C")) }
    #expect(
      error?.reason.contains(": query item name is C, not A B; query item page is missing, not 2") == true)
  }

  @Test("Text stays text, data stays bytes, and JSON is what the serializer decodes as JSON")
  func forms() async throws {
    let text = OneOffRequest<String>("a", response: .text)
    let quoted = OneOffRequest<String>("b", response: .json())
    let bytes = OneOffRequest<Data>("c", response: .data)
    let absent = OneOffRequest<Person?>("d", response: .json())
    let agent = RequestAgent.mocked(
      Stub(answering: text, with: "é"), Stub(answering: quoted, with: "é"),
      Stub(answering: bytes, with: Data([0, 255])), Stub(answering: absent, with: nil))
    let answers = [
      try await agent.response(for: text).response, try await agent.response(for: quoted).response,
      try await agent.response(for: bytes).response, try await agent.response(for: absent).response,
    ]
    #expect(answers.map(\.body) == [Data("é".utf8), Data("\"é\"".utf8), Data([0, 255]), Data("null".utf8)])
    #expect(
      answers.map { $0.headers["Content-Type"] } == [
        "text/plain; charset=utf-8", "application/json", "application/octet-stream", "application/json",
      ])
    #expect(try await agent.send(quoted) == "é")
    #expect(try await agent.send(absent) == nil)
  }

  @Test("A custom encoder fits a custom decoder")
  func encoders() async throws {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    struct Named: Codable, Sendable, Equatable { var fullName: String }
    let request = OneOffRequest<Named>("a", response: .json())
    let transport = MockTransport([Stub(answering: request, with: Named(fullName: "Ada"), encoder: encoder)])
    #expect(try await transport.exchange(.get, "https://h/a").body == #"{"full_name":"Ada"}"#)
  }

  private struct Visit: Codable, Sendable, Equatable {
    var fullName: String
    var seenAt: Date
  }

  private struct GetVisit: Request {
    typealias Response = Visit
    let path = "visit"
    var jsonCoding: JSONCoding?
    var jsonDecoder: JSONDecoder?
    var responseSerializer: any ResponseSerializer<Visit> = .json()
  }

  @Test(
    "The value is encoded as the endpoint decodes: by the call, the endpoint, the serializer or the agent")
  func codings() async throws {
    let visit = Visit(fullName: "Ada", seenAt: Date(timeIntervalSince1970: 1_795_255_200))
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.dateDecodingStrategy = .iso8601
    let plain = #"{"fullName":"Ada","seenAt":816948000}"#
    let coded = #"{"full_name":"Ada","seen_at":"2026-11-21T10:00:00Z"}"#
    var configuration = AgentConfiguration()
    configuration.jsonCoding = .snakeCase.iso8601
    let rows: [(any Request<Visit>, AgentConfiguration, String)] = [
      (GetVisit(), .init(), plain), (GetVisit(), configuration, coded),
      (GetVisit(jsonCoding: .snakeCase.iso8601), .init(), coded),
      (GetVisit(jsonCoding: JSONCoding()), configuration, plain),
      (GetVisit(jsonDecoder: decoder), .init(), coded),
      (GetVisit(responseSerializer: .json(decoder: decoder)), .init(), coded),
      (GetVisit().with(\.jsonCoding, .snakeCase.iso8601), .init(), coded),
      (GetVisit().with(\.jsonDecoder, decoder), .init(), coded),
    ]
    for (index, (request, configuration, json)) in rows.enumerated() {
      try await check(request, configuration, visit, json, "row \(index)")
    }
    // The coding of a call's endpoint applies, not the coding of the stub's endpoint. A server only knows the
    // stub's endpoint.
    let agent = RequestAgent.mocked(Stub(answering: GetVisit(), with: visit))
    #expect(try await agent.send(GetVisit(jsonCoding: .secondsSince1970)) == visit)
    let server = try MockServer()
    server.add(Stub(answering: GetVisit(jsonCoding: .snakeCase.iso8601), with: visit))
    #expect(try RawClient.get("/visit", port: server.port).hasSuffix(coded))
  }

  private func check<R: Request<Visit>>(
    _ request: R, _ configuration: AgentConfiguration, _ visit: Visit, _ json: String, _ row: Comment
  ) async throws {
    let transport = MockTransport([Stub(answering: request, with: visit).after(.status(503))])
    let received = try await RequestAgent.mocked(by: transport, configuration: configuration)
      .response(for: request.with(\.retryPolicy, .upTo(1)))
    #expect(received.value == visit, row)
    #expect(String(decoding: received.response.body, as: UTF8.self) == json, row)
  }

  @Test("For a custom decoding closure the coding's encoder is used, and a subclass encodes itself")
  func closures() async throws {
    // Unchecked: the class has no state.
    final class Quiet: JSONEncoder, @unchecked Sendable {
      override func encode<T: Encodable>(_ value: T) throws -> Data { Data(#"{"id":1,"name":"x"}"#.utf8) }
    }
    var coding = JSONCoding()
    coding.dateDecodingStrategy = .custom { _ in Date(timeIntervalSince1970: 0) }
    coding.dateEncodingStrategy = .millisecondsSince1970
    let visit = Visit(fullName: "Ada", seenAt: Date(timeIntervalSince1970: 0))
    try await check(
      GetVisit(jsonCoding: coding), .init(), visit, #"{"fullName":"Ada","seenAt":0}"#, "closure")
    let request = GetPerson(id: 7).with(\.jsonEncoder, Quiet())
    let agent = RequestAgent.mocked(Stub(answering: request, with: ada))
    #expect(try await agent.send(request) == Person(id: 1, name: "x"))
  }

  @Test(
    "An asterisk in an endpoint's path is no wildcard; absolute paths and custom requests keep their URL"
  )
  func oddPlaces() async throws {
    let rows: [(OneOffRequest<String>, String, Bool)] = [
      (OneOffRequest("files/*", response: .text), "https://h/files/*", true),
      (OneOffRequest("files/*", response: .text), "https://h/files/a", false),
      (OneOffRequest("https://x.example/a?b=1", response: .text), "https://x.example/a?c=2&b=1", true),
      (OneOffRequest("https://x.example/a?b=1", response: .text), "https://x.example/a", false),
      (OneOffRequest("https://x.example/a?b=1", response: .text), "https://y.example/a?b=1", false),
      (OneOffRequest("", response: .text), "https://h/any/thing", true),
      (OneOffRequest("?a=1", response: .text), "https://h/any?a=1", true),
    ]
    for (request, url, matches) in rows {
      let transport = MockTransport([Stub(answering: request, with: "found")])
      let isAnswered = (try? await transport.exchange(.get, url)) != nil
      #expect(isAnswered == matches, "\(request.path) \(url)")
    }
    struct Custom: Request {
      typealias Response = String
      let customRequest: HTTPRequest? = HTTPRequest(
        url: URL(string: "https://c.example/x?y=1")!, method: .put)
    }
    let transport = MockTransport([Stub(answering: Custom(), with: "found")])
    #expect(try await RequestAgent.mocked(by: transport).send(Custom()) == "found")
    #expect(transport.unusedStubs.isEmpty)
  }

  @Test("A value that cannot be encoded is an error with the location, in a transport and in a server")
  func notEncodable() async throws {
    let request = OneOffRequest<[String: Double]>("a", response: .json())
    let stub = Stub(answering: request, with: ["x": .infinity])
    let error = await #expect(throws: RequestError.self) { try await RequestAgent.mocked(stub).send(request) }
    #expect(error?.kind == .invalidStub)
    let reason = try #require(error?.reason)
    #expect(reason.hasPrefix("the answer of the stub \(stub) cannot be built: x cannot be encoded: "))
    let server = try MockServer()
    server.add(stub)
    let answer = try RawClient.get("/a", port: server.port)
    #expect(answer.hasPrefix("HTTP/1.1 500 ") && answer.hasSuffix(reason))
  }

  @Test("Parameters of a request with its own body are in the query of the stub")
  func parametersBesideBody() async throws {
    struct Search: Request {
      typealias Response = [String]
      var page: Int
      let path = "search"
      let method = HTTPMethod.post
      var parameters: Parameters { ["page": page] }
      var body: RequestBody { .text("{}") }
    }
    let agent = RequestAgent.mocked(
      Stub(answering: Search(page: 1), with: ["one"]), Stub(answering: Search(page: 2), with: ["two"]))
    #expect(try await agent.send(Search(page: 2)) == ["two"])
    #expect(try await agent.send(Search(page: 1)) == ["one"])
    let error = try await #require(throws: RequestError.self) { try await agent.send(Search(page: 3)) }
    #expect(error.kind == .unmatchedStub && error.reason.contains(": query item page is 3, not 1"))
  }
}
