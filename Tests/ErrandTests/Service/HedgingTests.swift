import ErrandMocks
import Foundation
import Testing

@testable import Errand
@testable import ErrandService

@Suite("Second copies of slow requests", .timeLimit(.minutes(5)))
struct HedgingTests {
  private static let warmUp = 50

  /// Answers 50 requests after 10 ms each, then requests by the list.
  private static func server(_ answers: LoadServer.Answer..., atFirst: @escaping @Sendable () -> Void = {})
    -> LoadServer
  {
    LoadServer { number, _ in
      if number == warmUp + 1 { atFirst() }
      return number > warmUp ? answers[number - warmUp - 1] : LoadServer.Answer(after: .milliseconds(10))
    }
  }

  private static func agent(
    _ server: LoadServer, _ change: (inout AgentConfiguration) -> Void = { _ in }
  ) async -> RequestAgent {
    let agent = AdaptiveConcurrencyTests.agent(server, clock: server.agentClock) {
      $0.hedging = Hedging()
      change(&$0)
    }
    let warm = await LoadRun(server: server, agent: agent, clients: 1, total: warmUp).result()
    #expect(warm.latencies.count == warmUp && server.sent == warmUp)
    return agent
  }

  private static func single(_ server: LoadServer, _ agent: RequestAgent) async -> LoadRun.Result {
    await LoadRun(server: server, agent: agent, clients: 1, total: 1).result()
  }

  private static let reason = "95 % of the last 50 responses of GET /items/{number} came within 0.010 s"

  struct Race: CustomTestStringConvertible {
    let original: LoadServer.Answer
    let copy: LoadServer.Answer
    /// In milliseconds.
    let end: Int
    /// `nil`: success.
    let failure: RequestError.Kind?
    let note: String
    var testDescription: String { note }
  }

  static let races: [Race] = [
    Race(
      original: .init(after: .milliseconds(30)), copy: .init(after: .milliseconds(5)), end: 15, failure: nil,
      note: "The copy ended the race after 0.015 s, and the first request was cancelled."),
    Race(
      original: .init(after: .milliseconds(12)), copy: .init(after: .milliseconds(5)), end: 12, failure: nil,
      note: "The first request ended the race after 0.012 s, and the copy was cancelled."),
    Race(
      original: .init(after: .milliseconds(12), status: nil), copy: .init(after: .milliseconds(5)), end: 15,
      failure: nil,
      note: "The copy ended the race after 0.015 s, and the first request failed: the connection was lost."),
    Race(
      original: .init(after: .milliseconds(30)), copy: .init(after: .milliseconds(5), status: 503), end: 30,
      failure: nil,
      note: "The first request ended the race after 0.030 s, and the copy failed: the status was 503."),
    Race(
      original: .init(after: .milliseconds(12), status: nil),
      copy: .init(after: .milliseconds(5), status: nil), end: 15, failure: .connectionLost,
      note: "The first request ended the race after 0.015 s, and the copy failed: the connection was lost."),
    Race(
      original: .init(after: .milliseconds(30), status: nil),
      copy: .init(after: .milliseconds(5), status: nil), end: 30, failure: .connectionLost,
      note: "The first request ended the race after 0.030 s, and the copy failed: the connection was lost."),
    Race(
      original: .init(after: .milliseconds(12), status: nil),
      copy: .init(after: .milliseconds(5), status: 404), end: 15, failure: .status,
      note: "The copy ended the race after 0.015 s, and the first request failed: the connection was lost."),
    Race(
      original: .init(after: .milliseconds(12), status: 503), copy: .init(after: .milliseconds(5)), end: 12,
      failure: .status,
      note: "The first request ended the race after 0.012 s, and the copy was cancelled."),
  ]

