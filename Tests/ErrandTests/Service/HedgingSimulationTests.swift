import ErrandMocks
import Foundation
import Testing

@testable import Errand
@testable import ErrandService

@Suite(
  "Second copies in simulations", .disabled(if: Sanitizer.isOn, "figures, not races"), .timeLimit(.minutes(5))
)
struct HedgingSimulationTests {
  private static let total = 3_000

  /// 8 to 12 ms, and for a share of the requests 200 ms.
  private static func time(of number: Int, slowShare: Double) -> Duration {
    var random = SeededGenerator(seed: UInt64(number))
    let isSlow = Double.random(in: 0..<1, using: &random) < slowShare
    return isSlow ? .milliseconds(200) : .microseconds(8_000 + random.below(4_000))
  }

  private static func run(
    hedging: Hedging?, clients: Int = 8, total: Int = total,
    _ answer: @escaping @Sendable (_ number: Int, _ now: Duration) -> LoadServer.Answer
  ) async -> (LoadRun.Result, sent: Int) {
    let server = LoadServer(answer)
    let agent = AdaptiveConcurrencyTests.agent(server, clock: server.agentClock) {
      $0.hedging = hedging
      $0.maxRequestsPerOrigin = 100
    }
    let result = await LoadRun(server: server, agent: agent, clients: clients, total: total).result()
    #expect(result.latencies.count + result.errors.count == total)
    await until { agent.runningCount == 0 }
    return (result, server.sent)
  }

  @Test("The 99th percentile falls to at most 60 % with at most 5 % more requests", arguments: [0.015, 0.03])
  func tail(_ slowShare: Double) async {
    let answer: @Sendable (Int, Duration) -> LoadServer.Answer = { number, _ in
      .init(after: Self.time(of: number, slowShare: slowShare))
    }
    let (plain, _) = await Self.run(hedging: nil, answer)
    let (hedged, sent) = await Self.run(hedging: Hedging(), answer)
    let ratio = hedged.percentile(0.99) / plain.percentile(0.99)
    let more = Double(sent) / Double(Self.total)
    Figures.print(
      "hedging, \(slowShare) slow: p99 \(plain.percentile(0.99)) to \(hedged.percentile(0.99)), \(ratio); sent \(more)"
    )
    #expect(ratio <= 0.6 && more <= 1.05)
    let copies = hedged.reports.count { $0.attempts[0].hedge?.begun != nil }
    #expect(sent == Self.total + copies && copies > 10)
  }

  @Test(
    "When every answer slows down, or fails slowly, at most 1.05 requests are sent per request",
    arguments: [200, 503])
  func storm(_ status: Int) async {
    let answer: @Sendable (Int, Duration) -> LoadServer.Answer = { number, now in
      let time = Self.time(of: number, slowShare: 0)
      return now < .milliseconds(300)
        ? .init(after: time) : .init(after: time * 20, status: HTTPResponse.Status(status))
    }
    let (result, sent) = await Self.run(hedging: Hedging(), clients: 40, answer)
    let more = Double(sent) / Double(Self.total)
    Figures.print("hedging, all slower, status \(status): sent \(more)")
    #expect(more <= 1.05)
    #expect((status == 200) == result.errors.isEmpty)
  }
}
