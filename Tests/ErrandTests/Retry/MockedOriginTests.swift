import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Mocked responses and the state of an origin")
struct MockedOriginTests {
  private struct Fetch: Request {
    typealias Response = Void
    var mock: HTTPResponse?
    var failure: TransportError?
    var retryPolicy: RetryPolicy = .none
    let mockPolicy = MockPolicy.always

    func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse? {
      if let failure { throw failure }
      return mock
    }
  }

  private let clock = TestClock(autoAdvances: true)
  private let status = Locked(HTTPResponse.Status(200))

  private func agent(_ change: (inout AgentConfiguration) -> Void) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    configuration.allowsMocks = true
    change(&configuration)
    let transport = FunctionTransport { [status] _, _ in HTTPResponse(status: status.withLock { $0 }) }
    return RequestAgent(
      baseURL: "http://a.example", transport: transport, configuration: configuration)
  }

  private func failures(_ count: Int, _ request: Fetch, of agent: RequestAgent) async throws -> [String] {
    var failures: [String] = []
    for _ in 0..<count {
      let error = try await #require(throws: RequestError.self) { try await agent.send(request) }
      failures.append("\(error.kind) after \(error.attempts)")
    }
    return failures
  }

  @Test("Mocked failures do not open the circuit, and mocked successes do not keep the circuit closed")
  func circuit() async throws {
    let agent = agent { $0.circuitBreaker = CircuitBreaker(minimumRequests: 2) }
    let failing = Fetch(mock: HTTPResponse(status: 503))
    #expect(try await failures(3, failing, of: agent) == Array(repeating: "status after 1", count: 3))
    let lost = Fetch(failure: TransportError(.connectionLost, "cut"))
    #expect(try await failures(3, lost, of: agent) == Array(repeating: "connectionLost after 1", count: 3))
    try await agent.send(Fetch())
    for _ in 0..<20 { try await agent.send(Fetch(mock: HTTPResponse())) }
    status.withLock { $0 = 503 }
    #expect(
      try await failures(2, Fetch(), of: agent) == ["status after 1", "circuitOpen after 1"])
  }

  @Test("Retries of mocked failures take nothing from the retry budget")
  func budget() async throws {
    let agent = agent { $0.retryBudget = RetryBudget(ratio: 0, minimumPerSecond: 0.1) }
    let policy = RetryPolicy.upTo(1, backoff: .constant())
    let failing = Fetch(mock: HTTPResponse(status: 503), retryPolicy: policy)
    #expect(try await failures(3, failing, of: agent) == Array(repeating: "status after 2", count: 3))
    status.withLock { $0 = 503 }
    #expect(
      try await failures(2, Fetch(retryPolicy: policy), of: agent) == ["status after 2", "status after 1"])
  }

  @Test("A mocked response takes no token of the rate limit, and its Retry-After closes no origin")
  func rate() async throws {
    let agent = agent { $0.rateLimit = RateLimit(1, per: .seconds(30)) }
    let busy = Fetch(mock: HTTPResponse(status: 429, headers: ["Retry-After": "60"]))
    #expect(try await failures(2, busy, of: agent) == ["status after 1", "status after 1"])
    try await agent.send(Fetch())
    #expect(clock.sleeps.isEmpty && clock.now.offset == .zero)
  }

  @Test("Mocked first attempts earn no retries, and a mock that declines counts as a first attempt")
  func earnings() async throws {
    let agent = agent { $0.retryBudget = RetryBudget(ratio: 1, minimumPerSecond: 0, window: .seconds(60)) }
    let policy = RetryPolicy.upTo(5, backoff: .constant(.zero))
    for _ in 0..<3 { try await agent.send(Fetch(mock: HTTPResponse(), retryPolicy: policy)) }
    status.withLock { $0 = 503 }
    #expect(try await failures(1, Fetch(retryPolicy: policy), of: agent) == ["status after 2"])
  }
}
