import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("The waits between attempts")
struct RetryWaitTests {
  struct Fetch: Request {
    typealias Response = Void
    var retryPolicy: RetryPolicy
    var decision: RetryPolicy.Decision?

    func retryDecision(
      for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
    ) async -> RetryPolicy.Decision { decision ?? suggested }
  }

  let clock = TestClock(autoAdvances: true)

  func agent(jitter: Double = 0, _ answers: HTTPResponse...) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    configuration.jitter = { jitter }
    let transport = FunctionTransport { _, number in answers[min(number, answers.count) - 1] }
    return RequestAgent(baseURL: "http://example.com", transport: transport, configuration: configuration)
  }

  static let busy = HTTPResponse(status: 503)

  @Test("Backoff starts within its range, with a jitter drawn once, and doubles up to its cap")
  func ladder() async throws {
    let error = try await #require(throws: RequestError.self) {
      try await agent(jitter: 0.5, Self.busy).send(Fetch(retryPolicy: .upTo(7)))
    }
    #expect(clock.sleeps == [1.5, 3, 6, 12, 24, 48, 60].map { .seconds($0) })
    #expect(error.attempts == 8)
    #expect(error.elapsed == .seconds(154.5))
  }

  @Test("Five minutes of retries take no real time, and stop before their limit")
  func fiveMinutes() async throws {
    let policy = RetryPolicy.unlimited(backoff: .exponential(), within: .seconds(300))
    let error = try await #require(throws: RequestError.self) {
      try await agent(Self.busy).send(Fetch(retryPolicy: policy))
    }
    #expect(clock.sleeps == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
    #expect(error.elapsed == .seconds(243))
  }

  @Test("Retry-After replaces a wait exactly, and the backoff continues afterwards")
  func retryAfter() async throws {
    let report = try await agent(
      jitter: 0.25, Self.busy, HTTPResponse(status: 429, headers: ["Retry-After": "7"]), Self.busy,
      HTTPResponse()
    ).response(for: Fetch(retryPolicy: .upTo(3))).report
    #expect(clock.sleeps == [1.25, 7, 5].map { .seconds($0) })
    #expect(report.attempts.map(\.retry?.source) == [.policy, .retryAfter, .policy, nil])
  }

  @Test("A wait beyond the clock's range is clamped, and a negative wait counts as zero")
  func extreme() async throws {
    func wait(_ wait: Duration) async throws {
      try await agent(Self.busy, HTTPResponse()).send(
        Fetch(retryPolicy: .none, decision: .retry(after: wait)))
    }
    try await wait(.seconds(Int64.max))
    try await wait(.seconds(Int64.min))
    #expect(clock.sleeps == [.seconds(1_000_000_000)])
  }

  @Test("The step before a retry runs last, when nothing can stop the retry any more")
  func preparing() async throws {
    let steps = Recorder()
    let policy = RetryPolicy.upTo(1, backoff: .constant()).preparing { _, _ in
      steps.add("prepared")
      return true
    }
    await #expect(throws: RequestError.self) {
      try await agent(Self.busy).send(Fetch(retryPolicy: policy, decision: .stop))
    }
    await #expect(throws: RequestError.self) {
      let once = AsyncStream<Data> { $0.finish() }
      try await agent(Self.busy).send(
        Fetch(retryPolicy: policy.when { _ in true }).with(\.method, .put).with(\.body, .stream(once)))
    }
    #expect(steps.events == [])
    try await agent(Self.busy, HTTPResponse()).send(
      Fetch(retryPolicy: policy, decision: .retry(after: .seconds(1))))
    #expect(steps.events == ["prepared"])
  }

  @Test("The duration of an attempt excludes the decision on the next attempt")
  func elapsed() async throws {
    let policy = RetryPolicy.upTo(1, backoff: .constant()).preparing { [clock] _, _ in
      try? await clock.sleep(for: .seconds(5))
      return true
    }
    let report = try await agent(Self.busy, HTTPResponse()).response(for: Fetch(retryPolicy: policy)).report
    #expect(report.attempts.map(\.elapsed) == [.zero, .zero])
    #expect(report.elapsed == .seconds(5))
  }
}
