import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Slots: the bound on waiting, the cap over all origins, and keys", .timeLimit(.minutes(5)))
struct WaitingLimitTests {
  let gate = GateTransport()
  let clock = TestClock()

  private func agent(
    limit: Int = 1, cap: Int = 0, waiting: Int? = nil, rate: RateLimit? = nil,
    accessories: [any Accessory] = []
  ) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    (configuration.maxRequestsPerOrigin, configuration.maxRequests) = (limit, cap)
    (configuration.maxWaitingPerOrigin, configuration.rateLimit) = (waiting, rate)
    configuration.destinations.plainHTTP = .allowed
    return RequestAgent(
      baseURL: "http://a.example", transport: gate, accessories: accessories, configuration: configuration)
  }

  private func request(_ path: String, _ priority: RequestPriority = .default) -> OverriddenRequest<
    OneOffRequest<Void>
  > {
    OneOffRequest.get(path).with(\.priority, priority).with(\.retryPolicy, .upTo(3))
  }

  @Test("With a full queue, a request of no higher priority fails at once, and is not retried")
  func full() async throws {
    let recorder = Recorder()
    let agent = agent(waiting: 2, accessories: [RecordingAccessory(recorder: recorder)])
    let first = agent.start(.get("0"))
    await gate.waitForStarts(1)
    let handles = [await agent.startWaiting(.get("1")), await agent.startWaiting(.get("2"))]
    let before = recorder.events.count
    let error = try await #require(throws: RequestError.self) { try await agent.send(request("3")) }
    #expect(
      error.description == """
        GET http://a.example/3 failed: no slot is free, and the queue of the origin is full: maxWaitingPerOrigin is 2.
        Stage hostSlot, attempt 1, after 0.000 s.
        Try: Send the request again later, or raise its priority, maxRequestsPerOrigin, or maxWaitingPerOrigin.
        """)
    #expect(error.kind == .queueFull && agent.waitingCount == 2)
    #expect(
      Array(recorder.events[before...]) == [
        "accessory.willStart", "accessory.attemptWillStart 1", "accessory.attemptDidStop 1",
        "accessory.willStop", "accessory.didStop failure queueFull",
      ])
    // Another origin has a queue of its own.
    let other = agent.start(.get("http://b.example/x"))
    gate.open()
    for handle in handles + [first, other] { try await handle.value }
    #expect(gate.starts.filter { $0.hasPrefix("a") } == (0...2).map { "a.example/\($0)" })
  }

  @Test("A request of higher priority takes the place of the last waiting request")
  func shedding() async throws {
    let agent = agent(waiting: 2)
    agent.start(.get("0"))
    await gate.waitForStarts(1)
    let low = await agent.startWaiting(request("low", .low))
    let plain = await agent.startWaiting(request("plain"))
    let high = agent.start(request("high", .high))
    let error = try await #require(throws: RequestError.self) { try await low.value }
    #expect(
      error.reason
        == "a request of higher priority took the place in the queue of the origin: maxWaitingPerOrigin is 2")
    #expect(error.kind == .queueFull && error.stage == .hostSlot && agent.waitingCount == 2)
    let exempt = agent.start(request("exempt", .exempt))
    await gate.waitForStarts(2)
    gate.open()
    for handle in [plain, high, exempt] { try await handle.value }
    #expect(gate.starts.map { $0.dropFirst(10) } == ["0", "exempt", "high", "plain"])
    #expect(agent.runningCount == 0 && agent.waitingCount == 0)
  }

  @Test("With a bound of 0 a request without a free slot fails at once")
  func none() async throws {
    let agent = agent(waiting: 0)
    agent.start(.get("0"))
    await gate.waitForStarts(1)
    let error = await #expect(throws: RequestError.self) { try await agent.send(.get("1")) }
    #expect(error?.kind == .queueFull)
    gate.open()
    await until { agent.liveCount == 0 }
    try await agent.send(.get("2"))
  }

  @Test("The bound also holds for the queue of the rate limit")
  func rate() async throws {
    let agent = agent(limit: 0, waiting: 1, rate: RateLimit(1, per: .seconds(10)))
    gate.open()
    try await agent.send(.get("0"))
    let waiting = agent.start(.get("1"))
    await clock.waitForSleepers()
    let error = try await #require(throws: RequestError.self) { try await agent.send(request("2")) }
    #expect(error.kind == .queueFull && error.stage == .throttle)
    #expect(
      error.reason
        == "the rate limit is reached, and the queue of the origin is full: maxWaitingPerOrigin is 1")
    await clock.advance(by: .seconds(10))
    try await waiting.value
    #expect(gate.starts == ["a.example/0", "a.example/1"])
  }

  @Test("The cap holds over all origins, and the best waiting request of all origins starts next")
  func cap() async throws {
    let agent = agent(limit: 2, cap: 3)
    #expect(agent.maxRequests == 3)
    for path in ["a.example/0", "a.example/1", "b.example/2"] { agent.start(.get("http://\(path)")) }
    await gate.waitForStarts(3)
    let waiting = [
      await agent.startWaiting(request("http://c.example/3")),
      await agent.startWaiting(request("http://a.example/4", .high)),
      await agent.startWaiting(request("http://b.example/5", .high)),
    ]
    // The origin a has no free slot, so the request to b starts.
    gate.answer("/2", host: "b.example")
    await gate.waitForStarts(4)
    gate.answer("/0")
    await gate.waitForStarts(5)
    #expect(gate.starts.suffix(2) == ["b.example/5", "a.example/4"] && agent.runningCount == 3)
    agent.maxRequests = 4
    await gate.waitForStarts(6)
    #expect(gate.starts.last == "c.example/3" && gate.most == 4)
    gate.open()
    for handle in waiting { try await handle.value }
    await until { agent.liveCount == 0 }
    #expect(agent.runningCount == 0 && agent.waitingCount == 0)
  }

  @Test("A request cancelled while the cap holds it back leaves the queue, and the next request starts")
  func cancelledUnderCap() async throws {
    let agent = agent(limit: 2, cap: 1)
    agent.start(.get("0"))
    await gate.waitForStarts(1)
    let gone = await agent.startWaiting(.get("http://b.example/1"))
    let next = await agent.startWaiting(.get("http://c.example/2"))
    gone.cancel()
    gate.open()
    try await next.value
    await until { agent.liveCount == 0 }
    #expect(gate.starts == ["a.example/0", "c.example/2"] && agent.runningCount == 0)
  }

  @Test("Requests with different keys have separate slots and rate limits at one origin")
  func keys() async throws {
    let agent = agent(limit: 1, rate: RateLimit(1, per: .seconds(10), burst: 2))
    let keys: [String?] = [nil, "x", "y"]
    for key in keys { agent.start(request(key ?? "none").with(\.limitKey, key)) }
    await gate.waitForStarts(3)
    let second = await agent.startWaiting(request("x2").with(\.limitKey, "x"))
    gate.answer("/x")
    try await second.value(after: gate)
    #expect(gate.starts.last == "a.example/x2")
    let third = agent.start(request("x3").with(\.limitKey, "x"))
    await clock.waitForSleepers()
    gate.open()
    await clock.advance(by: .seconds(10))
    try await third.value
    await until { agent.liveCount == 0 }
    #expect(gate.starts.count == 5)
  }
}

extension RequestHandle where Value == Void {
  /// Opens the gate of the request `x2`, and returns its value.
  fileprivate func value(after gate: GateTransport) async throws {
    await gate.waitForStarts(4)
    gate.answer("/x2")
    try await value
  }
}
