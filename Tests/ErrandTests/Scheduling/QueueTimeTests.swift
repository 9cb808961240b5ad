import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Slots: waiting times", .timeLimit(.minutes(5)))
struct QueueTimeTests {
  let gate = GateTransport()
  let clock = TestClock()

  private func agent() async -> RequestAgent {
    let agent = RequestAgent.gated(gate, limit: 1, clock: clock)
    agent.start(.get("first"))
    await gate.waitForStarts(1)
    // The wait starts later than the clock, so the two times differ.
    await clock.advance(by: .seconds(100))
    return agent
  }

  @Test("The wait counts for the deadline, which ends the wait, and nothing is sent")
  func deadline() async throws {
    let agent = await agent()
    let request = OneOffRequest.get("late").with(\.deadline, .seconds(5)).with(\.retryPolicy, .upTo(3))
    let handle = await agent.startWaiting(request)
    await clock.waitForSleepers()
    await clock.advance(by: .milliseconds(4_999))
    #expect(handle.state == .running && agent.waitingCount == 1)
    await clock.advance(by: .milliseconds(1))
    let error = try await #require(throws: RequestError.self) { try await handle.value }
    #expect(agent.waitingCount == 0 && agent.runningCount == 1)
    #expect(error.kind == .deadlineExceeded && error.stage == .hostSlot)
    #expect(
      error.description == """
        GET http://a.example/late failed: the dispatch took longer than its deadline, 5 s.
        Stage hostSlot, attempt 1, after 5.000 s.
        Try: The request waited for other requests to the same host. Raise maxRequestsPerOrigin, the priority of the request, or deadline.
        """)
    gate.open()
    await until { agent.liveCount == 0 }
    #expect(gate.starts == ["a.example/first"])
  }

  @Test("A slot that arrives at the deadline is returned")
  func atOnce() async throws {
    let agent = await agent()
    let handle = await agent.startWaiting(OneOffRequest.get("late").with(\.deadline, .seconds(5)))
    gate.open()
    await clock.advance(by: .seconds(5))
    _ = try? await handle.value
    await until { agent.liveCount == 0 }
    #expect(agent.runningCount == 0 && agent.waitingCount == 0)
  }

  @Test("The wait does not count for the attempt's timeout, and the report shows the wait")
  func attemptTimeout() async throws {
    let agent = await agent()
    var limits = TransferLimits()
    limits.attemptTimeout = .seconds(5)
    let request = OneOffRequest.get("x").with(\.limits, limits)
    async let received = agent.response(for: request)
    await until { agent.waitingCount == 1 }
    await clock.advance(by: .seconds(60))
    gate.answer("/first")
    await gate.waitForStarts(2)
    await clock.advance(by: .milliseconds(4_999))
    gate.answer("/x")
    let report = try await received.report
    #expect(report.attempts.map(\.slotWait) == [.seconds(60)])
    #expect(report.attempts.map(\.elapsed) == [.milliseconds(64_999)])
  }

  @Test("After the wait the attempt has its whole timeout, and the deadline has continued")
  func afterwards() async throws {
    let agent = await agent()
    var limits = TransferLimits()
    limits.attemptTimeout = .seconds(5)
    for (path, deadline, kind) in [
      ("a", Duration.seconds(100), RequestError.Kind.timedOut), ("b", .seconds(62), .deadlineExceeded),
    ] {
      let request = OneOffRequest.get(path).with(\.limits, limits).with(\.deadline, deadline)
      let handle = await agent.startWaiting(request)
      await clock.waitForSleepers()
      await clock.advance(by: .seconds(60))
      let started = gate.starts.count
      gate.answer(path == "a" ? "/first" : "/again")
      await gate.waitForStarts(started + 1)
      await clock.waitForSleepers()
      await clock.advance(by: .seconds(5))
      let error = try await #require(throws: RequestError.self) { try await handle.value }
      #expect(error.kind == kind)
      guard path == "a" else { continue }
      agent.start(.get("again"))
      await gate.waitForStarts(started + 2)
    }
    await until { agent.runningCount == 0 }
  }
}
