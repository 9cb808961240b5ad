import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("The retry budget")
struct RetryBudgetTests {
  struct Fetch: Request {
    typealias Response = Void
    var retryPolicy: RetryPolicy = .upTo(3, backoff: .constant())
    var decision: RetryPolicy.Decision?

    func retryDecision(
      for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
    ) async -> RetryPolicy.Decision { suggested == .stop ? .stop : decision ?? suggested }
  }

  let clock = TestClock()
  let transport = FunctionTransport { _, _ in HTTPResponse(status: 503) }

  func agent(_ change: (inout AgentConfiguration) -> Void = { _ in }) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    change(&configuration)
    return RequestAgent(baseURL: "http://a.example", transport: transport, configuration: configuration)
  }

  func attempts<R: Request>(_ count: Int, _ request: R, of agent: RequestAgent) async -> [Int] {
    var attempts: [Int] = []
    for _ in 0..<count {
      let error = await #expect(throws: RequestError.self) { try await agent.send(request) }
      attempts.append(error?.attempts ?? 0)
    }
    return attempts
  }

  @Test("A refund belongs to the current window")
  func sliding() {
    var counts = SlidingCounts(window: .seconds(10))
    counts.countSecond(at: .seconds(5))
    counts.countSecond(at: .seconds(13))
    #expect(counts.sums(at: .seconds(13)) == (0, 2))
    counts.takeBackSecond(at: .seconds(16))
    #expect(counts.sums(at: .seconds(16)) == (0, 0))
    counts.takeBackSecond(at: .seconds(16))
    #expect(counts.sums(at: .seconds(16)) == (0, 0))
  }

  @Test("A refund removes the newest count, so the older count ends with its window")
  func newest() {
    var counts = SlidingCounts(window: .seconds(10))
    counts.countSecond(at: .seconds(9))
    counts.countSecond(at: .seconds(10))
    counts.takeBackSecond(at: .seconds(10))
    #expect(counts.sums(at: .seconds(18)) == (0, 1))
    #expect(counts.sums(at: .seconds(19)) == (0, 0))
  }

  @Test("By default a window has 20 % of the first attempts and 100 besides")
  func standard() {
    #expect([0, 5, 1000].map { RetryBudget.standard.allowance(first: $0) } == [100, 101, 300])
    #expect(RetryBudget.standard.window == .seconds(10))
    #expect(AgentConfiguration().retryBudget == .standard)
  }

  @Test("A window's budget can be used up, and returns after the window")
  func window() {
    var window = BudgetWindow(RetryBudget(minimumPerSecond: 3))
    var granted = 0
    for _ in 0..<100 { window.countRequest(at: .zero) }
    while granted < 1000, window.withdraw(at: .zero) == nil { granted += 1 }
    #expect(granted == 50)
    #expect(window.withdraw(at: .seconds(9.9)).map { [$0.requests, $0.retries] } == [100, 50])
    // All entries expire after ten seconds.
    for _ in 0..<30 { #expect(window.withdraw(at: .seconds(10)) == nil) }
    #expect(window.withdraw(at: .seconds(10)) != nil)
    window.refund(at: .seconds(10))
    #expect(window.withdraw(at: .seconds(10)) == nil)
  }

  @Test(
    "Zero and negative numbers allow nothing, and the largest numbers allow everything, for any window",
    arguments: [-1, 0, .nan, .infinity, -.infinity, 1e300])
  func extremes(_ number: Double) {
    for span in [Duration.zero, .seconds(-5), .seconds(Int64.max)] {
      var window = BudgetWindow(RetryBudget(ratio: number, minimumPerSecond: number, window: span))
      let isAllowed = [Duration.zero, .seconds(1), .seconds(Int64.max), .seconds(-1)].map { now in
        window.countRequest(at: now)
        defer { window.refund(at: now) }
        return window.withdraw(at: now) == nil
      }
      let expected = Array(repeating: number > 0, count: 4)
      #expect(isAllowed == expected, "\(span)")
    }
  }

  @Test("A single request gets its retries, a crowd of failures does not, and the last failure says so")
  func denied() async throws {
    let agent = agent { $0.retryBudget = RetryBudget(minimumPerSecond: 3) }
    // 10 dispatches use up 30 retries, and each dispatch adds a fifth of a retry.
    #expect(await attempts(10, Fetch(), of: agent) == Array(repeating: 4, count: 10))
    #expect(await attempts(2, Fetch(), of: agent) == [3, 1])
    let error = try await #require(throws: RequestError.self) { try await agent.send(Fetch()) }
    #expect(error.isOverRetryBudget)
    #expect(
      error.hint
        == "Too many requests to this server fail, so Errand stops retrying. Send the request again later.")
    #expect(
      error.reason
        == "status 503 Service Unavailable is not in 200..<300; the request was not retried, because the retry budget "
        + "of http://a.example is spent: 32 retries for 13 requests within 10 s")
  }

  @Test("The report shows the denied retry")
  func reported() async throws {
    struct Watcher: Accessory {
      let recorder: Recorder
      func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async {
        recorder.add(
          "\(attempt.number) \(attempt.retry != nil) \(attempt.failure?.isOverRetryBudget == true)")
      }
    }
    let recorder = Recorder()
    let agent = agent { $0.retryBudget = RetryBudget(ratio: 0, minimumPerSecond: 0.1) }
    await #expect(throws: RequestError.self) {
      try await agent.send(Fetch().with(\.accessories, [Watcher(recorder: recorder)]))
    }
    #expect(recorder.events == ["1 true false", "2 false true"])
  }

  @Test("A retry whose wait is cancelled is not made, and is refunded")
  func cancelled() async throws {
    let agent = agent { $0.retryBudget = RetryBudget(ratio: 0, minimumPerSecond: 0.1) }
    let handle = agent.start(Fetch(retryPolicy: .upTo(3, backoff: .constant(.seconds(5)))))
    await clock.waitForSleepers()
    handle.cancel()
    await #expect(throws: RequestError.self) { try await handle.value }
    #expect(await attempts(1, Fetch(), of: agent) == [2])
  }

  @Test("The budget refills over time")
  func refilled() async throws {
    let agent = agent { $0.retryBudget = RetryBudget(ratio: 0, minimumPerSecond: 0.3) }
    #expect(await attempts(2, Fetch(), of: agent) == [4, 1])
    await clock.advance(by: .seconds(9))
    #expect(await attempts(1, Fetch(), of: agent) == [1])
    await clock.advance(by: .seconds(1))
    #expect(await attempts(2, Fetch(), of: agent) == [4, 1])
  }

  @Test("Each origin of the built URL has its own budget")
  func origins() async throws {
    let agent = agent { $0.retryBudget = RetryBudget(ratio: 0, minimumPerSecond: 0.3) }
    #expect(await attempts(2, Fetch(), of: agent) == [4, 1])
    #expect(await attempts(1, Fetch().with(\.path, "http://A.example:80/other"), of: agent) == [1])
    #expect(await attempts(1, Fetch().with(\.path, "https://a.example/"), of: agent) == [4])
    #expect(await attempts(1, Fetch().with(\.path, "https://a.example:8080/"), of: agent) == [4])
  }

  @Test("Successes earn retries")
  func earned() async throws {
    let failing = Locked(false)
    let transport = FunctionTransport { _, _ in HTTPResponse(status: failing.withLock { $0 } ? 503 : 200) }
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    configuration.retryBudget = RetryBudget(minimumPerSecond: 0)
    let agent = RequestAgent(
      baseURL: "http://a.example", transport: transport, configuration: configuration)
    for _ in 0..<14 { try await agent.send(Fetch()) }
    failing.withLock { $0 = true }
    #expect(await attempts(2, Fetch(), of: agent) == [4, 1])
  }

  @Test("A disabled budget limits nothing")
  func unlimited() async throws {
    let agent = agent { $0.retryBudget = .unlimited }
    #expect(await attempts(50, Fetch(), of: agent) == Array(repeating: 4, count: 50))
    #expect(agent.origins.states.count == 0)
  }

  @Test("A hook's forced retry is not limited, and without a policy nothing is counted")
  func forced() async throws {
    struct Insisting: RequestHooks {
      func retryDecision(
        for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
      ) async -> RetryPolicy.Decision { context.attempt < 5 ? .retry : .stop }
    }
    let agent = RequestAgent(baseURL: "http://a.example", transport: transport, hooks: [Insisting()])
    #expect(await attempts(20, Fetch(retryPolicy: .none), of: agent) == Array(repeating: 5, count: 20))
    #expect(agent.origins.states.count == 0)
  }

  @Test("A hook that only changes the wait stays within the budget")
  func changedWait() async throws {
    let agent = agent { $0.retryBudget = RetryBudget(ratio: 0, minimumPerSecond: 0.3) }
    #expect(await attempts(2, Fetch(decision: .retry), of: agent) == [4, 1])
  }

  @Test("A retry that is finally not made is refunded")
  func refunded() async throws {
    let agent = agent { $0.retryBudget = RetryBudget(ratio: 0, minimumPerSecond: 0.3) }
    let stopped = Fetch(retryPolicy: .upTo(3, backoff: .constant()).preparing { _, _ in false })
    #expect(await attempts(9, stopped, of: agent) == Array(repeating: 1, count: 9))
    #expect(await attempts(2, Fetch(), of: agent) == [4, 1])
  }

  @Test("Only dispatches with a policy earn retries, even if a hook is called after every failure")
  func uncounted() async throws {
    let agent = agent {
      $0.retryBudget = RetryBudget(ratio: 1, minimumPerSecond: 0)
      $0.rateLimit = RateLimit(1_000_000, per: .seconds(1))
    }
    #expect(await attempts(9, Fetch(retryPolicy: .none), of: agent) == Array(repeating: 1, count: 9))
    #expect(await attempts(1, Fetch(), of: agent) == [2])
  }

  @Test("Each operation with its own transport has its own budget, so parallel tests do not share a budget")
  func overridden() async throws {
    let agent = agent { $0.retryBudget = RetryBudget(ratio: 0, minimumPerSecond: 0.3) }
    #expect(await attempts(2, Fetch(), of: agent) == [4, 1])
    for _ in 0..<2 {
      await RequestAgent.withTransport(FunctionTransport { _, _ in HTTPResponse(status: 503) }) {
        #expect(await attempts(2, Fetch(), of: agent) == [4, 1])
      }
    }
  }

  @Test("Streams have the same budget")
  func streams() async throws {
    let agent = agent { $0.retryBudget = RetryBudget(ratio: 0, minimumPerSecond: 0.3) }
    let request = OneOffRequest.get("x").with(\.retryPolicy, .upTo(3, backoff: .constant()))
    let first = await #expect(throws: RequestError.self) { _ = try await agent.stream(request) }
    let second = await #expect(throws: RequestError.self) { _ = try await agent.stream(request) }
    #expect([first?.attempts, second?.attempts] == [4, 1])
  }
}
