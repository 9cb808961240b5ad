import Foundation
import Testing

@testable import Errand

@Suite("Retrying a dispatch")
struct RetryTests {
  struct Fetch: Request {
    typealias Response = String
    var retryPolicy: RetryPolicy = .none
    var method: HTTPMethod = .get
    var body: RequestBody = .automatic
    var decide: @Sendable (RequestError, RetryPolicy.Decision) -> RetryPolicy.Decision = { $1 }

    func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {
      if response.body == Data("expired".utf8) { throw Refusal("the token expired", kind: .init("expired")) }
    }
    func retryDecision(
      for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
    ) async -> RetryPolicy.Decision { decide(error, suggested) }
  }

  static func answers(_ statuses: HTTPResponse.Status...) -> FunctionTransport {
    FunctionTransport { _, number in
      HTTPResponse(status: statuses[min(number, statuses.count) - 1], body: Data("body \(number)".utf8))
    }
  }

  func agent(_ transport: FunctionTransport, hooks: [any RequestHooks] = []) -> RequestAgent {
    RequestAgent(baseURL: "http://example.com", transport: transport, hooks: hooks)
  }

  @Test("A negative limit allows no retry, and is explained so", arguments: [-1, Int.min])
  func negativeLimit(_ limit: Int) async throws {
    var policy = RetryPolicy.upTo(2, backoff: .constant())
    policy.limit = limit
    let transport = Self.answers(503)
    let error = try await #require(throws: RequestError.self) {
      try await agent(transport).send(Fetch(retryPolicy: policy))
    }
    #expect(transport.requests.count == 1 && error.attempts == 1)
    #expect(error.report?.attempts.first?.noRetryReason == "the retry policy allows no retry")
    let settings = try await agent(transport).explain(Fetch(retryPolicy: policy)).settings
    #expect(settings.first { $0.name == "retry" }?.value == "none")
  }

  @Test("The last failure is delivered once, with the number of attempts")
  func exhausted() async throws {
    let transport = Self.answers(503)
    let error = try await #require(throws: RequestError.self) {
      try await agent(transport).send(Fetch(retryPolicy: .upTo(2, backoff: .constant())))
    }
    #expect(transport.requests.count == 3)
    #expect(error.attempts == 3)
    #expect(error.response?.body == Data("body 3".utf8))
  }

  @Test("The agent's policy applies unless the request has its own")
  func inherited() async throws {
    var configuration = AgentConfiguration()
    configuration.retryPolicy = .upTo(1, backoff: .constant())
    let transport = Self.answers(503, 200, 503)
    let agent = RequestAgent(
      baseURL: "http://example.com", transport: transport, configuration: configuration)
    #expect(try await agent.send(Fetch(retryPolicy: .inherited)) == "body 2")
    await #expect(throws: RequestError.self) { try await agent.send(Fetch(retryPolicy: .none)) }
    #expect(transport.requests.count == 3)
  }

  @Test("A change of the inherited policy changes the agent's policy for the request")
  func changedInheritance() async throws {
    var configuration = AgentConfiguration()
    configuration.retryPolicy = .upTo(1, backoff: .constant()).alsoRetrying(statuses: 460)
    let transport = Self.answers(423, 200, 460, 200, 423)
    let agent = RequestAgent(
      baseURL: "http://example.com", transport: transport, configuration: configuration)
    let changed = RetryPolicy.inherited.alsoRetrying(statuses: 423)
    #expect(try await agent.send(Fetch(retryPolicy: changed)) == "body 2")
    #expect(try await agent.send(Fetch(retryPolicy: changed)) == "body 4")
    await #expect(throws: RequestError.self) { try await agent.send(Fetch(retryPolicy: .inherited)) }
    #expect(transport.requests.count == 5)
    #expect(RetryPolicy.inherited.isStandard && !changed.isStandard)
  }

  @Test("The report shows each attempt, its failure, and the source of the next decision")
  func report() async throws {
    let transport = FunctionTransport { _, number in
      switch number {
      case 1: HTTPResponse(status: 503, headers: ["Retry-After": "0"])
      case 2: HTTPResponse(status: 500)
      case 3: HTTPResponse(status: 404)
      default: HTTPResponse(body: Data("ok".utf8))
      }
    }
    let request = Fetch(retryPolicy: .upTo(2, backoff: .constant())) { error, suggested in
      error.status == 404 ? .retry : suggested
    }
    let report = try await agent(transport).response(for: request).report
    #expect(report.attempts.map(\.number) == [1, 2, 3, 4])
    #expect(report.attempts.map(\.retry?.source) == [.retryAfter, .policy, .request, nil])
    #expect(report.attempts.map(\.failure?.status?.code) == [503, 500, 404, nil])
    #expect(report.attempts.map(\.bodyLength) == [0, 0, 0, 2])
    #expect(report.response?.status == 200)
    #expect(report.request?.url.absoluteString == "http://example.com")
  }

  @Test("A request may force a retry against its policy, at any stage of the failure")
  func forced() async throws {
    let transport = FunctionTransport { _, number in
      HTTPResponse(body: Data((number == 1 ? "expired" : "fresh").utf8))
    }
    let request = Fetch { error, suggested in error.kind == .init("expired") ? .retry : suggested }
    #expect(try await agent(transport).send(request) == "fresh")
    #expect(transport.requests.count == 2)
  }

  @Test("A request may veto, and the agent's hooks decide last")
  func vetoed() async throws {
    struct Forcing: RequestHooks {
      func retryDecision(
        for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
      ) async -> RetryPolicy.Decision { context.attempt < 3 ? .retry : .stop }
    }
    let vetoing = Fetch(retryPolicy: .upTo(9, backoff: .constant())) { _, _ in .stop }
    let alone = Self.answers(503)
    await #expect(throws: RequestError.self) { try await agent(alone).send(vetoing) }
    #expect(alone.requests.count == 1)

    let hooked = Self.answers(503)
    await #expect(throws: RequestError.self) { try await agent(hooked, hooks: [Forcing()]).send(vetoing) }
    #expect(hooked.requests.count == 3)
  }

  @Test("The step before a retry runs after the decision, and may stop the retry")
  func prepared() async throws {
    let steps = Recorder()
    let policy = RetryPolicy.upTo(5, backoff: .constant()).preparing { error, context in
      steps.add("\(error.status?.code ?? 0) \(context.attempt)")
      return context.attempt < 2
    }
    let transport = Self.answers(503)
    let error = try await #require(throws: RequestError.self) {
      try await agent(transport).send(Fetch(retryPolicy: policy))
    }
    #expect(steps.events == ["503 1", "503 2"])
    #expect(error.attempts == 2)
  }

  @Test("A one-shot body is not sent again, even if a hook requests a retry")
  func notReplayable() async throws {
    func upload(_ body: RequestBody) -> Fetch {
      Fetch(retryPolicy: .upTo(3, backoff: .constant()), method: .put, body: body) { _, _ in .retry }
    }
    let chunks = AsyncStream<Data> { stream in
      stream.yield(Data("once".utf8))
      stream.finish()
    }
    let once = Self.answers(503)
    await #expect(throws: RequestError.self) { try await agent(once).send(upload(.stream(chunks))) }
    #expect(once.requests.count == 1)

    let again = Self.answers(503, 503, 200)
    try await agent(again).send(upload(.stream { AsyncStream<Data> { $0.finish() } }))
    #expect(again.requests.count == 3)
  }

  @Test("No value of an earlier attempt is visible after a later attempt")
  func stale() async throws {
    let transport = FunctionTransport { _, number in
      if number == 2 { throw TransportError(.connectionLost, "the connection was cut") }
      return HTTPResponse(status: 503, body: Data("first".utf8))
    }
    let error = try await #require(throws: RequestError.self) {
      try await agent(transport).send(Fetch(retryPolicy: .upTo(1, backoff: .constant())))
    }
    #expect(error.kind == .connectionLost)
    #expect(error.response == nil)
  }

  @Test("Each attempt is built anew: a counter in a hook increases")
  func rebuilt() async throws {
    struct Counting: RequestHooks {
      func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
        request.headers["X-Attempt"] = "\(context.attempt)"
      }
    }
    let transport = Self.answers(503, 503, 200)
    try await agent(transport, hooks: [Counting()]).send(Fetch(retryPolicy: .upTo(2, backoff: .constant())))
    #expect(transport.requests.map { $0.headers["X-Attempt"] } == ["1", "2", "3"])
  }
}
