import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Per-origin state of an agent")
struct OriginStatesTests {
  func origin(_ number: Int) throws -> OriginKey {
    let url = try #require(URL(string: "http://h\(number).example"))
    return OriginKey(origin: try #require(Origin(url)))
  }

  @Test("A million origins do not grow the state")
  func bounded() throws {
    let states = OriginStates(AgentConfiguration())
    for number in 0..<20_000 {
      states.countRequest(to: try origin(number))
    }
    #expect(states.count <= OriginStates.limit)
    #expect(states.count >= OriginStates.limit * 3 / 4)
  }

  @Test("The least recently used origins are forgotten first")
  func oldest() throws {
    let now = Locked(Duration.zero)
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(SteppingClock(now: now))
    configuration.retryBudget = RetryBudget(ratio: 1, minimumPerSecond: 0, window: .seconds(1_000_000))
    let states = OriginStates(configuration)
    for number in 0..<OriginStates.limit {
      now.withLock { $0 += .seconds(1) }
      states.countRequest(to: try origin(number))
    }
    now.withLock { $0 += .seconds(1) }
    states.countRequest(to: try origin(0))
    states.countRequest(to: try origin(-1))
    #expect(states.count == OriginStates.limit * 3 / 4 + 1)
    #expect(states.withdrawRetry(to: try origin(0)) == nil)
    #expect(states.withdrawRetry(to: try origin(1)) != nil)
  }

  @Test("Origins with waiting dispatches do not take room from other origins")
  func waiting() async throws {
    var configuration = AgentConfiguration()
    let clock = TestClock()
    configuration.clock = AgentClock(clock)
    configuration.rateLimit = RateLimit(1, per: .seconds(1))
    let states = OriginStates(configuration)
    for number in 0..<OriginStates.limit {
      let origin = try origin(number)
      // The first entry passes the rate limit, and the second entry waits.
      #expect(try states.enterQueue(of: origin) == nil)
      #expect(try states.enterQueue(of: origin) != nil)
    }
    let idle = try origin(-1)
    states.close(idle, for: .seconds(60))
    for number in 0..<300 { states.close(try origin(10_000 + number), for: .seconds(1)) }
    #expect(states.serverPause(of: idle) == .seconds(60) && states.count == OriginStates.limit + 301)

    // The states become removable when no dispatch waits.
    await clock.waitForSleepers(OriginStates.limit)
    await clock.advance(by: .seconds(1))
    await until { clock.sleeperCount == 0 }
    states.close(try origin(20_000), for: .seconds(1))
    #expect(states.count <= OriginStates.limit + 301 - OriginStates.limit / 4 + 1)
  }

  /// Includes cancelled sleeps.
  private struct CountingClock: Clock {
    let base = TestClock()
    let count = Locked(0)
    var now: TestClock.Instant { base.now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
      count.withLock { $0 += 1 }
      try await base.sleep(until: deadline, tolerance: tolerance)
    }
  }

  @Test("A returned turn belongs to the next dispatch, and the queue sleeps once for the turn after")
  func turnGivenBack() async throws {
    var configuration = AgentConfiguration()
    let clock = CountingClock()
    configuration.clock = AgentClock(clock)
    configuration.rateLimit = RateLimit(1, per: .seconds(10))
    let (states, origin) = (OriginStates(configuration), try origin(0))
    #expect(try states.enterQueue(of: origin) == nil)
    let places = try [states.enterQueue(of: origin), states.enterQueue(of: origin)].compactMap(\.self)
    let turns = places.map { place in
      Task { await states.waitInQueue(of: origin, at: place, unless: CancellationSignal()) }
    }
    await clock.base.waitForSleepers()
    states.returnToken(of: origin, takenAt: .zero)
    #expect(await turns[0].value)
    await clock.base.waitForSleepers()
    for _ in 0..<100 { await Task.yield() }
    #expect(clock.count.withLock { $0 } == 2)
    await clock.base.advance(by: .seconds(10))
    #expect(await turns[1].value)
  }

  @Test("An origin is printed in readable form")
  func text() throws {
    let shown = ["http://A.example", "https://a.example:443/x", "http://a.example:8080", "http://[::1]:80/"]
      .map {
        URL(string: $0).flatMap(Origin.init)?.shownText
      }
    #expect(shown == ["http://a.example", "https://a.example", "http://a.example:8080", "http://[::1]"])
  }

  struct SteppingClock: Clock {
    struct Instant: InstantProtocol {
      var offset: Duration
      func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
      func duration(to other: Instant) -> Duration { other.offset - offset }
      static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }
    let time: Locked<Duration>
    init(now time: Locked<Duration>) { self.time = time }
    var now: Instant { Instant(offset: time.withLock { $0 }) }
    var minimumResolution: Duration { .zero }
    func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
  }
}

extension OriginStates {
  fileprivate convenience init(_ configuration: AgentConfiguration) {
    self.init(
      OriginRules(
        budget: configuration.retryBudget, breaker: configuration.circuitBreaker,
        limit: configuration.rateLimit),
      clock: configuration.clock, agentRetries: !configuration.retryPolicy.isOff)
  }
}
