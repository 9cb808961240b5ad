import ErrandMocks
import Foundation
import Testing

@testable import Errand

/// The retry behaviour of a fetcher in Google's toolbox, as numbers of attempts.
@Suite("Retries with exponential backoff")
struct RetryLadderTests {
  struct Fetch: Request {
    typealias Response = String
    var method: HTTPMethod = .get
    var retryPolicy = RetryLadderTests.policy
    var decide: @Sendable (RequestError, RetryPolicy.Decision, Int) -> RetryPolicy.Decision = {
      _, suggested, _ in suggested
    }
    var paths: [String] = ["status"]

    func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
      request.url.append(path: paths[min(context.attempt, paths.count) - 1])
    }
    func retryDecision(
      for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
    ) async -> RetryPolicy.Decision { decide(error, suggested, context.attempt) }
  }

  /// The waits start at 0.1 s and double.
  ///
  /// A wait at the cap of 0.5 s ends the retries.
  static let policy: RetryPolicy = {
    var policy = RetryPolicy.unlimited(
      backoff: .exponential(
        first: .milliseconds(100)...(.milliseconds(100)), cap: .milliseconds(500), endsAtCap: true))
    policy.statuses = [408, 502, 503, 504]
    policy.retriesUnsafeMethods = true
    return policy
  }()

  static let steps = [100, 200, 400].map { Duration.milliseconds($0) }

  let clock = TestClock(autoAdvances: true)

  func agent(
    _ accessories: [any Accessory] = [], jitter: @escaping @Sendable () -> Double = { 0.5 },
    _ answer: @escaping @Sendable (HTTPRequest, Int) throws -> HTTPResponse
  ) -> (RequestAgent, FunctionTransport) {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    configuration.jitter = jitter
    let transport = FunctionTransport { try answer($0, $1) }
    let agent = RequestAgent(
      baseURL: "http://a.example", transport: transport, accessories: accessories,
      configuration: configuration)
    return (agent, transport)
  }

  @Test("The listed failures are retried, for every method", arguments: [HTTPMethod.get, .post])
  func retriable(_ method: HTTPMethod) async {
    var hits: [Int: Int] = [:]
    for status in [400, 401, 404, 408, 429, 500, 501, 502, 503, 504] {
      let (agent, transport) = agent { _, _ in HTTPResponse(status: HTTPResponse.Status(status)) }
      _ = try? await agent.send(Fetch(method: method))
      hits[status] = transport.requests.count
    }
    #expect(hits.filter { $0.value == 4 }.keys.sorted() == [408, 502, 503, 504])
    #expect(hits.values.allSatisfy { $0 == 1 || $0 == 4 })

    for kind in [RequestError.Kind.connectionLost, .timedOut] {
      let (agent, transport) = agent { _, _ in throw TransportError(kind, "lost") }
      _ = try? await agent.send(Fetch(method: method))
      #expect(transport.requests.count == 4)
    }
  }

  @Test("There are three retries, and a single failure is delivered after the last")
  func steps() async throws {
    let (agent, transport) = agent { _, _ in HTTPResponse(status: 503) }
    let error = try await #require(throws: RequestError.self) { try await agent.send(Fetch()) }
    #expect(clock.sleeps == Self.steps)
    #expect(transport.requests.count == 4 && error.attempts == 4)
  }

  @Test("Without a policy there is no retry")
  func off() async {
    let (agent, transport) = agent { _, _ in HTTPResponse(status: 503) }
    await #expect(throws: RequestError.self) { try await agent.send(Fetch(retryPolicy: .none)) }
    #expect(transport.requests.count == 1 && clock.sleeps.isEmpty)
  }

  @Test("A request forces a retry, vetoes a retry, and sends the next attempt elsewhere")
  func decisions() async throws {
    let (forced, hits) = agent { _, _ in HTTPResponse(status: 500) }
    await #expect(throws: RequestError.self) {
      try await forced.send(Fetch { _, _, attempt in attempt < 4 ? .retry : .stop })
    }
    #expect(hits.requests.count == 4)

    let (vetoed, once) = agent { _, _ in HTTPResponse(status: 503) }
    await #expect(throws: RequestError.self) { try await vetoed.send(Fetch { _, _, _ in .stop }) }
    #expect(once.requests.count == 1)

    let (moved, both) = agent { http, _ in HTTPResponse(status: http.url.path == "/good" ? 200 : 503) }
    try await moved.send(Fetch(paths: ["bad", "good"]))
    #expect(both.requests.map(\.url.path) == ["/bad", "/good"])
  }

  static let waits: [(HTTPResponse.Status, String, Double)] = [
    (503, "1", 1), (429, "1", 1), (503, "Sun, 09 Sep 2001 01:46:45 GMT", 5), (503, "9999", 600),
    (503, "later", 0.1),
  ]

  @Test(
    "Retry-After replaces a wait, in both forms, up to the cap, and never endlessly",
    arguments: waits)
  func retryAfter(_ row: (status: HTTPResponse.Status, text: String, wait: Double)) async {
    let (agent, transport) = agent { _, _ in
      HTTPResponse(
        status: row.status,
        headers: ["Retry-After": row.text, "Date": "Sun, 09 Sep 2001 01:46:40 GMT"])
    }
    await #expect(throws: RequestError.self) {
      try await agent.send(Fetch(retryPolicy: .upTo(2, backoff: .constant(.milliseconds(100)))))
    }
    #expect(clock.sleeps.first == .seconds(row.wait))
    #expect(transport.requests.count == 3)
  }

  @Test("503, 503, 200: a single completion with the value, after two retries")
  func completion() async throws {
    let (agent, _) = agent { _, number in
      HTTPResponse(status: number < 3 ? 503 : 200, body: Data("done".utf8))
    }
    let outcomes = Recorder()
    let handle = agent.start(Fetch(), on: .global()) { outcomes.add("\($0.word) \($0.value ?? "")") }
    #expect(try await handle.value == "done")
    #expect(outcomes.events == ["success done"])
    #expect(clock.sleeps == Self.steps.dropLast())
  }

  @Test("Four fetches: 11 attempts start, 11 end, 7 waits lie strictly between, 4 outcomes")
  func events() async throws {
    struct Counting: Accessory {
      let recorder: Recorder
      func attemptWillStart(_ context: RequestContext) async { recorder.add("started") }
      func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async {
        recorder.add("stopped")
        if attempt.retry != nil { recorder.add("waits") }
      }
      func requestDidStop(_ report: ExchangeReport, context: RequestContext) async {
        recorder.add("completed")
      }
    }
    let recorder = Recorder()
    let (agent, transport) = agent([Counting(recorder: recorder)]) { http, _ in
      HTTPResponse(status: ["/500": 500, "/good": 200][http.url.path] ?? 503)
    }
    // Three retries by the policy, three forced retries, a veto, and a retry on another path.
    _ = try? await agent.send(Fetch())
    _ = try? await agent.send(
      Fetch(
        decide: { _, _, attempt in attempt < 4 ? .retry(after: .milliseconds(1)) : .stop }, paths: ["500"]))
    _ = try? await agent.send(Fetch { _, _, _ in .stop })
    try await agent.send(Fetch(paths: ["bad", "good"]))

    let fetch = { (waits: Int) in
      Array(repeating: ["started", "stopped", "waits"], count: waits).flatMap { $0 } + [
        "started", "stopped", "completed",
      ]
    }
    #expect(recorder.events == [3, 3, 0, 1].flatMap(fetch))
    let counts = ["started", "stopped", "waits", "completed"].map { event in
      recorder.events.count { $0 == event }
    }
    #expect(counts == [11, 11, 7, 4])
    #expect(transport.requests.count == 11 && clock.sleeps.count == 7)
  }

  @Test(
    "Five minutes of backoff with jitter take no real time, and each wait has the generator's value")
  func fiveMinutes() async throws {
    func waits(_ seed: UInt64) async -> [Duration] {
      let clock = TestClock(autoAdvances: true)
      let random = Locked(SeededGenerator(seed: seed))
      var configuration = AgentConfiguration()
      configuration.clock = AgentClock(clock)
      configuration.jitter = { random.withLock { Double.random(in: 0..<1, using: &$0) } }
      let transport = FunctionTransport { _, _ in HTTPResponse(status: 503) }
      let agent = RequestAgent(
        baseURL: "http://a.example", transport: transport, configuration: configuration)
      _ = try? await agent.send(
        Fetch(retryPolicy: .unlimited(backoff: .exponential(), within: .seconds(300))))
      return clock.sleeps
    }
    var random = SeededGenerator(seed: 42)
    let first = 1 + Double.random(in: 0..<1, using: &random)
    var ladder = (0..<20).map { Duration.seconds(min(first * Double(1 << $0), 60)) }
    while ladder.reduce(.zero, +) >= .seconds(300) { ladder.removeLast() }

    let waited = await waits(42)
    #expect(waited == ladder)
    #expect(waited.count >= 8)
    #expect(await waits(42) == waited)
    #expect(await waits(43) != waited)
  }

  @Test("A wait ends at once when the dispatch is cancelled, and nothing is sent afterwards")
  func cancelled() async throws {
    let clock = TestClock()
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    let transport = FunctionTransport { _, _ in HTTPResponse(status: 503) }
    let agent = RequestAgent(
      baseURL: "http://a.example", transport: transport, configuration: configuration)
    let outcomes = Recorder()
    let handle = agent.start(Fetch(), on: .global()) { outcomes.add($0.word) }
    await clock.waitForSleepers()
    handle.cancel()
    await #expect(throws: RequestError.self) { try await handle.value }
    #expect(transport.requests.count == 1)
    #expect(outcomes.events == ["cancelled"])
    #expect(clock.sleeperCount == 0)
  }

  @Test("A short wait is short, also without a main run loop")
  func systemClock() async throws {
    let transport = FunctionTransport { _, number in HTTPResponse(status: number < 3 ? 503 : 200) }
    let agent = RequestAgent(baseURL: "http://a.example", transport: transport)
    let began = ContinuousClock.now
    let policy = RetryPolicy.upTo(2, backoff: .constant(.milliseconds(5)))
    try await agent.send(Fetch(retryPolicy: policy))
    #expect(ContinuousClock.now - began >= .milliseconds(10))
  }
}
