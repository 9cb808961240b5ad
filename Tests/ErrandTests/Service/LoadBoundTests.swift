import ErrandMocks
import Foundation
import Testing

@testable import Errand
@testable import ErrandService

@Suite("Bounds of adaptive limits and second copies", .timeLimit(.minutes(5)))
struct LoadBoundTests {
  private struct GetText: Request {
    typealias Response = String
    let number: Int
    var path: String { "items/\(number)" }
  }

  private static func agent(
    _ headers: HTTPHeaders = [:], _ change: (inout AgentConfiguration) -> Void
  ) -> RequestAgent {
    AdaptiveConcurrencyTests.agent(
      FunctionTransport { _, _ in HTTPResponse(headers: headers, body: Data("x".utf8)) },
      clock: AgentClock(TestClock()), change)
  }

  @Test("Very large settings of a limit are bounded")
  func largeLimits() {
    let settings = [
      AdaptiveConcurrency(ceiling: .max, start: .max), AdaptiveConcurrency(floor: .max, ceiling: .max),
      AdaptiveConcurrency(ceiling: .max, tolerance: .infinity),
    ]
    #expect(settings.map { GradientLimit($0).limit } == [1_000_000, 1_000_000, 10])
  }

  @Test("A percentile and a share that are no number act as the largest percentile and no share")
  func notANumber() throws {
    let origin = try #require(OriginNumber(ofText: "http://a.example"))
    let endpoint = HedgedEndpoint(name: "GET /a", origin: origin, overrideNumber: 0)
    let hedger = Hedger(Hedging(percentile: .nan, share: .nan, minimumSamples: 1))
    hedger.record(.seconds(1), of: endpoint)
    hedger.countRequest(to: endpoint)
    guard case .copy(let delay, let reason) = hedger.plan(for: endpoint) else {
      Issue.record("a measured endpoint has no plan")
      return
    }
    #expect(delay == .seconds(1))
    #expect(reason.hasPrefix("99.9 % of the last 1 responses of GET /a came within "))
    #expect(!hedger.takeCopy(of: endpoint))
  }

  @Test("A copy without a delay ends each race once")
  func noDelay() async throws {
    let agent = Self.agent {
      $0.hedging = Hedging(share: 1, minimumSamples: 1, minimumDelay: .zero)
      $0.retryBudget = RetryBudget(ratio: 1, minimumPerSecond: 1_000)
    }
    for number in 0..<200 { #expect(try await agent.send(GetText(number: number)) == "x") }
    await until { agent.runningCount == 0 }
  }

  @Test("The refresh of a cached response is not measured, and has no copy")
  func refresh() async throws {
    let agent = Self.agent(["Cache-Control": "max-age=0, stale-while-revalidate=60"]) {
      $0.cache = MemoryCache()
      $0.hedging = Hedging(minimumSamples: 3)
    }
    for _ in 0..<2 {
      _ = try await agent.send(GetText(number: 1))
      await agent.cacheRefreshes.wait()
    }
    let setting = try await agent.explain(GetText(number: 2)).settings.first { $0.name == "hedging" }
    #expect(
      setting?.value == "no copy, because only 1 responses of GET /items/{number} are measured")
  }

  @Test("A copy that is not sent returns the slot, the retry and the token")
  func unsent() throws {
    let agent = Self.agent {
      $0.maxRequestsPerOrigin = 1
      $0.rateLimit = RateLimit(1, per: .seconds(1_000), burst: 1)
    }
    let gate = CopyGate(agent: agent, limitKey: nil, overrideNumber: 0)
    let url = try #require(URL(string: "http://a.example/x"))
    for _ in 0..<3 {
      guard case .admitted(_, let end) = gate.admit(TransportRequest(HTTPRequest(url: url))) else {
        Issue.record("the copy was refused")
        return
      }
      #expect(agent.runningCount == 1)
      end(false)
      #expect(agent.runningCount == 0)
    }
  }

  @Test("A copy is no trial of a half-open circuit")
  func halfOpen() async throws {
    let clock = TestClock()
    let agent = Self.agent {
      $0.clock = AgentClock(clock)
      $0.circuitBreaker = CircuitBreaker(probes: 5)
    }
    agent.circuit(of: "http://a.example")?.open(for: .seconds(1))
    await clock.advance(by: .seconds(1))
    #expect(agent.circuit(of: "http://a.example")?.state == .halfOpen)
    let url = try #require(URL(string: "http://a.example/x"))
    let gate = CopyGate(agent: agent, limitKey: nil, overrideNumber: 0)
    guard case .refused(let reason) = gate.admit(TransportRequest(HTTPRequest(url: url))) else {
      Issue.record("the copy was admitted")
      return
    }
    #expect(reason == "the circuit of http://a.example is not closed" && agent.runningCount == 0)
  }

  @Test("The latency of an attempt does not include the renewal of credentials")
  func renewal() {
    var clock = AttemptClock(started: .zero)
    clock.addRenewal(.seconds(1))
    #expect(clock.sent == nil)
    clock.sent = .seconds(2)
    clock.addRenewal(.seconds(5))
    #expect(clock.sent == .seconds(7) && clock.renewalWait == .seconds(6))
  }
}
