import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Advice in errors")
struct AdviceTests {
  private struct User: Decodable, Sendable {
    var firstName: String
    var userID: Int?
    var born: Date?
  }

  private struct Raw: Decodable, Sendable {
    enum CodingKeys: String, CodingKey { case name = "first_name" }
    var name: String
  }

  private struct Group: Decodable, Sendable {
    var users: [User]
  }

  /// The text after `Try: `.
  private func advice<R: Request>(
    _ request: R, _ answer: MockAnswer, _ change: (inout AgentConfiguration) -> Void = { _ in }
  ) async throws -> String {
    var configuration = AgentConfiguration()
    change(&configuration)
    let agent = RequestAgent.mocked(
      by: MockTransport([Stub(nil, "*", answers: answer)]), configuration: configuration)
    let error = try await #require(throws: RequestError.self) { _ = try await agent.send(request) }
    let line = error.description.split(separator: "\n").last { $0.hasPrefix("Try: ") }
    return line.map { String($0.dropFirst(5)) } ?? ""
  }

  @Test("A prefix before JSON, and a wrong charset, suggest their serializers")
  func prefixes() async throws {
    let prefixed = MockAnswer.text(")]}'\n{}")
    #expect(
      try await advice(.get("a", as: Raw.self), prefixed)
        == "The body starts with a prefix against script inclusion. Decode the body with .json().droppingXSSIPrefix()."
    )
    let charset =
      "Set the charset with .text(charset:), or with .text(undeclared:) if the server declares no charset."
    let unknown = MockAnswer.data(Data("a".utf8), contentType: "text/plain; charset=x-none")
    #expect(try await advice(.get("a", as: String.self), unknown) == charset)
    let invalid = MockAnswer.data(Data([0xFF, 0xE9]), contentType: "text/plain")
    #expect(try await advice(.get("a", as: String.self), invalid) == charset)
  }

  @Test("A lost connection suggests retries, and a POST suggests the requirements of retries")
  func lost() async throws {
    let lost = MockAnswer.failure(TransportError(.connectionLost, "gone"))
    #expect(
      try await advice(.get("a"), lost) == "A retryPolicy such as .upTo(2) tries an idempotent request again."
    )
    #expect(
      try await advice(.post("a"), lost)
        == "A retryPolicy such as .upTo(2) tries again; for POST the retry needs an idempotencyKey or retriesUnsafeMethods."
    )
  }

  @Test("A retry that a body produced only once prevents suggests another body, and no retry policy")
  func goneBody() async throws {
    let answers: [MockAnswer] = [
      .failure(TransportError(.connectionLost, "gone")), .status(503),
    ]
    for answer in answers {
      let once = RequestBody.stream(AsyncStream<Data> { $0.finish() })
      let request = OneOffRequest<Void>("a", method: .put, body: once, response: .none)
      #expect(
        try await advice(request, answer) { $0.retryPolicy = .upTo(2) }
          == "A retry was due, but the body can be produced only once. Send a file, data, or a stream with a closure that produces the body again."
      )
    }
  }

  @Test("After retries, a lost connection does not suggest a retry policy")
  func lostAgain() async throws {
    let lost = MockAnswer.failure(TransportError(.connectionLost, "gone"))
    for request in [OneOffRequest<Void>.get("a"), .put("a")] {
      #expect(
        try await advice(request, lost) { $0.retryPolicy = .upTo(2, backoff: .constant()) }
          == "3 attempts were not enough; wait longer between them, or come back later.")
    }
  }

  private func responseLine<R: Request>(_ request: R, _ answer: MockAnswer) async throws -> String {
    let agent = RequestAgent.mocked(by: MockTransport([Stub(nil, "*", answers: answer)]))
    let error = try await #require(throws: RequestError.self) { _ = try await agent.send(request) }
    let line = error.description.split(separator: "\n").first { $0.hasPrefix("Response: ") }
    return line.map(String.init) ?? ""
  }

  @Test("A body that was not read is not called empty")
  func unread() async throws {
    struct Typed: Request {
      typealias Response = Data
      var path = "a"
      var method = HTTPMethod.get
      var validators: [any ResponseValidator] { [HeadOnly()] }
    }
    let unread = "Response: 200 OK, text/plain; charset=utf-8, body not read"
    #expect(try await responseLine(Typed(), .text("here")) == unread)
    #expect(
      try await responseLine(Typed(), .text("")) == "Response: 200 OK, text/plain; charset=utf-8, no body")
    #expect(
      try await responseLine(OneOffRequest<Void>.get("a"), .status(404)) == "Response: 404 Not Found, no body"
    )
    #expect(
      try await responseLine(OneOffRequest<Void>.get("a").with(\.redirectPolicy, .none), .status(302))
        == "Response: 302 Found, no body")
    // A response without content has no body to read.
    #expect(try await responseLine(Typed(), .status(204)) == "Response: 204 No Content, no body")
    #expect(try await responseLine(Typed(method: .head), .status(200)) == "Response: 200 OK, no body")
  }

  private struct EmptyCutBody: AsyncSequence, AsyncIteratorProtocol, Sendable {
    func makeAsyncIterator() -> EmptyCutBody { self }
    func next() async throws -> Data? { throw TransportError(.connectionLost, "cut") }
  }

  private struct CutTransport: Transport {
    let capabilities = TransportCapabilities()

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      TransportResponse(head: HTTPResponse(status: 500), body: BodyStream(SequenceSource(EmptyCutBody())))
    }
  }

  @Test("A body that broke off before its first byte is not called empty")
  func cut() async throws {
    let agent = RequestAgent(baseURL: "https://h", transport: CutTransport())
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("a")) }
    #expect(error.kind == .status)
    #expect(error.description.contains("\nResponse: 500 Internal Server Error, body not read\n"))
  }

  private struct HeadOnly: ResponseValidator {
    func judge(head: HTTPResponse, context: RequestContext) -> HeadVerdict {
      .refused(Refusal("the head is refused", kind: .validation))
    }
    func validate(_ response: HTTPResponse, context: RequestContext) throws {}
  }

  @Test("A request that was never built is named by its type, or by method and path")
  func endpoint() async throws {
    struct GetUser: Request {
      typealias Response = Void
      let path = "users/7"
    }
    let nowhere = try await #require(throws: RequestError.self) { try await RequestAgent().send(GetUser()) }
    #expect(nowhere.description.hasPrefix(#"GetUser failed: there is no base URL for the path "users/7"."#))
    let twice = OneOffRequest<Void>.post(
      "users/7", query: ["a": nil as Int?], headers: ["Content-Length": "1"])
    let agent = RequestAgent.mocked(by: MockTransport([]))
    let framed = try await #require(throws: RequestError.self) { try await agent.send(twice) }
    let text = "POST users/7 failed: the header Content-Length frames the message and cannot be set."
    #expect(framed.description.hasPrefix(text))
  }

  @Test("A member in snake case suggests .snakeCase, at any depth, also in a long body")
  func snakeCase() async throws {
    let rest = #"{"firstName":"Eve"}"#
    let bodies = [
      #"{"users":[{"firstName":"Eve"},{"first_name":"Ada"}]}"#,
      "{\"users\":[\(String(repeating: rest + ",", count: 5_000)){\"first_name\":\"Ada\"}]}",
    ]
    for body in bodies {
      let advice = try await advice(.get("a", as: Group.self), .json(body))
      #expect(advice == Advice.snakeCase("first_name").text)
    }
    #expect(Advice.snakeCase("").text.contains("jsonCoding to .snakeCase"))
  }

  @Test("A member in another spelling suggests a CodingKey")
  func otherSpelling() async throws {
    let advice = try await advice(.get("a", as: User.self), .json(#"{"First-Name":"Ada"}"#))
    #expect(advice == #"Rename the property, or give the property the CodingKey "First-Name"."#)
  }

  @Test("A member renamed by the strategy suggests the CodingKey")
  func renamed() async throws {
    let advice = try await advice(.get("a", as: Raw.self), .json(#"{"first_name":"Ada"}"#)) {
      $0.jsonCoding = .snakeCase
    }
    #expect(
      advice
        == #".snakeCase converts "first_name" to "firstName": give the property the converted name, or a CodingKey with that name."#
    )
  }

  @Test("A member with more capitals than the strategy's suggests the strategy's name")
  func capitals() async throws {
    struct Account: Decodable, Sendable { var userID: Int }
    let advice = try await advice(.get("a", as: Account.self), .json(#"{"user_id":1}"#)) {
      $0.jsonCoding = .snakeCase
    }
    #expect(
      advice
        == #".snakeCase converts "user_id" to "userId": give the property the converted name, or a CodingKey with that name."#
    )
  }

  @Test("A member that the strategy leaves as written suggests a CodingKey, and names no conversion")
  func unconverted() async throws {
    struct Account: Decodable, Sendable { var userId: Int }
    let advice = try await advice(.get("a", as: Account.self), .json(#"{"UserID":1}"#)) {
      $0.jsonCoding = .snakeCase
    }
    #expect(advice == #"Rename the property, or give the property the CodingKey "UserID"."#)
  }

  @Test("A member beyond the excerpt is named by its location, which the cause also has")
  func beyondExcerpt() async throws {
    let body = "[\(String(repeating: "{\"firstName\":\"Eve\"},\n", count: 300)){\"firstName\":7}]"
    let agent = RequestAgent.mocked(by: MockTransport([Stub(nil, "*", answers: .json(body))]))
    let error = try await #require(throws: RequestError.self) {
      _ = try await agent.send(.get("a", as: [User].self))
    }
    #expect(error.reason == "[300].firstName: expected String, found a number, at line 301, column 14")
    #expect(
      error.description.hasSuffix(
        "Try: Compare the decoded type with the server's data at the position above."))
    #expect(error.cause(as: DecodingError.self)?.jsonPosition?.line == 301)
  }

  @Test(
    "The cause also has the location beside an advice",
    arguments: [
      (#"{"x":1,"#, "line 1, column 8"), (#"{"first_name":"Ada"}"#, "line 1, column 1"),
      (#"{"firstName":"Ada","born":"2026-11-21"}"#, "line 1, column 27"), ("<html>", "line 1, column 1"),
    ])
  func places(body: String, place: String) async throws {
    let agent = RequestAgent.mocked(by: MockTransport([Stub(nil, "*", answers: .json(body))]))
    let error = try await #require(throws: RequestError.self) {
      _ = try await agent.send(.get("a", as: User.self))
    }
    #expect(error.cause(as: DecodingError.self)?.jsonPosition?.description == place)
  }

  @Test("For text that is not JSON the advice shows the received body, and JSON5 gives no wrong location")
  func notJSON() async throws {
    let advice = try await advice(.get("a", as: User.self), .json("<html>"))
    #expect(advice == Advice.notJSON.text)
    var configuration = AgentConfiguration()
    configuration.jsonCoding.allowsJSON5 = true
    let agent = RequestAgent.mocked(
      by: MockTransport([Stub(nil, "*", answers: .json("{firstName:'a',id:x}"))]),
      configuration: configuration)
    let error = try await #require(throws: RequestError.self) {
      _ = try await agent.send(.get("a", as: User.self))
    }
    #expect(error.reason == "the body is not JSON5")
  }

  @Test("A date as text suggests .iso8601, also under converted names")
  func dates() async throws {
    for text in ["2026-11-21", "2026-11-21T10:00:00Z", "2026-11-21T10:00:00.125+01:00"] {
      let advice = try await advice(
        .get("a", as: User.self), .json("{\"first_name\":\"Ada\",\"born\":\"\(text)\"}")
      ) { $0.jsonCoding = .snakeCase }
      #expect(advice == Advice.dates.text)
    }
    #expect(Advice.dates.text.contains("jsonCoding to .iso8601"))
  }

  @Test("Other errors keep the advice of their kind")
  func others() async throws {
    let plain = "Compare the Response type with the body shown above."
    for body in [#"{"name":"Ada"}"#, #"{"firstName":7}"#, #"{"firstName":"Ada","born":"soon"}"#, "[]"] {
      #expect(try await advice(.get("a", as: User.self), .json(body)) == plain, "\(body)")
    }
  }

  @Test(
    "The words for what only a body, libcurl or the system leads to",
    arguments: [
      (
        .snakeCase("first_name"),
        "The server writes names with underscores: set jsonCoding to .snakeCase, on the request or in the agent's configuration."
      ),
      (
        .notJSON,
        "The server sent no JSON, or incomplete JSON. Check the body and the Content-Type of the response."
      ),
      (
        .dates,
        "If the string is a date, set jsonCoding to .iso8601 on the request or in the agent's configuration. Otherwise compare the types."
      ),
      (
        .privateAuthority,
        "If your own authority issued the certificate, trust the authority: CurlTransport(certificateAuthorities: file). Otherwise the server may not send the whole certificate chain."
      ),
      (
        .alert,
        "See the server's reason above: the server may require a client certificate, or another TLS version."
      ),
      (
        .pin,
        "The server has a new key, or another machine intercepts the connection. Compare ConnectionSettings.tls.pins with the keys published by the server's operator."
      ),
      (
        .ownCertificate,
        "Check the certificate, the key and the passphrase in ConnectionSettings.tls.clientCertificates."
      ),
      (
        .fileDescriptors,
        "Raise the limit of the process (ulimit -n), close unused files and connections, or send to fewer hosts at once."
      ),
      (
        .authorities,
        "Check the file of certificateAuthorities. The file must contain certificates in PEM format."
      ),
      (
        .proxy,
        "Check the proxy in ConnectionSettings.proxies, or in the environment variables https_proxy, http_proxy and all_proxy."
      ),
    ] as [(Advice, String)])
  func words(_ row: (advice: Advice, text: String)) { #expect(row.advice.text == row.text) }

  @Test(
    "The words for a kind of failure without advice of its own",
    arguments: [
      (.invalidRequest, "Check the part of the request named above, and the filterRequest hooks."),
      (.authentication, "Check the credentials and their renewal."),
      (
        .corruptBody,
        "The server or a proxy damaged the body. Compare the Content-Encoding with the bytes of the body."
      ),
      (
        .invalidResponse,
        "The response contradicts itself or the request. Check the response of the server."
      ),
      (
        .contentType,
        "Check the Content-Type that the server sends. Other validators accept other types, and an Accept header requests a type."
      ),
      (.jsonShape, "Compare the shape with the body shown above."),
    ] as [(RequestError.Kind, String)])
  func words(_ row: (kind: RequestError.Kind, text: String)) {
    #expect(RequestError(row.kind, "refused", stage: .validate).hint == row.text)
  }

  @Test("An empty body leads to Optional and Void")
  func emptyBody() async throws {
    for body in ["", " \r\n"] {
      let advice = try await advice(.get("a", as: User.self), .json(body))
      #expect(
        advice
          == "If the server sometimes sends an empty body, make Response an Optional. If the body is always empty, make Response Void."
      )
    }
  }

  @Test("Only a list keeps its lines, so sent text adds no lines")
  func lists() {
    func printed(_ reason: String) -> String {
      RequestError(.hook, reason, stage: .filter).description.components(separatedBy: "\nStage")[0]
    }
    #expect(printed("two:\n1. a\n2. b") == "The request failed: two:\n  1. a\n  2. b.")
    #expect(printed("two:\n1. a\n3. b") == "The request failed: two: 1. a 3. b.")
    #expect(printed("it said a\nStage decode") == "The request failed: it said a Stage decode.")
  }
}
