import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("The events of an agent", .timeLimit(.minutes(5)))
struct AgentEventsTests {
  private static func agent(
    _ statuses: [HTTPResponse.Status], retries: Int = 3, hooks: [any RequestHooks] = []
  ) -> RequestAgent {
    let clock = TestClock(autoAdvances: true)
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    configuration.retryPolicy = .upTo(retries, backoff: .constant(.seconds(2)))
    let transport = MockTransport(clock: clock) { request in
      .status(request.number <= statuses.count ? statuses[request.number - 1] : 200)
    }
    return RequestAgent(
      baseURL: "https://mocked.example", transport: transport, hooks: hooks, configuration: configuration)
  }

  private static func heard(_ events: Updates<AgentEvent>, until count: Int = 1) async -> [String] {
    var (heard, stopped) = ([String](), 0)
    for await event in events {
      heard.append("\(event)")
      if event.kind == .requestStopped { stopped += 1 }
      if stopped == count { break }
    }
    return heard
  }

  @Test("A dispatch with two retries reports all events from start to end")
  func sequence() async throws {
    let agent = Self.agent([503, 503])
    let events = agent.events
    try await agent.send(.get("a"))
    #expect(
      await Self.heard(events) == [
        "1: started", "activity began", "1: attempt 1 started", "1: attempt 1 stopped", "activity ended",
        "1: wait of 2 s after attempt 1", "1: wait after attempt 1 ended",
        "activity began", "1: attempt 2 started", "1: attempt 2 stopped", "activity ended",
        "1: wait of 2 s after attempt 2", "1: wait after attempt 2 ended",
        "activity began", "1: attempt 3 started", "1: attempt 3 stopped", "activity ended", "1: stopped",
      ])
  }

  @Test(
    "Informational responses except 100 are reported between start and end of their attempt, in order")
  func informational() async throws {
    let answer = MockAnswer.text("hello").informational(100).informational(102)
      .informational(103, headers: ["Link": "</a>; rel=preload"])
    let server = try MockServer()
    server.route(.get, "/a", answers: answer)
    let wire = RequestAgent(baseURL: server.baseURL)
    let mocked = RequestAgent.mocked(by: MockTransport { _ in answer })
    var agents = [mocked]
    #if os(Linux)
    agents.append(wire)
    #endif
    let steps = [
      "1: connecting to 127.0.0.1:\(server.baseURL.port ?? 0) for attempt 1", "1: connected for attempt 1",
    ]
    for agent in agents {
      let events = agent.events
      try await agent.send(.get("a"))
      var heard: [AgentEvent] = []
      for await event in events {
        heard.append(event)
        if event.kind == .requestStopped { break }
      }
      #expect(
        heard.map(\.description) == [
          "1: started", "activity began", "1: attempt 1 started",
        ] + (agent === mocked ? [] : steps) + [
          "1: 102 came in attempt 1", "1: 103 came in attempt 1", "1: attempt 1 stopped", "activity ended",
          "1: stopped",
        ])
      #expect(
        heard[agent === mocked ? 4 : 6].kind == .informationalResponse(103, ["Link": "</a>; rel=preload"]))
    }
  }

  @Test("A late informational response of an earlier attempt is not reported in a later attempt")
  func lateInformational() async throws {
    let listener = EventListener(limit: 10)
    let events = DispatchEvents([listener], clock: AgentClock(TestClock()))
    let http = HTTPRequest(url: try #require(URL(string: "https://h/a")), method: .get)
    let first = RequestContext.test()
    var second = first
    second.attempt = 2
    await events.attemptWillSend(http, context: first)
    events.tell(HTTPResponse(status: 103), in: first)
    await events.attemptWillSend(http, context: second)
    events.tell(HTTPResponse(status: 103), in: first)
    events.tell(HTTPResponse(status: 102), in: second)
    var heard: [String] = []
    for await event in listener.updates(ended: {}) {
      heard.append(event.description)
      if heard.count == 4 { break }
    }
    #expect(
      heard == [
        "activity began", "1: attempt 1 started", "1: 103 came in attempt 1", "1: 102 came in attempt 2",
      ])
  }

  @Test("Four dispatches with seven retries: 11 attempts started, 11 stopped, 7 waits, 4 ends")
  func counts() async throws {
    let agent = Self.agent([503, 503, 503, 503, 503, 503, 503, 503, 503])
    let events = agent.events
    for path in ["a", "b", "c", "d"] { try? await agent.send(.get(path)) }
    var counts: [String: Int] = [:]
    var reports: [Int] = []
    for await event in events {
      let name = "\(event.kind)".prefix { $0 != "(" }
      counts[String(name), default: 0] += 1
      if let report = event.report { reports.append(report.attempts.count) }
      if reports.count == 4 { break }
    }
    #expect(
      counts == [
        "requestStarted": 4, "requestStopped": 4, "attemptStarted": 11, "attemptStopped": 11,
        "retryWaitStarted": 7, "retryWaitStopped": 7, "activityBegan": 11, "activityEnded": 11,
      ])
    #expect(reports == [4, 4, 2, 1])
  }

  @Test("A dispatch that fails before sending has no attempt")
  func unsent() async throws {
    let agent = Self.agent([], hooks: [RefusingHooks()])
    let events = agent.events
    try? await agent.send(.get("a"))
    #expect(await Self.heard(events) == ["1: started", "1: stopped"])
  }

  private struct RefusingHooks: RequestHooks {
    struct Refused: Error {}
    func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws { throw Refused() }
  }

  @Test("A cancelled wait ends before its dispatch ends")
  func cancelledWait() async throws {
    let clock = TestClock()
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    configuration.retryPolicy = .upTo(1, backoff: .constant(.seconds(2)))
    let agent = RequestAgent(
      baseURL: "https://mocked.example", transport: MockTransport(clock: clock) { _ in .status(503) },
      configuration: configuration)
    let events = agent.events
    let handle = agent.start(.get("a"))
    await clock.waitForSleepers()
    handle.cancel()
    #expect(
      await Self.heard(events) == [
        "1: started", "activity began", "1: attempt 1 started", "1: attempt 1 stopped", "activity ended",
        "1: wait of 2 s after attempt 1", "1: wait after attempt 1 ended", "1: stopped",
      ])
  }

  @Test("Three overlapping dispatches are a single activity")
  func overlapping() async throws {
    let transport = GatedTransport()
    let agent = RequestAgent(baseURL: "https://mocked.example", transport: transport)
    let events = agent.events
    let handles = ["a", "b", "c"].map { agent.start(.get($0)) }
    await transport.waitForRequests(3)
    transport.open()
    for handle in handles { try await handle.value }
    let heard = await Self.heard(events, until: 3)
    #expect(heard.filter { $0 == "activity began" }.count == 1)
    #expect(heard.filter { $0 == "activity ended" }.count == 1)
    #expect(heard.count == 3 * 4 + 2)
  }

  @Test("A listener gets all events of dispatches that begin after the listener")
  func late() async throws {
    let transport = GatedTransport()
    let agent = RequestAgent(baseURL: "https://mocked.example", transport: transport)
    let early = agent.events
    let first = agent.start(.get("a"))
    await transport.waitForRequests(1)
    let late = agent.events
    transport.open()
    try await first.value
    try await agent.send(.get("b"))
    let line = ["started", "attempt 1 started", "attempt 1 stopped", "stopped"]
    let second = [
      "2: started", "activity began", "2: attempt 1 started", "2: attempt 1 stopped", "activity ended",
      "2: stopped",
    ]
    #expect(await Self.heard(late) == second)
    #expect(
      await Self.heard(early, until: 2) == [
        "1: \(line[0])", "activity began", "1: \(line[1])", "1: \(line[2])", "activity ended",
        "1: \(line[3])",
      ] + second)
  }

  @Test("A slow listener keeps the newest events, and gets the number of missed events")
  func missed() async throws {
    let agent = Self.agent([])
    let events = agent.events(keeping: 3)
    for path in ["a", "b"] { try await agent.send(.get(path)) }
    var iterator = events.makeAsyncIterator()
    var heard: [String] = []
    for _ in 0..<3 {
      let event = try #require(await iterator.next())
      heard.append("\(event.missed) \(event)")
    }
    #expect(heard == ["9 2: attempt 1 stopped", "0 activity ended", "0 2: stopped"])
  }

  @Test("A waiting reader loses no simultaneous event, for any buffer size")
  func waiting() async {
    let listener = EventListener(limit: 1)
    let reader = Task {
      var heard: [AgentEvent] = []
      while let event = await listener.next() { heard.append(event) }
      return heard
    }
    for kind in [AgentEvent.Kind.attemptStarted, .attemptStopped] {
      while listener.readerCount == 0 { await Task.yield() }
      listener.hear(AgentEvent(kind: kind, id: 1, attempt: 1, tag: 0, time: .distantPast, report: nil))
    }
    while listener.readerCount == 0 { await Task.yield() }
    listener.end()
    let heard = await reader.value
    #expect(heard.map(\.kind) == [.activityBegan, .attemptStarted, .attemptStopped, .activityEnded])
    #expect(heard.allSatisfy { $0.missed == 0 })
  }

  @Test("A cancelled reader ends, and other readers continue")
  func cancelledReader() async throws {
    let agent = Self.agent([])
    let events = agent.events
    let reader = Task {
      for await event in events { return "\(event)" }
      return "ended"
    }
    reader.cancel()
    #expect(await reader.value == "ended")
    try await agent.send(.get("a"))
    #expect(await Self.heard(events).count == 6)
  }

  @Test("The events end with the agent, after the buffered events")
  func end() async throws {
    let events: Updates<AgentEvent>
    do {
      let agent = Self.agent([])
      events = agent.events
      try await agent.send(.get("a"))
    }
    var heard: [String] = []
    for await event in events { heard.append("\(event)") }
    #expect(heard.last == "1: stopped" && heard.count == 6)
    for await event in events { Issue.record("\(event) after the end") }
  }

  @Test("A dropped listener is released, and so is its dispatch")
  func dropped() async throws {
    let agent = Self.agent([])
    do {
      let events = agent.events
      #expect(agent.inFlight.enter().listeners.count == 1)
      _ = events
    }
    #expect(agent.inFlight.enter().listeners.isEmpty)
  }

  @Test("With many readers and many dispatches, every event is read once, in order per dispatch")
  func storm() async throws {
    let agent = Self.agent([])
    let events = agent.events(keeping: 10_000)
    let collected = await withTaskGroup(of: [AgentEvent].self) { group in
      for _ in 0..<4 {
        group.addTask {
          var read: [AgentEvent] = []
          for await event in events {
            read.append(event)
            if event.kind == .activityEnded, event.id == .max { break }
          }
          return read
        }
      }
      await withTaskGroup(of: Void.self) { senders in
        for index in 0..<100 { senders.addTask { try? await agent.send(.get("\(index)")) } }
      }
      group.cancelAll()
      return await group.reduce(into: []) { $0 += $1 }
    }
    var rest: [AgentEvent] = []
    let reader = Task {
      var read: [AgentEvent] = []
      for await event in events {
        read.append(event)
        if event.id == 101, event.kind == .requestStopped { break }
      }
      return read
    }
    try await agent.send(.get("last"))
    rest = await reader.value
    let all = (collected + rest).filter { ![.activityBegan, .activityEnded].contains($0.kind) }
    #expect(all.count == 101 * 4)
    #expect(Set(all.map { "\($0)" }).count == 101 * 4)
    #expect(all.allSatisfy { $0.missed == 0 })
  }

  final class Payload: Sendable {
    let released: @Sendable () -> Void
    init(_ released: @escaping @Sendable () -> Void) { self.released = released }
    deinit { released() }
  }

  struct Loaded: Request {
    typealias Response = Void
    let payload: Payload
  }

  @Test("Lost and read events are released at once, and not under the listener's lock")
  func released() async throws {
    let (listener, releases) = (EventListener(limit: 1), Locked(0))
    func hear() {
      let payload = Payload { [weak listener] in
        releases.withLock { $0 += 1 }
        // Would deadlock if called under the lock.
        listener?.end()
      }
      let agent = Self.agent([])
      let entry = agent.inFlight.enter()
      defer { agent.inFlight.remove(entry) }
      let dispatch = Dispatch(Loaded(payload: payload), agent: agent, entry: entry)
      listener.hear(
        AgentEvent(
          kind: .requestStopped, id: 1, attempt: 1, tag: 0, time: .distantPast,
          report: dispatch.report(Outcome<Void>.success(()), on: DispatchState())))
    }
    for _ in 0..<3 { hear() }
    #expect(releases.withLock { $0 } == 2)
    #expect(await listener.next()?.missed == 2)
    #expect(releases.withLock { $0 } == 3)
  }
}
