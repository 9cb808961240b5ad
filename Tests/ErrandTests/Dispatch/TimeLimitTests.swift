import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Time limits of the agent", .timeLimit(.minutes(5)))
struct TimeLimitTests {
  let clock = TestClock()

  private func agent(_ clock: TestClock, _ answers: MockAnswer..., recorder: Recorder? = nil) -> RequestAgent
  {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    configuration.jitter = { 0 }
    let list = Locked(answers)
    let transport = MockTransport(clock: clock) { _ in
      list.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
    }
    return RequestAgent.mocked(
      by: transport, accessories: recorder.map { [RecordingAccessory(recorder: $0)] } ?? [],
      configuration: configuration)
  }

  private static func attempts(of limit: Duration) -> TransferLimits {
    var limits = TransferLimits()
    limits.attemptTimeout = limit
    return limits
  }

  @Test("A dispatch past its deadline ends at the deadline and fails without a retry")
  func deadline() async throws {
    let recorder = Recorder()
    let agent = agent(clock, .text("late").delayed(by: .seconds(30)), recorder: recorder)
    let request = OneOffRequest.get("slow").with(\.deadline, .seconds(5)).with(\.retryPolicy, .upTo(3))
    let handle = agent.start(request)
    await clock.waitForSleepers(2)
    #expect(clock.pendingDeadlines.map(\.offset) == [.seconds(5), .seconds(30)])
    await clock.advance(by: .milliseconds(4_999))
    #expect(handle.state == .running)
    await clock.advance(by: .milliseconds(1))
    let error = try await #require(throws: RequestError.self) { try await handle.value }
    #expect(error.kind == .deadlineExceeded)
    #expect(error.reason == "the dispatch took longer than its deadline, 5 s")
    #expect(error.stage == .transport)
    #expect(error.isTimeout && !error.isConnectionFailure)
    #expect(error.attempts == 1 && error.elapsed == .seconds(5))
    #expect(agent.liveCount == 0)
    #expect(
      recorder.events == [
        "accessory.willStart", "accessory.attemptWillStart 1", "accessory.attemptWillSend 1",
        "accessory.attemptDidStop 1", "accessory.willStop", "accessory.didStop failure deadlineExceeded",
      ])
  }

  @Test("The error of a passed deadline advises what to do")
  func text() async throws {
    let agent = agent(clock, .text("late"))
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(.get("slow").with(\.deadline, .zero))
    }
    #expect(
      error.description == """
        GET slow failed: the dispatch took longer than its deadline, 0 s.
        Stage build, attempt 1, after 0.000 s.
        Try: Raise deadline, or shorten the attempts and the waits between attempts.
        """)
  }

  @Test("An attempt past its timeout is ended and retried, each with a new timeout")
  func attempt() async throws {
    let clock = TestClock(autoAdvances: true)
    let slow = MockAnswer.text("late").delayed(by: .seconds(30))
    let agent = agent(clock, slow, slow, .text("ok").delayed(by: .seconds(9)))
    let received = try await agent.response(
      for: OneOffRequest.get("slow", as: String.self).with(\.limits, Self.attempts(of: .seconds(10)))
        .with(\.retryPolicy, .upTo(3, backoff: .constant())))
    #expect(received.value == "ok")
    let failures = received.report.attempts.map { $0.failure?.reason }
    let text = "the attempt took longer than limits.attemptTimeout, 10 s"
    #expect(failures == [text, text, nil])
    #expect(received.report.attempts.map { $0.failure?.kind } == [.timedOut, .timedOut, nil])
  }

  @Test("An attempt that waits for its transport is ended at its timeout")
  func attemptInFlight() async throws {
    let agent = agent(clock, .text("late").delayed(by: .seconds(30)))
    let handle = agent.start(.get("slow").with(\.limits, Self.attempts(of: .seconds(2))))
    await clock.waitForSleepers(2)
    await clock.advance(by: .seconds(2))
    let error = try await #require(throws: RequestError.self) { try await handle.value }
    #expect(error.kind == .timedOut)
    #expect(error.reason == "the attempt took longer than limits.attemptTimeout, 2 s")
  }

  @Test("The earlier of deadline and attempt timeout is named")
  func nearer() async throws {
    let agent = agent(TestClock(autoAdvances: true), .text("late").delayed(by: .seconds(30)))
    for (deadline, attempt, kind) in [(5, 6, RequestError.Kind.deadlineExceeded), (6, 5, .timedOut)] {
      let error = try await #require(throws: RequestError.self) {
        try await agent.send(
          .get("slow").with(\.deadline, .seconds(deadline))
            .with(\.limits, Self.attempts(of: .seconds(attempt))))
      }
      #expect(error.kind == kind)
    }
  }

  @Test("A slow body is ended at the deadline, with the received bytes")
  func body() async throws {
    let chunks = [Data("half".utf8), Data("half".utf8)]
    let agent = agent(clock, .chunks(chunks, gap: .seconds(30)))
    let handle = agent.start(.get("slow").with(\.deadline, .seconds(5)))
    await clock.waitForSleepers(2)
    await clock.advance(by: .seconds(5))
    let error = try await #require(throws: RequestError.self) { try await handle.value }
    #expect(error.kind == .deadlineExceeded)
    #expect(error.response?.body == Data("half".utf8))
  }

  @Test("A wait that would end past the deadline is not started, and the failure says so")
  func wait() async throws {
    let clock = TestClock(autoAdvances: true)
    let agent = agent(clock, .status(503))
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(
        .get("busy").with(\.deadline, .seconds(10))
          .with(\.retryPolicy, .upTo(9, backoff: .constant(.seconds(4)))))
    }
    #expect(error.kind == .status && error.attempts == 3 && error.elapsed == .seconds(8))
    #expect(
      error.reason
        == "status 503 Service Unavailable is not in 200..<300; the wait of 4 s before another attempt"
        + " would exceed the deadline of 10 s")
    let advice =
      "Try: The deadline leaves no time for another attempt. Raise the deadline, or send the request again later."
    #expect(error.description.contains(advice))
    #expect(clock.sleeps == [.seconds(4), .seconds(4)])
  }

  @Test("A wait beyond the time limit of the retry policy is not started, and the advice names the limit")
  func policyLimit() async throws {
    let clock = TestClock(autoAdvances: true)
    let agent = agent(clock, .status(503))
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(
        .get("busy").with(
          \.retryPolicy, .upTo(9, backoff: .constant(.seconds(4)), within: .seconds(3))))
    }
    #expect(error.kind == .status && error.attempts == 1 && !error.isOverRetryBudget)
    #expect(
      error.hint
        == "The time limit of the retryPolicy leaves no time for another attempt. Raise the limit, or send the request again later."
    )
    #expect(clock.sleeps == [])
  }

  @Test("A dispatch that ends in time is unaffected by a deadline of any length")
  func inTime() async throws {
    let clock = TestClock(autoAdvances: true)
    let agent = agent(clock, .text("ok").delayed(by: .seconds(1)))
    for deadline in [Duration.seconds(2), .seconds(Int64.max), .seconds(Int64.max) * 4] {
      let request = OneOffRequest.get("x", as: String.self).with(\.deadline, deadline)
        .with(\.limits, Self.attempts(of: deadline))
      #expect(try await agent.send(request) == "ok")
    }
    let real = RequestAgent.mocked(by: MockTransport { _ in .text("ok") })
    #expect(try await real.send(.get("x", as: String.self).with(\.deadline, .seconds(Int64.max))) == "ok")
  }

  @Test("A retry decision with any wait does not crash, and a cancellation ends the wait")
  func hugeWait() async throws {
    let recorder = Recorder()
    let agent = RequestAgent.mocked(
      by: MockTransport { _ in .status(503) }, hooks: [Patient(wait: .seconds(Int64.max) * 4)],
      accessories: [RecordingAccessory(recorder: recorder)])
    let stopped = OneTime<Bool>()
    recorder.on("accessory.attemptDidStop 1") { stopped.set(true) }
    let handle = agent.start(.get("x"))
    _ = try await stopped.wait()
    for _ in 0..<100 { await Task.yield() }
    #expect(handle.state == .running)
    handle.cancel()
    await #expect(throws: RequestError.self) { try await handle.value }
  }

  @Test("A timeout of zero sends nothing", arguments: [Duration.zero, .seconds(-1), .seconds(Int64.min) * 4])
  func noTime(_ deadline: Duration) async throws {
    let transport = MockTransport { _ in .text("ok") }
    let agent = RequestAgent.mocked(by: transport)
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(.get("x").with(\.deadline, deadline))
    }
    #expect(error.kind == .deadlineExceeded)
    #expect(transport.requests.isEmpty)
  }

  @Test("A cancellation before the deadline is a cancellation, and stops the timer")
  func cancelled() async throws {
    let agent = agent(clock, .text("late").delayed(by: .seconds(30)))
    let handle = agent.start(.get("slow").with(\.deadline, .seconds(5)))
    await clock.waitForSleepers(2)
    handle.cancel()
    let error = try await #require(throws: RequestError.self) { try await handle.value }
    #expect(error.kind == .cancelled)
    while clock.sleeperCount > 0 { await Task.yield() }
  }

  @Test("A hook that runs at the deadline is awaited, and nothing is sent afterwards")
  func hook() async throws {
    let clock = TestClock(autoAdvances: true)
    let transport = MockTransport(clock: clock) { _ in .text("ok") }
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    let recorder = Recorder()
    let agent = RequestAgent.mocked(
      by: transport, hooks: [SlowHook(clock: clock, recorder: recorder)], configuration: configuration)
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(.get("x").with(\.deadline, .seconds(5)))
    }
    #expect(error.kind == .deadlineExceeded && error.stage == .filterRequest)
    #expect(recorder.events == ["hook done"])
    #expect(transport.requests.isEmpty)
  }
}

/// Takes seven seconds.
private struct SlowHook: RequestHooks {
  let clock: TestClock
  let recorder: Recorder

  func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
    try await clock.sleep(for: .seconds(7))
    recorder.add("hook done")
  }
}

private struct Patient: RequestHooks {
  let wait: Duration

  func retryDecision(
    for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
  ) async -> RetryPolicy.Decision { .retry(after: wait) }
}