  @Test("The first answer wins, the loser is cancelled, and the report has the race", arguments: races)
  func race(_ race: Race) async throws {
    let server = Self.server(race.original, race.copy)
    let agent = await Self.agent(server)
    let start = server.agentClock.now()
    let result = await Self.single(server, agent)
    #expect(result.elapsed - start == .milliseconds(race.end) && result.errors.first?.kind == race.failure)
    let report = try #require(result.reports.first ?? result.errors.first?.report)
    #expect("\(report)".contains("A copy was sent after 0.010 s, because \(Self.reason). \(race.note)"))
    let decoded = try JSONDecoder().decode(ExchangeReport.self, from: JSONEncoder().encode(report))
    #expect("\(decoded)".contains(race.note) && decoded.attempts.map(\.sentCount) == [2])
    #expect(report.attempts[0].hedge?.isWonByCopy == race.note.hasPrefix("The copy"))
    await until { agent.runningCount == 0 }
    #expect(server.sent == Self.warmUp + 2 && server.pendingCount == 0 && report.attempts.count == 1)
  }

  struct Refusal: CustomTestStringConvertible {
    let reason: String
    let change: @Sendable (inout AgentConfiguration) -> Void
    var testDescription: String { reason }
  }

  static let refusals = [
    Refusal(reason: "the share of copies of GET /items/{number} is used up") { $0.hedging?.share = 0 },
    Refusal(reason: "the retry budget of http://a.example is spent") {
      $0.retryBudget = RetryBudget(ratio: 0, minimumPerSecond: 0)
    },
    Refusal(reason: "no slot of http://a.example is free") { $0.maxRequestsPerOrigin = 1 },
    Refusal(reason: "the rate limit of http://a.example is reached") {
      $0.rateLimit = RateLimit(1, per: .seconds(1_000), burst: warmUp + 1)
    },
  ]

  @Test(
    "A due copy is not sent without a share, budget, slot or token, and the report says so",
    arguments: refusals)
  func refused(_ refusal: Refusal) async throws {
    let server = Self.server(.init(after: .milliseconds(30)))
    let agent = await Self.agent(server, refusal.change)
    let report = try #require(await Self.single(server, agent).reports.first)
    #expect("\(report)".contains("No copy was sent, because \(refusal.reason)."))
    let hedge = try #require(report.attempts[0].hedge)
    #expect(hedge.delay == .milliseconds(10) && hedge.begun == nil && report.attempts[0].sentCount == 1)
    #expect(server.sent == Self.warmUp + 1 && agent.runningCount == 0)
  }

  @Test("No copy is sent to an origin whose circuit opens meanwhile")
  func circuit() async throws {
    let open = Locked<(@Sendable () -> Void)?>(nil)
    let server = Self.server(.init(after: .milliseconds(30))) { open.withLock { $0 }?() }
    let agent = await Self.agent(server) { $0.circuitBreaker = CircuitBreaker() }
    open.withLock { $0 = { agent.circuit(of: "http://a.example")?.open() } }
    let report = try #require(await Self.single(server, agent).reports.first)
    #expect(report.attempts[0].hedge?.reason == "the circuit of http://a.example is not closed")
  }

  @Test("A cancelled dispatch cancels both transfers, and returns both slots")
  func cancelled() async throws {
    let server = Self.server(.init(after: .seconds(9)), .init(after: .seconds(9)))
    let agent = await Self.agent(server)
    let handle = agent.start(GetItem(number: 1))
    await until { server.pendingCount == 1 }
    await server.clock.advance(by: .milliseconds(10))
    await until { server.pendingCount == 2 }
    #expect(agent.runningCount == 2)
    handle.cancel()
    let error = await #expect(throws: RequestError.self) { try await handle.value }
    #expect(error?.kind == .cancelled)
    await until { agent.runningCount == 0 }
    #expect(server.pendingCount == 0 && server.clock.sleeperCount == 0 && agent.liveCount == 0)
  }

