#if os(Linux)
import ErrandMocks
import Foundation
import Testing

@testable import Errand

/// 20 rounds of 1,000 dispatches over real sockets; `ERRAND_STORM_ROUNDS` overrides the number.
@Suite("Curl: the storm", .serialized, .timeLimit(.minutes(10)))
struct CurlStormTests {
  static let rounds =
    ProcessInfo.processInfo.environment["ERRAND_STORM_ROUNDS"].flatMap { Int($0) } ?? 20

  @Test(
    "Every dispatch ends once, accessories are balanced, and no dispatch cancelled before sending is sent")
  func storm() async throws {
    var random = SeededGenerator(seed: 2_026)
    let server = try MockServer()
    server.routeStorm()
    var totals: [String: Int] = [:]
    for round in 0..<Self.rounds {
      let ledger = StormLedger()
      let agent = RequestAgent(baseURL: server.baseURL, accessories: [ledger])
      // Alternates between no limit and the default limit of ten requests.
      agent.maxRequestsPerOrigin = round % 2 == 0 ? 0 : 10
      let moments = (0..<1_000).map { StormMoment(index: $0, round: round, random: &random) }
      await StormRound(agent: agent, ledger: ledger, moments: moments).run()

      #expect(agent.liveCount == 0)
      for moment in moments {
        let seen = ledger.events(of: moment.index)
        #expect(seen.starts == 1 && seen.stops == 1 && seen.ends == 1 && seen.completions == 1)
        #expect(seen.attemptStarts == seen.attemptStops)
        if moment.isBeforeSending {
          #expect(seen.outcome == "cancelled" && seen.sendings == 0)
        }
        let isInFlight = seen.outcome == "cancelled" && seen.sendings > 0
        totals[isInFlight ? "cancelled in flight" : seen.outcome, default: 0] += 1
      }
      let unsent = Set(moments.filter { ledger.events(of: $0.index).sendings == 0 }.map(\.path))
      #expect(server.requests.filter { unsent.contains($0.target) }.map(\.target) == [])
    }
    #expect(totals.values.reduce(0, +) == Self.rounds * 1_000)
    // The storm must contain successes, failures and cancellations.
    #expect(
      totals.keys.sorted() == [
        "cancelled", "cancelled in flight", "failure connectionLost", "failure status", "success",
      ])
    print("storm of \(Self.rounds) rounds: \(totals.sorted { $0.key < $1.key })")
  }
}

extension MockServer {
  fileprivate func routeStorm() {
    route(.get, "/fast/*", answers: .text("ok"))
    route(.get, "/slow/*", answers: MockAnswer.text("ok").delayed(by: .milliseconds(5)))
    let chunks = (0..<5).map { _ in Data(count: 1_000) }
    route(.get, "/drip/*", answers: .chunks(chunks, gap: .milliseconds(1)))
    route(.get, "/busy/*", answers: .status(503))
    route(.get, "/lost/*", answers: .failure(TransportError(.connectionLost, "closed")))
  }
}
#endif
