import Errand

/// A clock that stands still until a test moves it.
///
///     let clock = TestClock()
///     async let slept: Void = clock.sleep(for: .seconds(60))
///     await clock.waitForSleepers()
///     await clock.advance(by: .seconds(60))
///     try await slept
///
/// A clock made with `autoAdvances: true` moves itself: each sleep takes it to its deadline and returns at once, so
/// that five minutes of retries take no time. A sleep with a tolerance above zero, as an agent's watch on a deadline
/// has it, never moves the clock: it ends when others have moved it so far. Hand either to an agent with `AgentClock(clock)`, or to a
/// ``MockTransport``. It may be used from any task and thread.
public final class TestClock: Clock, Sendable {
  /// A point in time of a test clock.
  public struct Instant: InstantProtocol {
    /// The time since the clock was made.
    public var offset: Duration

    /// The instant `duration` later.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    /// The time from here to `other`.
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    /// Whether `a` comes before `b`.
    public static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
  }

  private let state: Locked<TestClockState>

  /// Makes a clock at offset zero.
  ///
  /// - Parameter autoAdvances: whether a sleep moves the clock instead of waiting; `false` by default.
  public init(autoAdvances: Bool = false) {
    state = Locked(TestClockState(autoAdvances: autoAdvances))
  }

  /// The present, which only ``advance(by:)`` moves, or a sleep when the clock advances itself.
  public var now: Instant { state.withLock { $0.now } }

  /// Zero: any duration can be slept.
  public var minimumResolution: Duration { .zero }

  /// How long each sleep was to take, in the order of their beginnings; sleeps into the past, and those with a
  /// tolerance, are left out.
  public var sleeps: [Duration] { state.withLock { $0.sleeps } }

  /// How many tasks sleep now.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// When the tasks that sleep now will wake, the earliest first.
  public var pendingDeadlines: [Instant] { state.withLock { $0.sleepers.map(\.deadline) } }

  /// Returns when so many tasks sleep at once, or when the waiting task is cancelled.
  public func waitForSleepers(_ count: Int = 1) async {
    await state.wait(for: count)
  }

  /// Moves the clock on and wakes who is due, in the order of their deadlines; `now` is each one's deadline then.
  ///
  /// Woken tasks run on their own. When one will sleep again, meet it with ``waitForSleepers(_:)`` before you move
  /// the clock further: its next sleep counts from the time it finds.
  public func advance(by duration: Duration) async {
    let target = state.withLock { $0.extendGoal(by: duration) }
    while let sleeper = state.withLock({ $0.nextDue(by: target) }) {
      sleeper.resume()
      await Task.yield()
    }
  }

  /// Waits until the clock has been moved to `deadline`; with a tolerance above zero, by someone else.
  ///
  /// Throws `CancellationError` at once when the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    let watching = (tolerance ?? .zero) > .zero
    let (begun, woken) = state.withLock { $0.beginSleep(until: deadline, watching: watching) }
    for sleeper in woken { sleeper.resume() }
    guard let id = begun else { return }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // A cancellation before this lock shows here, a later one finds the sleeper.
        let resumed = state.withLock { state in
          Task.isCancelled
            ? [continuation]
            : state.add(TestClockState.Sleeper(id: id, deadline: deadline, continuation: continuation))
        }
        for continuation in resumed { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.removeSleeper(id) }?.resume()
    }
    try Task.checkCancellation()
  }
}
