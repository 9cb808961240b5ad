import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("The timers of the system's clocks", .timeLimit(.minutes(5)))
struct SystemTimersTests {
  let timers = SystemTimers(ContinuousClock())

  @Test("Calls run in the order of their times, for any order of registration")
  func order() async throws {
    let (recorder, last) = (Recorder(), OneTime<Void>())
    // The first call sets the timer, the second sets an earlier time, and the third changes nothing. Past
    // times come first.
    for milliseconds in [40, 20, 60, 0, -5] {
      _ = timers.call(after: .milliseconds(milliseconds)) {
        recorder.add("\(milliseconds)")
        if milliseconds == 60 { last.set(()) }
      }
    }
    try await last.wait()
    let order = recorder.events.filter { Int($0) ?? 0 > 0 }
    #expect(order == ["20", "40", "60"] && Set(recorder.events) == ["20", "40", "60", "0", "-5"])
    #expect(timers.count == 0)
  }

  @Test("A cancelled call does not run, leaves nothing behind, and delays no other call")
  func calledOff() async throws {
    let (recorder, end) = (Recorder(), OneTime<Void>())
    let long = (0..<1_000).map { number in
      timers.call(after: .seconds(3_600 - number)) { recorder.add("long") }
    }
    #expect(timers.count == 1_000)
    for call in long { timers.cancel(call) }
    #expect(timers.count == 0)
    // Cancels again after other calls have reused the indices.
    let next = timers.call(after: .seconds(3_600)) { recorder.add("next") }
    for call in long { timers.cancel(call) }
    #expect(timers.count == 1)
    _ = timers.call(after: .milliseconds(1)) { end.set(()) }
    try await end.wait()
    #expect(recorder.events.isEmpty && timers.count == 1)
    timers.cancel(next)
    #expect(timers.count == 0)
  }

  @Test("A sleep ends at its time, and at once when its task is cancelled")
  func sleep() async throws {
    try await timers.sleep(for: .milliseconds(5))
    try await timers.sleep(for: .zero)
    let task = Task { [timers] in try await timers.sleep(for: .seconds(3_600)) }
    await until { timers.count == 1 }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(timers.count == 0)
  }

  @Test("A handler's captures may use the timers when released, also after a cancellation")
  func released() {
    final class Owner: Sendable {
      let timers: SystemTimers
      let counts: Locked<[Int]>
      init(_ timers: SystemTimers, _ counts: Locked<[Int]>) { (self.timers, self.counts) = (timers, counts) }
      deinit {
        let count = timers.count
        counts.withLock { $0.append(count) }
      }
    }
    let counts = Locked([Int]())
    var owner: Owner? = Owner(timers, counts)
    let call = timers.call(after: .seconds(3_600)) { [owner] in _ = owner }
    owner = nil
    timers.cancel(call)
    #expect(counts.withLock { $0 } == [0])
  }

  @Test("Scheduled and cancelled by many threads, each call runs at most once")
  func storm() async throws {
    let (made, cancelled) = (Locked(0), Locked(0))
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for round in 0..<500 {
        let call = timers.call(after: .microseconds(round % 7 == 0 ? 3_600_000_000 : round)) {
          made.withLock { $0 += 1 }
        }
        if round % 7 == 0 {
          timers.cancel(call)
          cancelled.withLock { $0 += 1 }
        }
      }
    }
    await until { timers.count == 0 && made.withLock { $0 } == 4_000 - cancelled.withLock { $0 } }
  }

  @Test(
    "Requests leave no timer behind: deadlines, timeouts, retries, turns, refreshes")
  func requests() async throws {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(SuspendingClock())
    configuration.retryPolicy = .upTo(1, backoff: .constant(.milliseconds(1)))
    configuration.rateLimit = RateLimit(1_000, per: .seconds(1), burst: 1)
    configuration.limits.attemptTimeout = .seconds(3_600)
    configuration.authenticator = BearerAuthenticator(nil) { _, _ in
      BearerAuthenticator.Credential(accessToken: "t")
    }
    let transport = FunctionTransport { _, number in HTTPResponse(status: number % 3 == 0 ? 503 : 200) }
    let agent = RequestAgent(
      baseURL: "http://a.example", transport: transport, configuration: configuration)
    for _ in 0..<50 { try? await agent.send(OneOffRequest.get("x").with(\.deadline, .seconds(7_200))) }
    let cancelled = Task { try await agent.send(OneOffRequest.get("x").with(\.deadline, .seconds(7_200))) }
    cancelled.cancel()
    _ = await cancelled.result
    let timers = try #require(SystemTimers.timers(of: SuspendingClock()))
    await until { timers.count == 0 }
    #expect(transport.requests.count >= 50)
  }

  @Test("Each system clock has its timers, and a test clock has none")
  func clocks() {
    #expect(SystemTimers.timers(of: ContinuousClock()) === SystemTimers.continuous)
    #expect(SystemTimers.timers(of: SuspendingClock()) != nil)
    #expect(SystemTimers.timers(of: SuspendingClock()) !== SystemTimers.continuous)
    #expect(SystemTimers.timers(of: TestClock()) == nil)
  }

  @Test("A deadline ends a request on the system's clock, and a test clock keeps no cancelled wait")
  func deadlines() async throws {
    let agent = RequestAgent(baseURL: "http://a.example", transport: GateTransport())
    let error = await #expect(throws: RequestError.self) {
      try await agent.send(OneOffRequest.get("x").with(\.deadline, .milliseconds(20)))
    }
    #expect(error?.kind == .deadlineExceeded)

    let (clock, gate) = (TestClock(), GateTransport(isOpen: true))
    let other = RequestAgent.gated(gate, clock: clock)
    for _ in 0..<50 { try await other.send(OneOffRequest.get("x").with(\.deadline, .seconds(3_600))) }
    await until { clock.sleeperCount == 0 }
    #expect(clock.sleeps.isEmpty)
  }
}
