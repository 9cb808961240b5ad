import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Slots: a lease in isolation")
struct SlotLeaseTests {
  private let clock = TestClock()
  private let slots = OriginSlots(limit: 1)
  private let origin = OriginNumber(7)

  private func limits(
    deadline: Duration? = nil, suspension: SuspensionSignal? = nil
  ) -> TimeLimits {
    TimeLimits(
      clock: AgentClock(clock), started: .zero, deadline: deadline, attemptTimeout: nil,
      cancellation: CancellationSignal(), suspension: suspension)
  }

  private func enter(_ time: TimeLimits, _ priority: RequestPriority = .default) async -> Duration? {
    var clock = time.attempt(from: .zero)
    let start = time.pause(&clock)
    let signals = TransferSignals(time, watch: clock.watch)
    let lease = try? await slots.enter(origin, priority: priority, at: start, unless: signals)
    let wait = time.now - start
    clock.stop()
    lease?.end()
    return lease.map { _ in wait }
  }

  @Test("An ended lease goes to the waiting dispatch, whose wait is counted")
  func waits() async throws {
    let lease = try #require(slots.take(origin, isExempt: false))
    #expect(slots.take(origin, isExempt: false) == nil)
    let waiting = Task { await enter(limits()) }
    await until { slots.load == (1, 1) }
    await clock.advance(by: .seconds(3))
    lease.end()
    #expect(await waiting.value == .seconds(3))
    #expect(slots.load == (0, 0))
  }

  @Test("A dispatch that is cancelled or timed out leaves no place and no lease behind")
  func leaves() async throws {
    let lease = try #require(slots.take(origin, isExempt: false))
    let (cancelled, late) = (limits(), limits(deadline: .seconds(5)))
    let first = Task { await enter(cancelled) }
    await until { slots.load == (1, 1) }
    cancelled.cancellation.cancel()
    #expect(await first.value == nil)
    let second = Task { await enter(late) }
    await until { slots.load == (1, 1) }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(5))
    #expect(await second.value == nil)
    lease.end()
    #expect(slots.load == (0, 0))
  }

  @Test("A dispatch suspended while waiting lets others go first, and waits anew")
  func suspended() async throws {
    let lease = try #require(slots.take(origin, isExempt: false))
    let suspension = SuspensionSignal()
    let resting = Task { await enter(limits(suspension: suspension)) }
    await until { slots.load == (1, 1) }
    suspension.suspend()
    let other = Task { await enter(limits()) }
    await until { slots.load == (1, 2) }
    lease.end()
    #expect(await other.value == .zero)
    await until { slots.load == (0, 0) }
    suspension.resume()
    #expect(await resting.value == .zero)
  }

  @Test("An exempt dispatch never waits, and serial requests have a separate turn")
  func turns() async throws {
    let lease = try #require(slots.take(origin, isExempt: false))
    #expect(await enter(limits(), .exempt) == .zero)
    lease.end()

    let first = await slots.turn(limits())
    let late = Task { await slots.turn(limits(deadline: .seconds(2))) }
    await until { slots.load == (1, 1) }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(2))
    let turn = await late.value
    #expect(first.lease != nil && first.wait == .zero && first.expiry == nil)
    #expect(turn.lease == nil && turn.wait == .seconds(2) && turn.expiry?.kind == .deadlineExceeded)
    first.lease?.end()
    #expect(slots.load == (0, 0))
  }
}
