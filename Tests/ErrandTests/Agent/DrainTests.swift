import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("The end of an agent", .timeLimit(.minutes(5)))
struct DrainTests {
  let gate = GateTransport()
  let clock = TestClock()

  @Test("A drained agent refuses a dispatch, which still runs its accessories and outcome hooks")
  func refused() async throws {
    let recorder = Recorder()
    let agent = RequestAgent.gated(
      gate, clock: clock, hooks: [RecordingHooks(recorder: recorder)],
      accessories: [RecordingAccessory(recorder: recorder)])
    #expect(await agent.drain(within: .seconds(5)) == 0)
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("x")) }
    #expect(
      error.description == """
        GET x failed: the agent is drained, and sends no new requests.
        Stage build, after 0.000 s.
        Try: Send the request with another agent. A drained agent sends no more requests.
        """)
    #expect(error.kind == .drained && error.report?.attempts.isEmpty == true)
    #expect(
      recorder.events == [
        "accessory.willStart", "agent.preprocess failure drained", "accessory.willStop",
        "agent.filter failure drained", "agent.completed failure drained",
        "accessory.didStop failure drained",
      ])
    #expect(gate.starts.isEmpty && agent.liveCount == 0)
  }

  @Test("A refused serial request, stream and handle fail in the same way, without a turn or a retry")
  func kinds() async throws {
    let agent = RequestAgent.gated(gate, clock: clock)
    await agent.drain(within: .zero)
    let request = OneOffRequest.get("x").with(\.isSerial, true).with(\.retryPolicy, .upTo(3))
    let serial = await #expect(throws: RequestError.self) { try await agent.send(request) }
    let stream = await #expect(throws: RequestError.self) { try await agent.stream(request) }
    let started = await #expect(throws: RequestError.self) { try await agent.start(request).value }
    let group = await #expect(throws: RequestError.self) {
      try await agent.send(ChainRequest { chain in try await chain.send(.get("x")) })
    }
    #expect([serial, stream, started, group].map(\.?.kind) == [.drained, .drained, .drained, .drained])
    #expect(agent.liveCount == 0 && agent.waitingCount == 0)
  }

  @Test("A drain waits for the dispatches in flight and their retries, and cancels none of them")
  func waits() async throws {
    let agent = RequestAgent.gated(gate, limit: 1, clock: clock)
    let request = OneOffRequest.get("a").with(\.retryPolicy, .upTo(1, backoff: .constant(.seconds(2))))
    let first = agent.start(request)
    await gate.waitForStarts(1)
    let second = await agent.startWaiting(.get("b"))
    let drain = Task { await agent.drain(within: .seconds(60)) }
    await clock.waitForSleepers()
    gate.answer("/a", HTTPResponse(status: 503))
    await clock.waitForSleepers(2)
    await gate.waitForStarts(2)
    gate.open()
    await clock.advance(by: .seconds(2))
    #expect(await drain.value == 0)
    #expect(first.outcome?.error == nil && second.outcome?.error == nil && agent.liveCount == 0)
    #expect(gate.starts == ["a.example/a", "a.example/b", "a.example/a"])
  }

  @Test("After the time limit the remaining dispatches are cancelled, and their hooks are awaited")
  func cancels() async throws {
    let recorder = Recorder()
    let agent = RequestAgent.gated(
      gate, limit: 1, clock: clock, accessories: [RecordingAccessory(recorder: recorder)])
    let handles = [agent.start(.get("a")), agent.start(.get("b"))]
    await gate.waitForStarts(1)
    let drain = Task { await agent.drain(within: .seconds(5)) }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(5))
    #expect(await drain.value == 2)
    #expect(agent.liveCount == 0 && recorder.events.filter { $0 == "accessory.didStop cancelled" }.count == 2)
    for handle in handles { await #expect(throws: RequestError.self) { try await handle.value } }
    #expect(gate.starts.count == 1)
  }

  @Test("A cancelled task drains without a wait")
  func cancelledDrain() async throws {
    let agent = RequestAgent.gated(gate, clock: clock)
    let handle = agent.start(.get("a"))
    await gate.waitForStarts(1)
    let drain = Task { await agent.drain(within: .seconds(3600)) }
    await clock.waitForSleepers()
    drain.cancel()
    #expect(await drain.value == 1)
    let error = await #expect(throws: RequestError.self) { try await handle.value }
    #expect(error?.kind == .cancelled)
  }

  @Test("A running group may send its further members, and requests of a hook with a slot are sent")
  func nested() async throws {
    struct Asking: RequestHooks {
      let agent: OneTime<RequestAgent>
      func redirectDecision(
        to request: inout HTTPRequest, from response: HTTPResponse, context: RequestContext
      ) async throws -> RedirectPolicy.Decision {
        try await agent.wait().send(.get("asked"))
        return .follow
      }
    }
    let known = OneTime<RequestAgent>()
    let agent = RequestAgent.gated(gate, clock: clock, hooks: [Asking(agent: known)])
    known.set(agent)
    let chain = Task {
      try await agent.send(
        ChainRequest { chain in
          try await chain.send(.get("a"))
          try await chain.send(.get("b"))
        })
    }
    await gate.waitForStarts(1)
    let drain = Task { await agent.drain(within: .seconds(60)) }
    await clock.waitForSleepers()
    gate.answer("/a", HTTPResponse(status: 302, headers: ["Location": "/c"]))
    await gate.waitForStarts(2)
    gate.open()
    try await chain.value
    #expect(await drain.value == 0)
    #expect(gate.starts == ["a.example/a", "a.example/asked", "a.example/c", "a.example/b"])
  }

  @Test("After the time limit a hook of a cancelled dispatch can start no group")
  func lateGroup() async throws {
    struct Asking: RequestHooks {
      let agent = OneTime<RequestAgent>()
      let hasBegun = OneTime<Void>()
      let mayAsk = OneTime<Void>()
      let error = OneTime<RequestError?>()
      func redirectDecision(
        to request: inout HTTPRequest, from response: HTTPResponse, context: RequestContext
      ) async throws -> RedirectPolicy.Decision {
        hasBegun.set(())
        try await mayAsk.wait()
        let agent = try await agent.wait()
        let refusal = await #expect(throws: RequestError.self) {
          try await agent.send(ChainRequest { chain in try await chain.send(.get("late")) })
        }
        error.set(refusal)
        return .follow
      }
    }
    let asking = Asking()
    let agent = RequestAgent.gated(gate, clock: clock, hooks: [asking])
    asking.agent.set(agent)
    agent.start(.get("a"))
    await gate.waitForStarts(1)
    let drain = Task { await agent.drain(within: .seconds(5)) }
    await clock.waitForSleepers()
    gate.answer("/a", HTTPResponse(status: 302, headers: ["Location": "/c"]))
    try await asking.hasBegun.wait()
    await clock.advance(by: .seconds(5))
    await until { agent.inFlight.signals.contains { $0.isCancelled } }
    gate.open()
    asking.mayAsk.set(())
    #expect(await drain.value == 1)
    let error = try await asking.error.wait()
    #expect(error?.kind == .drained && gate.starts == ["a.example/a"])
  }

  @Test("A drain counts no dispatch that was cancelled before or already has its final outcome")
  func counts() async throws {
    struct Holding: Accessory {
      let recorder = Recorder()
      let end = OneTime<Void>()
      func requestDidStop(_ report: ExchangeReport, context: RequestContext) async {
        recorder.add(report.outcome.word)
        try? await end.wait()
      }
    }
    let holding = Holding()
    let agent = RequestAgent.gated(gate, clock: clock, accessories: [holding])
    agent.start(.get("ended"))
    let cancelled = agent.start(.get("cancelled"))
    agent.start(.get("running"))
    await gate.waitForStarts(3)
    gate.answer("/ended")
    await until { holding.recorder.events == ["success"] }
    cancelled.cancel()
    await until { holding.recorder.events == ["success", "cancelled"] }
    let drain = Task { await agent.drain(within: .seconds(5)) }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(5))
    await until { agent.inFlight.signals.contains { $0.source == .agent } }
    holding.end.set(())
    #expect(await drain.value == 1)
    #expect(holding.recorder.events == ["success", "cancelled", "cancelled"] && agent.liveCount == 0)
  }

  @Test("A wait for all ends with the dispatches of its start, and later dispatches may still run")
  func waitForAll() async throws {
    let agent = RequestAgent.gated(gate, clock: clock)
    try await agent.waitForAll()
    let ends = Recorder()
    let first = agent.start(.get("a"))
    await gate.waitForStarts(1)
    let waiting = Task {
      try await agent.waitForAll()
      ends.add("waited")
    }
    await until { agent.inFlight.waiterCount == 1 }
    agent.start(.get("b"))
    await gate.waitForStarts(2)
    gate.answer("/a")
    try await waiting.value
    try await first.value
    #expect(ends.events == ["waited"] && agent.liveCount == 1)
    gate.open()
    try await agent.waitForAll()
    #expect(agent.liveCount == 0)
  }

  @Test("A cancelled task ends its wait for all with a CancellationError, and cancels no dispatch")
  func cancelledWait() async throws {
    let agent = RequestAgent.gated(gate, clock: clock)
    let handle = agent.start(.get("a"))
    await gate.waitForStarts(1)
    let waiting = Task { try await agent.waitForAll() }
    await until { agent.inFlight.waiterCount == 1 }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(agent.inFlight.waiterCount == 0)
    gate.open()
    try await handle.value
  }
}
