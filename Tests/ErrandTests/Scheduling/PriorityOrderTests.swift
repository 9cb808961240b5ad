import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Slots: the next request", .timeLimit(.minutes(5)))
struct PriorityOrderTests {
  let gate = GateTransport()
  let clock = TestClock()

  private func get(_ path: String, _ priority: RequestPriority) -> OverriddenRequest<OneOffRequest<Void>> {
    OneOffRequest.get(path).with(\.priority, priority)
  }

  private func order(_ agent: RequestAgent) async -> [String] {
    gate.open()
    await until { agent.liveCount == 0 }
    return gate.starts.map { String($0.dropFirst("a.example/".count)) }
  }

  @Test("Higher priorities start first, and equal priorities in order of arrival")
  func priorities() async throws {
    let agent = RequestAgent.gated(gate, limit: 1, clock: clock)
    agent.start(.get("first"))
    await gate.waitForStarts(1)
    for (path, value) in [("-5", -5.0), ("5", 5), ("0", 0), ("0b", 0)] {
      await agent.startWaiting(get(path, RequestPriority(value)))
    }
    #expect(await order(agent) == ["first", "5", "0", "0b", "-5"])
    #expect(gate.priorities.map(\.value) == [0, 5, 0, 0, -5])
  }

  @Test("A request of low priority starts before requests that arrive a minute later")
  func ageing() async throws {
    let agent = RequestAgent.gated(gate, limit: 1, clock: clock)
    agent.start(.get("first"))
    await gate.waitForStarts(1)
    await agent.startWaiting(get("low", .low))
    await clock.advance(by: .milliseconds(59_999))
    await agent.startWaiting(get("before", .default))
    await clock.advance(by: .milliseconds(1))
    await agent.startWaiting(get("after", .default))
    await agent.startWaiting(get("high", .high))
    #expect(await order(agent) == ["first", "high", "before", "low", "after"])
  }

  @Test("An exempt request never waits, and later requests wait for its slot")
  func exempt() async throws {
    let agent = RequestAgent.gated(gate, limit: 2, clock: clock)
    agent.start(.get("0"))
    agent.start(.get("1"))
    await gate.waitForStarts(2)
    agent.start(get("exempt", .exempt))
    await gate.waitForStarts(3)
    #expect(agent.runningCount == 3)
    await agent.startWaiting(.get("2"))
    gate.answer("/0")
    await until { agent.liveCount == 3 }
    #expect(agent.runningCount == 2 && agent.waitingCount == 1)
    gate.answer("/1")
    await gate.waitForStarts(4)
    #expect(await order(agent).last == "2")
  }

  @Test("A retry holds no slot during its wait, and then queues behind its priority")
  func retry() async throws {
    let agent = RequestAgent.gated(gate, limit: 1, clock: clock)
    agent.start(get("again", .default).with(\.retryPolicy, .upTo(1, backoff: .constant(.seconds(9)))))
    await gate.waitForStarts(1)
    await agent.startWaiting(get("low", .low))
    await agent.startWaiting(get("default", .default))
    gate.answer("/again", HTTPResponse(status: 503))
    await gate.waitForStarts(2)
    await clock.waitForSleepers()
    #expect(agent.runningCount == 1 && agent.waitingCount == 1)
    await clock.advance(by: .seconds(9))
    await until { agent.waitingCount == 2 }
    await agent.startWaiting(get("late", .default))
    #expect(await order(agent) == ["again", "default", "again", "late", "low"])
  }

  @Test("A request suspended while waiting lets others go first, and waits anew once resumed")
  func suspended() async throws {
    let agent = RequestAgent.gated(gate, limit: 1, clock: clock)
    agent.start(.get("first"))
    await gate.waitForStarts(1)
    let resting = await agent.startWaiting(.get("resting"))
    await agent.startWaiting(.get("second"))
    resting.suspend()
    gate.answer("/first")
    await gate.waitForStarts(2)
    #expect(gate.starts.last == "a.example/second" && resting.state == .suspended)
    await until { agent.waitingCount == 0 }
    await agent.startWaiting(.get("third"))
    resting.resume()
    await until { agent.waitingCount == 2 }
    #expect(await order(agent) == ["first", "second", "third", "resting"])
  }

  @Test("A suspended request that is cancelled, or past its deadline, leaves no slot taken")
  func suspendedEnded() async throws {
    let agent = RequestAgent.gated(gate, limit: 1, clock: clock)
    agent.start(.get("first"))
    await gate.waitForStarts(1)
    let handles = [
      await agent.startWaiting(OneOffRequest.get("1").with(\.deadline, .seconds(5))),
      await agent.startWaiting(OneOffRequest.get("2").with(\.deadline, .seconds(9))),
    ]
    await clock.waitForSleepers(2)
    for handle in handles { handle.suspend() }
    gate.answer("/first")
    await until { agent.runningCount == 0 && agent.waitingCount == 0 }
    handles[0].cancel()
    await clock.advance(by: .seconds(9))
    var kinds: [RequestError.Kind?] = []
    for handle in handles {
      kinds.append(await #expect(throws: RequestError.self) { try await handle.value }?.kind)
    }
    #expect(kinds == [.cancelled, .deadlineExceeded])
    #expect(await order(agent) == ["first"])
    #expect(agent.runningCount == 0)
  }
}
