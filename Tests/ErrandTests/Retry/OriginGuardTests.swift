import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("The guard of origins in isolation")
struct OriginGuardTests {
  private let clock = TestClock()

  private func origins(
    breaker: CircuitBreaker? = nil, limit: RateLimit? = nil, retries: RetryPolicy = .none
  ) -> OriginGuard {
    OriginGuard(
      states: OriginStates(
        OriginRules(budget: .standard, breaker: breaker, limit: limit), clock: AgentClock(clock),
        agentRetries: !retries.isOff))
  }

  private func limits(_ cancellation: CancellationSignal = CancellationSignal()) -> TimeLimits {
    TimeLimits(
      clock: AgentClock(clock), started: .zero, deadline: nil, attemptTimeout: nil,
      cancellation: cancellation, suspension: nil)
  }

  private func admission(_ url: String = "http://a.example/x") throws -> Admission {
    Admission(OriginKey(origin: try #require(URL(string: url).flatMap(Origin.init))))
  }

  private func end(
    _ status: HTTPResponse.Status?, wasSent: Bool = true, isShared: Bool = false, headers: HTTPHeaders = [:]
  ) -> OriginGuard.End {
    OriginGuard.End(
      wasSent: wasSent, isShared: isShared, isCancelled: false,
      response: status.map { HTTPResponse(status: $0, headers: headers) }, failure: nil)
  }

  private func admit(_ origins: OriginGuard, _ admission: Admission) async throws -> Duration {
    var clock = AttemptClock(started: .zero)
    if try origins.admit(admission, of: OneOffRequest.get("x"), isFirst: true) {
      try await origins.waitForRate(of: admission, within: limits(), clock: &clock)
    }
    return clock.throttleWait
  }

  @Test("The guard is only needed with certain settings")
  func needed() {
    let plain = OneOffRequest.get("x")
    #expect(!origins().isNeeded(for: plain))
    #expect(origins().isNeeded(for: plain.with(\.retryPolicy, .upTo(1))))
    #expect(origins(retries: .upTo(1)).isNeeded(for: plain))
    #expect(!origins(retries: .upTo(1)).isNeeded(for: plain.with(\.retryPolicy, .none)))
    #expect(origins(breaker: CircuitBreaker()).isNeeded(for: plain))
    #expect(origins(limit: RateLimit(1, per: .seconds(1))).isNeeded(for: plain))
  }

  @Test("A circuit counts an attempt once, and not an attempt carried by another dispatch")
  func settled() throws {
    let origins = origins(breaker: CircuitBreaker(failureRate: 1, minimumRequests: 2))
    let (first, shared, last) = (try admission(), try admission(), try admission())
    for admission in [first, shared, last] { try origins.enterCircuit(admission) }
    origins.settle(first, with: end(503))
    origins.settle(first, with: end(503))
    origins.settle(shared, with: end(503, isShared: true))
    try origins.checkCircuit(try admission())
    origins.settle(last, with: end(503))
    #expect(throws: CircuitBreaker.Open.self) { try origins.checkCircuit(try admission()) }
    // An admitted attempt is no longer refused.
    try origins.checkCircuit(last)
  }

  @Test("The quota of a shared response pauses no origin, and the quota of an own response does")
  func sharedQuota() async throws {
    let origins = origins(limit: RateLimit(10, per: .seconds(1)))
    let headers: HTTPHeaders = ["Retry-After": "60"]
    for isShared in [true, false] {
      let admission = try admission()
      _ = try await admit(origins, admission)
      origins.settle(admission, with: end(429, isShared: isShared, headers: headers))
      #expect(origins.states.serverPause(of: admission.key) == (isShared ? .zero : .seconds(60)))
    }
  }

  @Test("A redirect from the origin counts for the origin, for any result of the next hop")
  func redirected() throws {
    let origins = origins(breaker: CircuitBreaker(failureRate: 1, minimumRequests: 1))
    let admission = try admission()
    try origins.enterCircuit(admission)
    let urls = try ["http://a.example/x", "http://b.example/"].map { try #require(URL(string: $0)) }
    admission.follow(from: urls[0], to: urls[1], isShared: false)
    origins.settle(admission, with: end(503))
    try origins.checkCircuit(try self.admission())
  }

  @Test("An unused token is returned, and a used token is spent")
  func turns() async throws {
    let origins = origins(limit: RateLimit(1, per: .seconds(10)))
    let (unsent, sent) = (try admission(), try admission())
    #expect(try await admit(origins, unsent) == .zero)
    origins.settle(unsent, with: end(nil, wasSent: false))
    #expect(try await admit(origins, sent) == .zero)
    origins.settle(sent, with: end(200))
    let waiting = Task { try await admit(origins, try admission()) }
    await until { origins.states.waitingCount == 1 }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(10))
    #expect(try await waiting.value == .seconds(10))
  }

  @Test("A server that asks for a pause delays a dispatch with a token, and the token is returned")
  func heldUp() async throws {
    let origins = origins(limit: RateLimit(2, per: .seconds(10)))
    let (first, second) = (try admission(), try admission())
    _ = try await admit(origins, first)
    _ = try await admit(origins, second)
    #expect(!origins.returnTokenIfPaused(second))
    origins.settle(first, with: end(503, headers: ["Retry-After": "3"]))
    #expect(
      origins.returnTokenIfPaused(second) && second.tokenTime == nil && !origins.returnTokenIfPaused(second))
    var clock = AttemptClock(started: .zero)
    let signal = CancellationSignal()
    signal.cancel()
    await #expect(throws: CancellationError.self) {
      try await origins.waitForRate(of: second, within: limits(signal), clock: &clock)
    }
    #expect(second.tokenTime == nil && origins.states.waitingCount == 0)
  }
}
