import ErrandMocks
import Testing

@testable import Errand

@Suite("The time of an attempt")
struct AttemptClockTests {
  private let clock = TestClock()

  private func limits(
    deadline: Duration? = nil, attempt: Duration? = nil, suspension: SuspensionSignal? = nil
  ) -> TimeLimits {
    TimeLimits(
      clock: AgentClock(clock), started: .zero, deadline: deadline, attemptTimeout: attempt,
      cancellation: CancellationSignal(), suspension: suspension)
  }

  private func verdict(_ time: TimeLimits, _ clock: AttemptClock) -> String {
    do {
      try time.check(clock.watch)
      return "goes on"
    } catch let refusal as Refusal {
      return "\(refusal.kind)"
    } catch {
      return "cancelled"
    }
  }

  @Test("Without a limit no timer runs, and only a cancellation ends the attempt")
  func unlimited() async {
    let time = limits()
    let attempt = time.attempt(from: .zero)
    #expect(attempt.watch == nil && time.signal(attempt.watch) === time.cancellation)
    await clock.advance(by: .seconds(1_000_000))
    #expect(verdict(time, attempt) == "goes on")
    time.cancellation.cancel()
    #expect(verdict(time, attempt) == "cancelled")
  }

  @Test("The earlier of the attempt's timeout and the deadline counts")
  func first() async {
    let time = limits(deadline: .seconds(10), attempt: .seconds(4))
    let (early, late) = (time.attempt(from: .zero), time.attempt(from: .seconds(7)))
    await clock.advance(by: .seconds(4))
    #expect(verdict(time, early) == "timedOut" && verdict(time, late) == "goes on")
    #expect(time.signal(early.watch).isCancelled && !time.cancellation.isCancelled)
    await clock.advance(by: .seconds(6))
    #expect(verdict(time, late) == "deadlineExceeded")
    early.stop()
    late.stop()
  }

  @Test("A wait for other dispatches counts for the deadline, and not for the attempt's timeout")
  func paused() async {
    let time = limits(deadline: .seconds(10), attempt: .seconds(4))
    var attempt = time.attempt(from: .zero)
    await clock.advance(by: .seconds(3))
    let start = time.pause(&attempt)
    await clock.advance(by: .seconds(5))
    #expect(start == .seconds(3) && verdict(time, attempt) == "goes on")
    attempt.slotWait += time.now - start
    time.resume(&attempt)
    #expect(verdict(time, attempt) == "goes on")
    await clock.advance(by: .seconds(1))
    #expect(verdict(time, attempt) == "timedOut")

    _ = time.pause(&attempt)
    await clock.advance(by: .seconds(1))
    #expect(verdict(time, attempt) == "deadlineExceeded")
    time.resume(&attempt)
    #expect(verdict(time, attempt) == "deadlineExceeded")
    attempt.stop()
  }

  @Test("A stopped timer leaves nothing on the clock, and no handler in the dispatch's signal")
  func stopped() async {
    let time = limits(deadline: .seconds(10))
    let attempt = time.attempt(from: .zero)
    await clock.waitForSleepers()
    attempt.stop()
    await until { clock.sleeperCount == 0 }
    time.cancellation.cancel()
    #expect(!time.signal(attempt.watch).isCancelled)
  }

  @Test("A suspension lasts until resumed, or until the deadline")
  func rests() async throws {
    let suspension = SuspensionSignal()
    let time = limits(deadline: .seconds(5), suspension: suspension)
    let attempt = time.attempt(from: .zero)
    try await time.waitWhileSuspended(attempt.watch)
    suspension.suspend()
    let resting = Task { try await time.waitWhileSuspended(attempt.watch) }
    suspension.resume()
    try await resting.value

    suspension.suspend()
    let late = Task { try await time.waitWhileSuspended(attempt.watch) }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(5))
    await #expect(throws: Refusal.self) { try await late.value }
    attempt.stop()
  }

  @Test("A wait that ends at or after the deadline is too long")
  func deadline() {
    let time = limits(deadline: .seconds(5))
    let waits: [Duration] = [.zero, .seconds(4), .seconds(5), .seconds(Int64.max)]
    #expect(waits.map { time.isPastDeadline(after: $0) } == [false, false, true, true])
    #expect(!limits().isPastDeadline(after: .seconds(Int64.max)))
  }
}
