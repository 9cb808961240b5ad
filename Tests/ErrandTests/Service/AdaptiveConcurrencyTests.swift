import ErrandMocks
import Foundation
import Testing

@testable import Errand
@testable import ErrandService

@Suite("The adaptive limit of an agent", .timeLimit(.minutes(5)))
struct AdaptiveConcurrencyTests {
  static func agent(
    _ transport: some Transport, clock: AgentClock, _ change: (inout AgentConfiguration) -> Void
  ) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.clock = clock
    change(&configuration)
    return RequestAgent(baseURL: "http://a.example", transport: transport, configuration: configuration)
  }

  private static func elapsed(
    _ period: @escaping @Sendable (Duration) -> (workers: Int, service: Duration), total: Int,
    _ change: (inout AgentConfiguration) -> Void
  ) async -> (Duration, RequestAgent) {
    let server = LoadServer.queueing(period)
    let agent = agent(server, clock: server.agentClock, change)
    let result = await LoadRun(server: server, agent: agent, clients: 40, total: total).result()
    #expect(result.errors.isEmpty && result.latencies.count == total && server.sent == total)
    return (result.elapsed, agent)
  }

  @Test(
    "Through an agent, the throughput is at least 95 % of the best fixed limit, and 90 % with a step",
    .disabled(if: Sanitizer.isOn, "a figure, not a race"), arguments: [false, true])
  func throughput(hasStep: Bool) async {
    let period: @Sendable (Duration) -> (workers: Int, service: Duration) = { now in
      (hasStep && now > .seconds(2) ? 4 : 12, .milliseconds(20))
    }
    var best = Duration.seconds(1_000_000)
    for limit in [12, 16] {
      best = min(best, await Self.elapsed(period, total: 2_000) { $0.maxRequestsPerOrigin = limit }.0)
    }
    let (found, agent) = await Self.elapsed(period, total: 2_000) {
      $0.adaptiveConcurrency = AdaptiveConcurrency()
    }
    Figures.print("adaptive limit, agent, step \(hasStep): \(best / found) of the best fixed limit")
    #expect(best / found >= (hasStep ? 0.9 : 0.95))
    let limit = agent.adaptiveLimit(of: "http://a.example") ?? 0
    #expect((hasStep ? 4...16 : 12...32).contains(limit))
  }

  @Test("Without the setting, an agent has its fixed limit and reports nothing")
  func off() async throws {
    let agent = Self.agent(FunctionTransport(), clock: AgentClock(TestClock())) { _ in }
    let report = try await agent.response(for: GetItem(number: 1)).report
    #expect(agent.adaptiveLimit(of: "http://a.example") == nil)
    #expect(report.attempts.map(\.adaptiveLimit) == [nil] && report.attempts[0].hedge == nil)
    #expect(AgentConfiguration().adaptiveConcurrency == nil && AgentConfiguration().hedging == nil)
    let settings = try await agent.explain(GetItem(number: 1)).settings.map(\.name)
    #expect(!settings.contains("concurrency") && !settings.contains("hedging"))
  }

  @Test("Each key has a limit; only measured attempts change a limit; a report has the limit and the reason")
  func keys() async throws {
    let clock = TestClock()
    let transport = FunctionTransport { request, _ in
      HTTPResponse(status: request.url.path == "/items/503" ? 503 : 200)
    }
    let agent = Self.agent(transport, clock: AgentClock(clock)) {
      $0.adaptiveConcurrency = AdaptiveConcurrency(floor: 2, ceiling: 50, start: 20)
    }
    func limit(_ key: String? = nil) -> Int? { agent.adaptiveLimit(of: "http://a.example/x", key: key) }
    var reasons: [String] = []
    for _ in 0..<20 {
      let error = await #expect(throws: RequestError.self) {
        try await agent.send(GetItem(number: 503).with(\.limitKey, "busy"))
      }
      let attempt = try #require(error?.report?.attempts.first)
      if let reason = attempt.adaptiveLimitReason {
        reasons.append("\(attempt.adaptiveLimit ?? 0): \(reason)")
      }
    }
    #expect(reasons == ["10: the server refused or timed out 20 of 20 attempts"])
    #expect(limit("busy") == 10 && limit() == 20)
    let explained = try await agent.explain(GetItem(number: 1).with(\.limitKey, "busy"))
    let setting = explained.settings.first { $0.name == "concurrency" }
    #expect(setting?.value == "10 at once, between 2 and 50 by latency" && setting?.source == .agent)
  }

  @Test("The text of a report has a change of the limit, and a decoded report too")
  func reported() async throws {
    let agent = Self.agent(
      FunctionTransport { _, _ in HTTPResponse(status: 503) }, clock: AgentClock(TestClock())
    ) {
      $0.adaptiveConcurrency = AdaptiveConcurrency(start: 10)
    }
    var last: ExchangeReport?
    for _ in 0..<10 {
      do { try await agent.send(GetItem(number: 1)) } catch let error as RequestError { last = error.report }
    }
    let report = try #require(last)
    let line = "Limit of simultaneous attempts: 5, because the server refused or timed out 10 of 10 attempts."
    #expect("\(report)".contains(line))
    let decoded = try JSONDecoder().decode(ExchangeReport.self, from: JSONEncoder().encode(report))
    #expect("\(decoded)".contains(line) && decoded.attempts[0].adaptiveLimit == 5)
  }

  @Test("Settings out of range act as the nearest values")
  func bounds() {
    let settings = [
      AdaptiveConcurrency(floor: -3, ceiling: -5, start: 0, tolerance: .nan),
      AdaptiveConcurrency(floor: 5, ceiling: 2, start: 90), AdaptiveConcurrency(ceiling: 8, start: 90),
    ]
    #expect(settings.map { GradientLimit($0).limit } == [1, 5, 8])
    var limit = GradientLimit(settings[0])
    for _ in 0..<1_000 {
      _ = limit.record(ConcurrencySample(latency: .zero, running: .max, hasWaiters: true))
      #expect(limit.limit == 1)
    }
  }
}
