import Foundation
import Testing

@testable import Errand

@Suite("The idempotency key")
struct IdempotencyKeyTests {
  struct Order: Request {
    typealias Response = Void
    var idempotencyKey: IdempotencyKey = .automatic
    var method: HTTPMethod = .post
    var headers: HTTPHeaders = [:]
    var retryPolicy: RetryPolicy = .upTo(2, backoff: .constant())
    var hook: @Sendable (inout HTTPRequest, Int) -> Void = { _, _ in }

    func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
      hook(&request, context.attempt)
    }
  }

  static let busy = FunctionTransport { _, _ in HTTPResponse(status: 503) }

  func agent(_ transport: FunctionTransport) -> RequestAgent {
    var configuration = AgentConfiguration()
    let made = Locked(0)
    configuration.makeIdempotencyKey = {
      made.withLock { made in
        made += 1
        return "key-\(made)"
      }
    }
    return RequestAgent(baseURL: "http://a.example", transport: transport, configuration: configuration)
  }

  func keys(_ request: Order, header: String = "Idempotency-Key") async -> [String?] {
    let transport = FunctionTransport { _, _ in HTTPResponse(status: 503) }
    await #expect(throws: RequestError.self) { try await agent(transport).send(request) }
    return transport.requests.map { $0.headers[header] }
  }

  @Test("A key is made for a dispatch, kept over its attempts, and makes a POST retriable")
  func kept() async throws {
    #expect(await keys(Order()) == ["key-1", "key-1", "key-1"])
    #expect(await keys(Order(method: .patch)) == ["key-1", "key-1", "key-1"])
    #expect(await keys(Order(idempotencyKey: .none)) == [nil])

    let transport = FunctionTransport { _, number in HTTPResponse(status: number == 1 ? 503 : 200) }
    let agent = agent(transport)
    try await agent.send(Order())
    try await agent.send(Order())
    #expect(transport.requests.map { $0.headers["Idempotency-Key"] } == ["key-1", "key-1", "key-2"])
  }

  @Test("An automatic key applies to methods that are not idempotent, and a given key to any method")
  func methods() async throws {
    #expect(await keys(Order(method: .put)) == [nil, nil, nil])
    #expect(await keys(Order(idempotencyKey: .value("7"), method: .put)) == ["7", "7", "7"])
    #expect(await keys(Order(idempotencyKey: .value("7"))) == ["7", "7", "7"])
  }

  @Test("The request's own header wins, and is kept, although the header is read repeatedly")
  func own() async throws {
    #expect(await keys(Order(headers: ["idempotency-key": "mine"])) == ["mine", "mine", "mine"])

    struct Fickle: Request {
      typealias Response = Void
      let drawn = Locked(0)
      let method = HTTPMethod.post
      let idempotencyKey = IdempotencyKey.automatic
      let retryPolicy = RetryPolicy.upTo(2, backoff: .constant())
      var headers: HTTPHeaders { ["Idempotency-Key": "\(drawn.withLock { $0 += 1; return $0 })"] }
    }
    let transport = FunctionTransport { _, _ in HTTPResponse(status: 503) }
    await #expect(throws: RequestError.self) { try await agent(transport).send(Fickle()) }
    #expect(transport.requests.map { $0.headers["Idempotency-Key"] } == ["1", "1", "1"])
  }

  @Test("A header alone makes nothing retriable, because the header may change")
  func headerAlone() async throws {
    #expect(await keys(Order(idempotencyKey: .none, headers: ["Idempotency-Key": "mine"])) == ["mine"])
  }

  @Test("A hook's change of the key is sent, and without a key the request is not repeated")
  func hooks() async throws {
    #expect(
      await keys(Order { http, attempt in http.headers["Idempotency-Key"] = "hook-\(attempt)" }) == ["hook-1"]
    )
    #expect(await keys(Order { http, _ in http.headers["Idempotency-Key"] = nil }) == [nil])
  }

  @Test("The key is unquoted by default, and has the configured header")
  func forms() async throws {
    #expect(await keys(Order(idempotencyKey: .automatic.quoted)) == Array(repeating: "\"key-1\"", count: 3))
    #expect(await keys(Order(idempotencyKey: .value(#"a"b\c"#).quoted)).first == #""a\"b\\c""#)
    let named = IdempotencyKey.automatic.named("PayPal-Request-Id")
    #expect(await keys(Order(idempotencyKey: named), header: "PayPal-Request-Id").count == 3)
  }

  @Test(
    "An unsendable key is refused before sending",
    arguments: [
      ("", "the idempotency key is empty"),
      ("ü", "the idempotency key contains a character that cannot be quoted"),
    ])
  func refused(_ row: (key: String, reason: String)) async throws {
    let transport = FunctionTransport()
    let error = try await #require(throws: RequestError.self) {
      try await agent(transport).send(Order(idempotencyKey: .value(row.key).quoted))
    }
    #expect(error.reason == row.reason)
    #expect(error.kind == .invalidRequest && error.stage == .build)
    #expect(transport.requests.isEmpty)
  }

  @Test(
    "A key that is invalid in a header is refused, from any source",
    arguments: [
      (
        IdempotencyKey.value("7\r\nX-Admin: 1"),
        "the value of the header Idempotency-Key contains a line break or a NUL"
      ),
      (.automatic, "the value of the header Idempotency-Key contains a line break or a NUL"),
      (.value("7").named("Content-Length"), "the header Content-Length frames the message and cannot be set"),
      (.value("7").named("X Y"), "the header name \"X…\" is not a token"),
    ])
  func unfit(_ row: (key: IdempotencyKey, reason: String)) async throws {
    let transport = FunctionTransport()
    var configuration = AgentConfiguration()
    configuration.makeIdempotencyKey = { "a\nb" }
    let agent = RequestAgent(
      baseURL: "http://a.example", transport: transport, configuration: configuration)
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(Order(idempotencyKey: row.key))
    }
    #expect(error.reason == row.reason)
    #expect(error.kind == .invalidRequest && error.stage == .build)
    #expect(transport.requests.isEmpty)
  }

  @Test("By default the key is a random UUID, different for each dispatch")
  func standard() async throws {
    let transport = FunctionTransport()
    let agent = RequestAgent(baseURL: "http://a.example", transport: transport)
    for _ in 0..<2 { try await agent.send(Order()) }
    let keys = transport.requests.compactMap { $0.headers["Idempotency-Key"] }
    #expect(Set(keys).count == 2)
    #expect(keys.allSatisfy { UUID(uuidString: $0) != nil && $0 == $0.lowercased() })
  }

  @Test("A redirect on the same origin keeps the key if the method stays, and a retry starts with the key")
  func redirects() async throws {
    let transport = FunctionTransport { http, number in
      switch (number, http.url.path) {
      case (_, "/same"): HTTPResponse(status: 307, headers: ["Location": "/next"])
      case (_, "/next"): HTTPResponse(status: 503)
      default: HTTPResponse(status: 303, headers: ["Location": "/get"])
      }
    }
    let agent = agent(transport)
    await #expect(throws: RequestError.self) { try await agent.send(Order().with(\.path, "same")) }
    #expect(transport.requests.map(\.url.path) == ["/same", "/next", "/same", "/next", "/same", "/next"])
    #expect(transport.requests.allSatisfy { $0.headers["Idempotency-Key"] == "key-1" })
  }

  @Test("A redirect to another origin, or with another method, has no key")
  func leaving() async throws {
    let transport = FunctionTransport { http, _ in
      switch http.url.absoluteString {
      case "http://a.example/away": HTTPResponse(status: 307, headers: ["Location": "https://b.example/x"])
      case "http://a.example/see": HTTPResponse(status: 303, headers: ["Location": "/get"])
      default: HTTPResponse(status: 503)
      }
    }
    let agent = agent(transport)
    await #expect(throws: RequestError.self) { try await agent.send(Order().with(\.path, "away")) }
    // The dispatch is not retried, because the other origin got no key and may have processed the request.
    #expect(transport.requests.map { $0.headers["Idempotency-Key"] } == ["key-1", nil])

    await #expect(throws: RequestError.self) { try await agent.send(Order().with(\.path, "see")) }
    #expect(transport.requests.dropFirst(2).map { $0.method } == [.post, .get, .post, .get, .post, .get])
    #expect(
      transport.requests.dropFirst(2).map { $0.headers["Idempotency-Key"] }
        == ["key-2", nil, "key-2", nil, "key-2", nil])
  }

  @Test("A custom request has the key, and explain shows the key as the request's")
  func custom() async throws {
    struct Custom: Request {
      typealias Response = Void
      var idempotencyKey: IdempotencyKey { .automatic }
      var customRequest: HTTPRequest? {
        URL(string: "http://a.example/custom").map { HTTPRequest(url: $0, method: .post) }
      }
    }
    let transport = FunctionTransport()
    let agent = agent(transport)
    try await agent.send(Custom())
    #expect(transport.requests.map { $0.headers["Idempotency-Key"] } == ["key-1"])

    let explanation = try await agent.explain(Order())
    let index = try #require(explanation.request.headers.fields.firstIndex { $0.name == "Idempotency-Key" })
    #expect(explanation.request.headers.fields[index].value == "key-2")
    #expect(explanation.headerSources[index] == .request)
  }
}