  @Test("Accessories see a single attempt, and a retry of the request has a copy too")
  func accessories() async throws {
    let server = Self.server(
      .init(after: .milliseconds(30), status: nil), .init(after: .milliseconds(30), status: nil),
      .init(after: .milliseconds(30)), .init(after: .milliseconds(5)))
    let agent = await Self.agent(server) { $0.retryPolicy = .upTo(1, backoff: .constant()) }
    let recorder = Recorder()
    let request = GetItem(number: 7).with(\.accessories, [RecordingAccessory(recorder: recorder)])
    let sending = Task { try await agent.response(for: request).report }
    for count in [1, 2] {
      await until { server.sent == Self.warmUp + 2 * count - 1 && server.pendingCount == 1 }
      await server.clock.advance(by: .milliseconds(10))
      await until { server.sent == Self.warmUp + 2 * count && server.pendingCount == 2 }
      await server.clock.advance(by: .milliseconds(30))
    }
    let report = try await sending.value
    #expect(report.attempts.map(\.sentCount) == [2, 2] && report.attempts.last?.resendCount == 3)
    #expect(
      recorder.events == [
        "accessory.willStart", "accessory.attemptWillStart 1", "accessory.attemptWillSend 1",
        "accessory.attemptDidStop 1", "accessory.attemptWillStart 2", "accessory.attemptWillSend 2",
        "accessory.attemptDidStop 2", "accessory.willStop", "accessory.didStop success",
      ])
  }

  @Test("An explanation says why a request has a copy or none")
  func explained() async throws {
    struct Other: Request {
      typealias Response = Void
      var path = "x"
      var method: HTTPMethod = .get
      var body: RequestBody = .automatic
    }
    let server = Self.server()
    let agent = await Self.agent(server)
    func hedging<R: Request>(_ request: R) async throws -> String? {
      let explained: RequestExplanation = try await agent.explain(request)
      return explained.settings.first { $0.name == "hedging" }?.value
    }
    #expect(try await hedging(GetItem(number: 1)) == "a copy later, because \(Self.reason)")
    #expect(
      try await hedging(GetItem(number: 1).with(\.limitKey, "a"))
        == "no copy, because only 0 responses of GET /items/{number} are measured")
    #expect(try await hedging(Other(method: .post)) == "no copy, because POST is not idempotent")
    let stream = RequestBody.stream(AsyncStream<Data> { $0.finish() })
    #expect(try await hedging(Other(method: .put, body: stream)) == "no copy, because the body is a stream")
    #expect(
      try await hedging(GetItem(number: 1).with(\.retryPolicy, .none))
        == "no copy, because the retry policy of the request allows no retry")
    #expect(
      try await hedging(OneOffRequest<Void>.get("a")) == "no copy, because the URL has no clear template")
  }

  @Test("Streams have no copy, and an agent measures for itself")
  func streams() async throws {
    var configuration = AgentConfiguration()
    configuration.hedging = Hedging(minimumSamples: 1)
    let agents = (0..<2).map { _ in
      RequestAgent(baseURL: "http://a.example", transport: FunctionTransport(), configuration: configuration)
    }
    let stream = try await agents[0].stream(GetItem(number: 1))
    for try await _ in stream.body {}
    #expect(stream.report?.attempts[0].hedge?.reason == "the response is a stream or a download")
    _ = try await agents[0].response(for: GetItem(number: 1))
    let reasons = try await [
      agents[0].response(for: GetItem(number: 2)).report, agents[1].response(for: GetItem(number: 2)).report,
    ].map { $0.attempts[0].hedge?.delay != nil }
    #expect(reasons == [true, false])
  }

  @Test("Latencies have the nearest rank, the last 200 count, and saved copies are bounded")
  func latencies() {
    var latencies = EndpointLatencies()
    #expect(latencies.latency(at: 0.95) == .zero)
    for number in 1...100 { latencies.add(.milliseconds(number)) }
    #expect([0.5, 0.95, 0.999].map { latencies.latency(at: $0) } == [50, 95, 100].map { .milliseconds($0) })
    for _ in 0..<200 { latencies.add(.seconds(1)) }
    #expect(latencies.count == 200 && latencies.latency(at: 0.5) == .seconds(1))
    for _ in 0..<19 { latencies.save(0.05) }
    let early = latencies.takeCopy()
    latencies.save(0.05)
    let taken = (0..<2).map { _ in latencies.takeCopy() }
    #expect(!early && taken == [true, false])
    for _ in 0..<1_000 { latencies.save(0.05) }
    let saved = (0..<11).map { _ in latencies.takeCopy() }
    #expect(saved == Array(repeating: true, count: 10) + [false])
  }
}
