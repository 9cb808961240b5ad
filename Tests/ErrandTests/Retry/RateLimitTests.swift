import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("The rate limit of an agent")
struct RateLimitTests {
  struct Fetch: Request {
    typealias Response = Void
    var path = ""
    var retryPolicy: RetryPolicy = .none
    var deadline: Duration?
  }

  final class Diary: Transport {
    let clock: TestClock
    let answer: @Sendable (Int) -> HTTPResponse
    let capabilities = TransportCapabilities()
    private let lines = Locked([(path: String, at: Duration)]())
    private let held = Locked(OneTime<Void>?.none)

    init(_ clock: TestClock, _ answer: @escaping @Sendable (Int) -> HTTPResponse = { _ in HTTPResponse() }) {
      (self.clock, self.answer) = (clock, answer)
    }

    /// `nil` for immediate responses.
    var gate: OneTime<Void>? {
      get { held.withLock { $0 } }
      set { held.withLock { $0 = newValue } }
    }
    var paths: [String] { lines.withLock { $0.map(\.path) } }
    var times: [Double] { lines.withLock { $0.map { $0.at / .seconds(1) } } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      let gate = gate
      let count = lines.withLock { lines in
        lines.append((request.request.url.lastPathComponent, clock.now.offset))
        return lines.count
      }
      try await gate?.wait()
      return TransportResponse(head: answer(count), body: BodyStream(Data()))
    }
  }

