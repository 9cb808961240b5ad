import ErrandMocks
import Foundation
import Testing

@testable import Errand

/// The refresh sends its request to the origin of the waiting requests.
@Suite("A refresh of the same origin", .timeLimit(.minutes(5)))
struct RefreshWaitsTests {
  private func agent(
    _ clock: TestClock, _ transport: any Transport, token: String? = "t0",
    _ change: (inout AgentConfiguration) -> Void = { _ in }
  ) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    configuration.authenticator = BearerAuthenticator(
      token.map { BearerAuthenticator.Credential(accessToken: $0) }
    ) {
      _, context in
      BearerAuthenticator.Credential(accessToken: try await context.send(RenewToken()))
    }
    change(&configuration)
    return RequestAgent(baseURL: "http://a.example", transport: transport, configuration: configuration)
  }

  @Test("A refresh probes a half-open circuit, and its request finds the circuit closed")
  func circuit() async throws {
    let clock = TestClock()
    let transport = FunctionTransport { _, number in
      HTTPResponse(status: number <= 2 ? 503 : 200, body: Data("t".utf8))
    }
    let agent = agent(clock, transport) { $0.circuitBreaker = CircuitBreaker(minimumRequests: 2) }
    for _ in 0..<2 { await #expect(throws: RequestError.self) { try await agent.send(GetUsers()) } }
    await clock.advance(by: .seconds(15))
    agent.forgetCredential()
    #expect(try await agent.send(GetUsers()) == "t")
    #expect(transport.requests.map(\.url.path) == ["/users", "/users", "/token", "/users"])
  }

  @Test("A refresh's request does not wait in the queue of the rate limit")
  func rateLimit() async throws {
    let clock = TestClock()
    let times = Locked([String]())
    let transport = FunctionTransport { request, _ in
      times.withLock { $0.append("\(request.url.path) \(Int(clock.now.offset / .seconds(1)))") }
      let isWell = request.url.path == "/token" || request.headers["Authorization"] == "Bearer t"
      return HTTPResponse(status: isWell ? 200 : 401, body: Data("t".utf8))
    }
    let agent = agent(clock, transport) { $0.rateLimit = RateLimit(1, per: .seconds(10)) }
    let handles = (0..<4).map { _ in agent.start(GetUsers()) }
    await until { times.withLock { $0.count } == 2 && agent.throttledCount == 4 }
    #expect(times.withLock { $0 } == ["/users 0", "/token 0"])
    // The token request used a turn of the rate limit in advance.
    for sent in 2...6 {
      await clock.waitForSleepers()
      await clock.advance(by: .seconds(10))
      await until { times.withLock { $0.count } == sent }
    }
    for handle in handles { #expect(try await handle.value == "t") }
    #expect(
      times.withLock { $0 } == [
        "/users 0", "/token 0", "/users 20", "/users 30", "/users 40", "/users 50",
      ])
  }

  @Test("A server that asked for a pause gets no token request either")
  func quiet() async throws {
    let (clock, begun, mayAsk) = (TestClock(), OneTime<Void>(), OneTime<Void>())
    let times = Locked([String]())
    let transport = FunctionTransport { request, _ in
      times.withLock { $0.append("\(request.url.path) \(Int(clock.now.offset / .seconds(1)))") }
      guard request.url.path != "/busy" else {
        return HTTPResponse(status: 429, headers: ["Retry-After": "30"])
      }
      return HTTPResponse(status: 200, body: Data("t".utf8))
    }
    let agent = agent(clock, transport) { configuration in
      configuration.rateLimit = RateLimit(100, per: .seconds(1))
      configuration.authenticator = BearerAuthenticator(nil) { _, context in
        begun.set(())
        try await mayAsk.wait()
        return BearerAuthenticator.Credential(accessToken: try await context.send(RenewToken()))
      }
    }
    let handle = agent.start(GetUsers())
    try await begun.wait()
    await #expect(throws: RequestError.self) {
      try await agent.send(.get("busy").with(\.authentication, .none))
    }
    mayAsk.set(())
    // The second sleeper is the time limit of the refresh.
    await clock.waitForSleepers(2)
    await clock.advance(by: .seconds(30))
    #expect(try await handle.value == "t")
    #expect(times.withLock { $0 } == ["/busy 0", "/token 30", "/users 30"])
  }

  @Test("A dispatch cancelled during a refresh ends as cancelled, for any deadline")
  func cancelled() async throws {
    let asked = OneTime<Void>()
    let transport = FunctionTransport { request, _ in
      guard request.url.path == "/token" else { return HTTPResponse(status: 401) }
      asked.set(())
      try await Task { try await OneTime<Void>().wait() }.value
      return HTTPResponse()
    }
    let agent = agent(TestClock(), transport)
    let handle = agent.start(GetUsers().with(\.deadline, .seconds(100)))
    try await asked.wait()
    handle.cancel()
    let error = try await #require(throws: RequestError.self) { try await handle.value }
    #expect(error.kind == .cancelled)
    let attempts = try #require(handle.report).attempts
    #expect(attempts.map(\.outcome.word) == ["cancelled"])
    #expect(attempts.map(\.response?.status) == [401] && attempts.map(\.stage) == [.authenticate])
    agent.cancelAll()
  }
}

extension RequestAgent {
  fileprivate func forgetCredential() {
    (configuration.authenticator as? BearerAuthenticator)?.credential = nil
  }
}
