import Errand
import ErrandMocks
import Testing

@Suite("TestClock")
struct TestClockTests {
  @Test("A sleeper wakes when the clock reaches its deadline, and not earlier")
  func wakesAtDeadline() async throws {
    let clock = TestClock()
    let sleeper = Task { try await clock.sleep(for: .seconds(60)) }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(59))
    #expect(clock.pendingDeadlines.map(\.offset) == [.seconds(60)])
    await clock.advance(by: .seconds(1))
    try await sleeper.value
    #expect(clock.now.offset == .seconds(60))
    #expect(clock.sleeperCount == 0)
    #expect(clock.sleeps == [.seconds(60)])
  }

  @Test("Sleepers wake in the order of their deadlines, for any order of arrival")
  func wakesInOrder() async throws {
    let clock = TestClock()
    let woken = Locked<[Int]>([])
    let sleepers = [3, 1, 2].map { seconds in
      Task {
        try await clock.sleep(for: .seconds(seconds))
        woken.withLock { $0.append(seconds) }
      }
    }
    await clock.waitForSleepers(3)
    #expect(clock.pendingDeadlines.map(\.offset) == [.seconds(1), .seconds(2), .seconds(3)])
    for sleeper in [sleepers[1], sleepers[2], sleepers[0]] {
      await clock.advance(by: .seconds(1))
      try await sleeper.value
    }
    #expect(woken.withLock { $0 } == [1, 2, 3])
  }

  @Test("An advance wakes every sleeper that is due")
  func wakesAllDue() async throws {
    let clock = TestClock()
    let sleepers = (1...3).map { seconds in Task { try await clock.sleep(for: .seconds(seconds)) } }
    await clock.waitForSleepers(3)
    await clock.advance(by: .seconds(2))
    try await sleepers[0].value
    try await sleepers[1].value
    #expect(clock.pendingDeadlines.map(\.offset) == [.seconds(3)])
    #expect(clock.now.offset == .seconds(2))
    sleepers[2].cancel()
  }

  @Test("Two advances at the same time add up")
  func advancesAddUp() async {
    let clock = TestClock()
    async let first: Void = clock.advance(by: .seconds(1))
    async let second: Void = clock.advance(by: .seconds(2))
    _ = await (first, second)
    #expect(clock.now.offset == .seconds(3))
  }

  @Test("A cancelled sleeper ends at once with CancellationError")
  func cancellation() async {
    let clock = TestClock()
    let sleeper = Task { try await clock.sleep(for: .seconds(60)) }
    await clock.waitForSleepers()
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
    #expect(clock.sleeperCount == 0)
    #expect(clock.now.offset == .zero)
  }

  @Test("A task that is already cancelled does not sleep")
  func cancelledBefore() async {
    let clock = TestClock()
    let sleeper = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await clock.sleep(for: .seconds(60))
    }
    await #expect(throws: CancellationError.self) { try await sleeper.value }
    #expect(clock.sleeps == [])
  }

  @Test("A sleep into the past ends at once and is not recorded")
  func pastDeadline() async throws {
    let clock = TestClock()
    try await clock.sleep(for: .zero)
    try await clock.sleep(for: .seconds(-1))
    #expect(clock.sleeps == [])
  }

  @Test("An auto-advancing clock takes no real time and records every sleep")
  func autoAdvances() async throws {
    let clock = TestClock(autoAdvances: true)
    for seconds in [1, 2, 4, 300] { try await clock.sleep(for: .seconds(seconds)) }
    #expect(clock.sleeps == [.seconds(1), .seconds(2), .seconds(4), .seconds(300)])
    #expect(clock.now.offset == .seconds(307))
  }

  @Test(
    "A sleep with a tolerance neither moves the clock nor is recorded, and ends with other advances"
  )
  func watching() async throws {
    let clock = TestClock(autoAdvances: true)
    let watch = Task {
      try await clock.sleep(until: clock.now.advanced(by: .seconds(5)), tolerance: .milliseconds(1))
      return clock.now.offset
    }
    await clock.waitForSleepers()
    try await clock.sleep(for: .seconds(4))
    #expect(clock.sleeperCount == 1)
    try await clock.sleep(for: .seconds(4))
    #expect(try await watch.value == .seconds(8))
    #expect(clock.sleeperCount == 0)
    #expect(clock.sleeps == [.seconds(4), .seconds(4)])
  }

  @Test("The count of started sleeps excludes watching sleeps")
  func begun() async throws {
    let clock = TestClock()
    async let watch: Void = clock.sleep(
      until: clock.now.advanced(by: .seconds(60)), tolerance: .milliseconds(1))
    await clock.waitForSleepers()
    async let waiting: Void = clock.waitForSleeps(2)
    for seconds in [1, 2] {
      async let slept: Void = clock.sleep(for: .seconds(seconds))
      await clock.waitForSleeps(seconds)
      #expect(clock.sleeps == (1...seconds).map { .seconds($0) } && clock.sleeperCount == 2)
      await clock.advance(by: .seconds(seconds))
      try await slept
    }
    await waiting
    await clock.waitForSleeps()
    await clock.advance(by: .seconds(60))
    try await watch
  }

  @Test("1,000 sleepers, half of them cancelled concurrently, each end exactly once")
  func manySleepers() async {
    let clock = TestClock()
    let sleepers = (0..<1000).map { number in
      Task { try await clock.sleep(for: .milliseconds(number % 10 + 1)) }
    }
    await clock.waitForSleepers(1000)
    async let advanced: Void = clock.advance(by: .milliseconds(10))
    for number in stride(from: 0, to: 1000, by: 2) { sleepers[number].cancel() }
    await advanced
    var awake = 0
    for sleeper in sleepers where (try? await sleeper.value) != nil { awake += 1 }
    #expect((500...1000).contains(awake))
    #expect(clock.sleeperCount == 0)
  }

  @Test("Waiting for sleepers ends when the waiting task is cancelled")
  func cancelledWait() async {
    let clock = TestClock()
    let waiter = Task { await clock.waitForSleepers() }
    waiter.cancel()
    await waiter.value
  }

  @Test("A deadline before the end of a delay ends the request at the deadline")
  func deadline() async throws {
    for _ in 0..<20 {
      let clock = TestClock(autoAdvances: true)
      let late = Stub(.get, "/a", answers: .text("late").delayed(by: .seconds(50)))
      var configuration = AgentConfiguration()
      configuration.clock = AgentClock(clock)
      let agent = RequestAgent.mocked(
        by: MockTransport([late], clock: clock), configuration: configuration)
      let error = try await #require(throws: RequestError.self) {
        try await agent.send(.get("a").with(\.deadline, .seconds(10)))
      }
      #expect(error.kind == .deadlineExceeded && error.elapsed == .seconds(10))
      #expect(error.reason == "the dispatch took longer than its deadline, 10 s")
      #expect(clock.now.offset == .seconds(10) && clock.sleeperCount == 0)
      #expect(try await agent.send(.get("a", as: String.self).with(\.deadline, .seconds(51))) == "late")
      #expect(clock.now.offset == .seconds(60) && clock.sleeps == [.seconds(50), .seconds(50)])
    }
  }

  @Test("A deadline ends a request while the test advances the clock, at the time of the deadline")
  func advancedDeadline() async throws {
    let clock = TestClock()
    let late = Stub(.get, "/a", answers: .text("late").delayed(by: .seconds(50)))
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    let agent = RequestAgent.mocked(
      by: MockTransport([late], clock: clock), configuration: configuration)
    let handle = agent.start(.get("a").with(\.deadline, .seconds(10)))
    await clock.waitForSleeps()
    #expect(clock.pendingDeadlines.map(\.offset) == [.seconds(10), .seconds(50)])
    await clock.advance(by: .seconds(10))
    let error = try await #require(throws: RequestError.self) { try await handle.value }
    #expect(error.kind == .deadlineExceeded && error.elapsed == .seconds(10))
  }
}
