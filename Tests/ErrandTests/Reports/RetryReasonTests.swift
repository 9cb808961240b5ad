import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Reasons for and against retries", .timeLimit(.minutes(5)))
struct RetryReasonTests {
  struct Fetch: Request {
    typealias Response = String
    let path = "stock"
    var method = HTTPMethod.get
    var body = RequestBody.none
    var retryPolicy = RetryPolicy.upTo(1)
    var decision: RetryPolicy.Decision?
    var deadline: Duration?
    var authentication = Authentication.inherited
    var mockPolicy = MockPolicy.never
    var responseSerializer: any ResponseSerializer<String> { .text }

    func retryDecision(
      for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
    ) async -> RetryPolicy.Decision { decision ?? suggested }

    func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse? {
      HTTPResponse(status: 500)
    }
  }

  struct Hook: RequestHooks {
    let decision: RetryPolicy.Decision
    func retryDecision(
      for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
    ) async -> RetryPolicy.Decision { decision }
  }

  /// Renews, fails to renew, or has no credentials.
  struct Credentials: Authenticator {
    var isRenewable = true
    var isEmpty = false

    func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
      if isEmpty { throw Refusal("nobody has signed in") }
      request.headers["Authorization"] = "Bearer one"
    }

    func renew(after failure: RequestError, context: Authentication.Context) async throws -> Bool {
      guard failure.status == 401 else { return false }
      if !isRenewable { throw Refusal("the session has ended") }
      return true
    }
  }

  func decisions(
    _ fetch: Fetch, hooks: [any RequestHooks] = [], status: HTTPResponse.Status = 503,
    headers: HTTPHeaders = [:],
    _ change: (inout AgentConfiguration) -> Void = { _ in }
  ) async throws -> [String] {
    let agent = ReportedExchange.agent(TestClock(autoAdvances: true), change, hooks: hooks) { _ in
      headers.fields.reduce(.status(status)) { $0.header($1.name, $1.value) }
    }
    let error = try await #require(throws: RequestError.self) { try await agent.send(fetch) }
    return try #require(error.report).attempts.map { attempt in
      #expect(attempt.retry == nil || attempt.noRetryReason == nil)
      return attempt.retry.map { "\($0.source) \($0.wait.seconds)" } ?? attempt.noRetryReason ?? "nothing"
    }
  }

  @Test("The policy decides by limit, backoff, time, statuses, kinds, methods and condition")
  func policy() async throws {
    let limit = "the retry policy's limit of 1 is reached"
    #expect(try await decisions(Fetch()) == ["policy 1.000 s", limit])
    #expect(try await decisions(Fetch(retryPolicy: .none)) == ["the retry policy allows no retry"])
    #expect(
      try await decisions(Fetch(retryPolicy: .upTo(1, within: .seconds(1)))) == [
        "the wait before the retry would exceed the retry policy's limit of 1 s"
      ])
    let ladder = RetryPolicy.unlimited(backoff: .exponential(cap: .seconds(3), endsAtCap: true))
    #expect(
      try await decisions(Fetch(retryPolicy: ladder)) == [
        "policy 1.000 s", "policy 2.000 s", "the retry policy's backoff has ended",
      ])
    #expect(try await decisions(Fetch(), status: 404) == ["the retry policy does not cover the status 404"])
    #expect(
      try await decisions(Fetch(method: .post)) == ["POST is not idempotent, and has no idempotency key"])
    #expect(
      try await decisions(Fetch(retryPolicy: .upTo(1).when { _ in false })) == [
        "the retry policy's condition refused"
      ])
    #expect(
      try await decisions(Fetch(retryPolicy: .upTo(1).preparing { _, _ in false })) == [
        "the retry policy's prepare refused"
      ])
  }

  @Test("Other failures have their reasons")
  func kinds() async throws {
    var policy = RetryPolicy.upTo(1)
    policy.retriesConnectionFailures = false
    let lost = ReportedExchange.agent(TestClock(autoAdvances: true)) { _ in
      .failure(TransportError(.connectionLost, "it broke"))
    }
    for (policy, reason) in [
      (policy, "the retry policy does not cover failures of the kind connectionLost"),
      (.upTo(0), "the retry policy allows no retry"),
    ] {
      let error = await #expect(throws: RequestError.self) { try await lost.send(Fetch(retryPolicy: policy)) }
      #expect(error?.report?.attempts.map(\.noRetryReason) == [reason])
    }
    let unbuilt = await #expect(throws: RequestError.self) {
      try await RequestAgent(baseURL: "no base").send(Fetch(retryPolicy: .upTo(1)))
    }
    #expect(unbuilt?.report?.attempts.map(\.noRetryReason) == ["no request was sent"])
  }

  @Test("The server decides by Retry-After and its rate limit")
  func server() async throws {
    let limit = "the retry policy's limit of 1 is reached"
    #expect(try await decisions(Fetch(), headers: ["Retry-After": "7"]) == ["retryAfter 7.000 s", limit])
    #expect(
      try await decisions(Fetch(), status: 429, headers: ["RateLimit": #""a";r=0;t=5"#]) == [
        "rateLimit 5.000 s", limit,
      ])
  }

  @Test("The request and a hook decide")
  func others() async throws {
    #expect(try await decisions(Fetch(decision: .stop)) == ["the request decided against a retry"])
    #expect(
      try await decisions(Fetch(), hooks: [Hook(decision: .stop)]) == [
        "a hook of the agent decided against a retry"
      ])
    let policy = RetryPolicy.none.preparing { error, _ in error.attempts == 1 }
    let again = RetryPolicy.Decision.retry(after: .seconds(2))
    #expect(
      try await decisions(Fetch(retryPolicy: policy, decision: again)) == [
        "request 2.000 s", "the retry policy's prepare refused",
      ])
    #expect(
      try await decisions(Fetch(retryPolicy: policy), hooks: [Hook(decision: again)]) == [
        "hooks 2.000 s", "the retry policy's prepare refused",
      ])
  }

  @Test("The deadline, the body, the budget and the request's mock decide")
  func limits() async throws {
    #expect(
      try await decisions(Fetch(deadline: .milliseconds(500))) == [
        "the wait before the retry would exceed the deadline"
      ])
    let once = RequestBody.stream(AsyncStream<Data> { $0.finish() })
    #expect(
      try await decisions(Fetch(method: .put, body: once)) == ["the body can be produced only once"])
    #expect(
      try await decisions(Fetch()) { $0.retryBudget = RetryBudget(ratio: 0, minimumPerSecond: 0) } == [
        "the retry budget of the origin is spent"
      ])
    #expect(
      try await decisions(Fetch(mockPolicy: .whenFailed { _ in true })) { $0.allowsMocks = true } == [
        "policy 1.000 s", "the retry policy's limit of 1 is reached", "the attempt used the mock fallback",
      ])
  }

  @Test("A forced retry against the policy does not use the budget, and a negative wait counts as zero")
  func forced() async throws {
    let policy = RetryPolicy.upTo(1).preparing { error, _ in error.attempts == 1 }
    let fetch = Fetch(retryPolicy: policy, decision: .retry(after: .seconds(-1)))
    let agent = ReportedExchange.agent(
      TestClock(autoAdvances: true), { $0.retryBudget = RetryBudget(ratio: 0, minimumPerSecond: 0) }
    ) { _ in .status(404) }
    let error = try await #require(throws: RequestError.self) { try await agent.send(fetch) }
    let attempts = try #require(error.report).attempts
    #expect(attempts.map(\.retry) == [.init(wait: .zero, source: .request), nil])
    #expect(attempts.map(\.noRetryReason) == [nil, "the retry policy's prepare refused"])
  }

  @Test("The authenticator decides")
  func authenticator() async throws {
    func decisions(_ credentials: Credentials, _ status: HTTPResponse.Status = 401) async throws -> [String] {
      try await self.decisions(Fetch(authentication: .with(credentials)), status: status)
    }
    #expect(
      try await decisions(Credentials()) == [
        "authenticator 0.000 s", "the retry policy does not cover the status 401",
      ])
    #expect(try await decisions(Credentials(isRenewable: false)) == ["there are no other credentials"])
    #expect(try await decisions(Credentials(isEmpty: true)) == ["there were no credentials to send"])
    #expect(
      try await decisions(Credentials(), 503) == [
        "policy 1.000 s", "the retry policy's limit of 1 is reached",
      ])
  }

  @Test("A stream with a broken body says that its head was delivered")
  func stream() async throws {
    let agent = ReportedExchange.agent(TestClock(autoAdvances: true)) { _ in
      .data(Data(repeating: 1, count: 9)).fault(.reset(after: 4))
    }
    let streamed = try await agent.stream(Fetch())
    let error = await #expect(throws: RequestError.self) { for try await _ in streamed.body {} }
    #expect(
      error?.report?.attempts.map(\.noRetryReason) == ["the caller already has the head of the response"])
  }
}