  func agent(_ transport: Diary, _ limit: RateLimit) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(transport.clock)
    configuration.rateLimit = limit
    configuration.retryBudget = .unlimited
    return RequestAgent(baseURL: "http://a.example", transport: transport, configuration: configuration)
  }

  /// One after another, so the dispatches wait in this order.
  func start(_ paths: [String], on agent: RequestAgent, _ base: Fetch = Fetch()) async -> [RequestHandle<
    Void
  >] {
    var handles: [RequestHandle<Void>] = []
    for path in paths {
      var request = base
      request.path = path
      let before = agent.throttledCount
      handles.append(agent.start(request))
      while agent.throttledCount == before { await Task.yield() }
    }
    return handles
  }

  @Test("The burst is sent at once, then one request per step, in order")
  func pace() async throws {
    let diary = Diary(TestClock(autoAdvances: true))
    let agent = agent(diary, RateLimit(4, per: .seconds(2), burst: 3))
    for number in 0..<7 { try await agent.send(Fetch(path: "\(number)")) }
    #expect(diary.times == [0, 0, 0, 0.5, 1, 1.5, 2])
    try await diary.clock.sleep(for: .seconds(60))
    for number in 7..<11 { try await agent.send(Fetch(path: "\(number)")) }
    #expect(diary.times.suffix(4) == [62, 62, 62, 62.5])
    #expect(diary.paths == (0..<11).map(String.init))
  }

  @Test("Dispatches wait in order of arrival, and a cancelled dispatch leaves at once and delays no other")
  func line() async throws {
    let diary = Diary(TestClock())
    let agent = agent(diary, RateLimit(1, per: .seconds(10)))
    try await agent.send(Fetch(path: "0"))
    let handles = await start(["1", "2", "3", "4"], on: agent)
    handles[1].cancel()
    await #expect(throws: RequestError.self) { try await handles[1].value }
    #expect(diary.paths == ["0"])
    for number in [0, 2, 3] {
      await diary.clock.waitForSleepers()
      await diary.clock.advance(by: .seconds(10))
      try await handles[number].value
    }
    #expect(diary.paths == ["0", "1", "3", "4"])
    #expect(diary.times == [0, 10, 20, 30])
  }

  @Test(
    "When all waiting dispatches are cancelled no sleep remains, and the next dispatch waits the right time")
  func allCancelled() async throws {
    let diary = Diary(TestClock())
    let agent = agent(diary, RateLimit(1, per: .seconds(10)))
    try await agent.send(Fetch(path: "0"))
    let handles = await start(["1", "2"], on: agent)
    await diary.clock.waitForSleepers()
    agent.cancelAll()
    for handle in handles { await #expect(throws: RequestError.self) { try await handle.value } }
    while diary.clock.sleeperCount > 0 { await Task.yield() }

    let next = await start(["3"], on: agent)
    await diary.clock.waitForSleepers()
    await diary.clock.advance(by: .seconds(10))
    try await next[0].value
    #expect(diary.paths == ["0", "3"])
  }

  @Test("The wait does not count for the attempt's timeout, and the report shows the wait")
  func attemptTimeout() async throws {
    let diary = Diary(TestClock())
    let agent = agent(diary, RateLimit(1, per: .seconds(60)))
    try await agent.send(Fetch(path: "0"))
    var limits = TransferLimits()
    limits.attemptTimeout = .seconds(5)
    let before = agent.throttledCount
    let handle = agent.start(Fetch(path: "1").with(\.limits, limits))
    while agent.throttledCount == before { await Task.yield() }
    await diary.clock.waitForSleepers()
    await diary.clock.advance(by: .seconds(60))
    try await handle.value
    #expect(handle.report?.attempts.map(\.throttleWait) == [.seconds(60)])
    #expect(diary.times == [0, 60])
  }

  @Test("The wait counts for the deadline, which ends the wait")
  func deadline() async throws {
    let diary = Diary(TestClock())
    let agent = agent(diary, RateLimit(1, per: .seconds(10)))
    try await agent.send(Fetch())
    let late = await start(["1"], on: agent, Fetch(deadline: .seconds(4)))
    await diary.clock.waitForSleepers(2)
    await diary.clock.advance(by: .seconds(4))
    let error = try await #require(throws: RequestError.self) { try await late[0].value }
    #expect(error.kind == .deadlineExceeded && error.stage == .throttle)
    #expect(diary.paths.count == 1)
  }

  @Test("Retries wait for their turn like first attempts")
  func retries() async throws {
    let diary = Diary(TestClock(autoAdvances: true)) { HTTPResponse(status: $0 < 4 ? 503 : 200) }
    let agent = agent(diary, RateLimit(1, per: .seconds(10)))
    try await agent.send(Fetch(retryPolicy: .upTo(3, backoff: .constant(.seconds(4)))))
    #expect(diary.times == [0, 10, 20, 30])
  }

  /// The status and headers of a response, and the time of the next request.
  static let told: [(HTTPResponse.Status, HTTPHeaders, Double)] = [
    (200, ["RateLimit": #""default";r=0;t=30"#], 30),
    (200, ["RateLimit": #""default";r=1;t=30"#], 0),
    (200, ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "5"], 5),
    (200, ["X-RateLimit-Reset": "5"], 0),
    (429, ["RateLimit-Reset": "5"], 5),
    (429, ["Retry-After": "7", "RateLimit": #""default";r=0;t=30"#], 7),
    (503, ["Retry-After": "7"], 7),
    (202, ["Retry-After": "7"], 0),
    (404, ["RateLimit": #""default";r=0;t=99999"#], 600),
    (200, ["RateLimit": "what?"], 0),
  ]

  @Test("A server without remaining quota gets no request before its reset", arguments: told)
  func informed(_ row: (status: HTTPResponse.Status, headers: HTTPHeaders, next: Double)) async throws {
    let diary = Diary(TestClock(autoAdvances: true)) { number in
      number == 1 ? HTTPResponse(status: row.status, headers: row.headers) : HTTPResponse()
    }
    let agent = agent(diary, RateLimit(100, per: .seconds(1)))
    _ = try? await agent.send(Fetch())
    try await agent.send(Fetch())
    #expect(diary.times == [0, row.next])
  }

  @Test("Each origin has its own bucket")
  func origins() async throws {
    let diary = Diary(TestClock(autoAdvances: true))
    let agent = agent(diary, RateLimit(1, per: .seconds(10)))
    for path in ["http://a.example", "https://b.example", "https://a.example", "http://a.example"] {
      try await agent.send(Fetch(path: path))
    }
    #expect(diary.times == [0, 0, 0, 10])
  }

  @Test("No number breaks the rate limit")
  func extremes() {
    for requests in [Int.min, 0, 1, .max] {
      for span in [Duration.zero, .seconds(-5), .seconds(Int64.max)] {
        var limit = RateLimit(requests, per: span, burst: requests)
        limit.serverWaitCap = span
        var bucket = RateBucket(limit)
        for now in [Duration.zero, .seconds(1e9)] {
          bucket.take(at: now)
          bucket.close(for: span, at: now)
          #expect(bucket.wait(at: now) >= .zero)
        }
      }
    }
  }

  @Test("The wait for a turn is between the hooks and the transport")
  func place() async throws {
    let recorder = Recorder()
    let clock = TestClock(autoAdvances: true)
    var configuration = AgentConfiguration()
    configuration.rateLimit = RateLimit(1, per: .seconds(10))
    configuration.clock = AgentClock(clock)
    let transport = FunctionTransport { _, _ in
      recorder.add("transport at \(clock.now.offset)")
      return HTTPResponse()
    }
    struct Marking: RequestHooks {
      let recorder: Recorder
      let clock: TestClock
      func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
        recorder.add("filterRequest at \(clock.now.offset)")
      }
    }
    let agent = RequestAgent(
      baseURL: "http://a.example", transport: transport, hooks: [Marking(recorder: recorder, clock: clock)],
      configuration: configuration)
    for _ in 0..<2 { try await agent.send(Fetch()) }
    #expect(
      recorder.events == [
        "filterRequest at 0.0 seconds", "transport at 0.0 seconds", "filterRequest at 0.0 seconds",
        "transport at 10.0 seconds",
      ])
    let stages = Stage.allCases
    let place = try #require(stages.firstIndex(of: .throttle))
    #expect(stages[place - 1] == .filterRequest)
  }
}

extension RequestAgent {
  /// At all origins.
  var throttledCount: Int { origins.states.waitingCount }
}
