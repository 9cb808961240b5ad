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
  /// How many sleeps have begun that do not only watch.
  private let begun = Locked(BegunSleeps())

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

  /// Returns when so many sleeps have begun since the clock was made, or when the waiting task is cancelled; those of ``sleeps`` count.
  ///
  /// The deadline of a request is watched by a sleep with a tolerance, which ``waitForSleepers(_:)`` counts and this does not: so it
  /// is the one to meet a wait before a retry, or an answer that is delayed.
  public func waitForSleeps(_ count: Int = 1) async {
    await begun.wait(for: count)
  }

  /// Returns when so many tasks sleep at once, or when the waiting task is cancelled.
  ///
  /// All count, also those that only watch, such as an agent's watch on a deadline.
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
    let (id, woken, count) = state.withLock { state in
      let (id, woken) = state.beginSleep(until: deadline, watching: watching)
      return (id, woken, state.sleeps.count)
    }
    for sleeper in woken + begun.withLock({ $0.reach(count) }) { sleeper.resume() }
    guard let id else { return }
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

/// How many sleeps of a ``TestClock`` have begun.
struct BegunSleeps: CountAwaitable {
  private(set) var awaitedCount = 0
  var waiters = CountWaiters()

  /// Counts up to there, and gives who waited for that; a smaller count came late, and says nothing new.
  mutating func reach(_ count: Int) -> [CheckedContinuation<Void, Never>] {
    awaitedCount = max(awaitedCount, count)
    return waiters.remove(reached: awaitedCount)
  }
}

/// What a ``TestClock`` keeps behind its lock; continuations it hands out are resumed after the lock is released.
struct TestClockState: CountAwaitable {
  struct Sleeper {
    let id: Int
    let deadline: TestClock.Instant
    let continuation: CheckedContinuation<Void, Never>
  }

  let autoAdvances: Bool
  private(set) var now = TestClock.Instant(offset: .zero)
  /// Sorted by deadline; who came first wakes first.
  private(set) var sleepers: [Sleeper] = []
  private(set) var sleeps: [Duration] = []
  var waiters = CountWaiters()

  /// Where the clock will be when every running `advance` has ended.
  private var goal = TestClock.Instant(offset: .zero)
  private var lastID = 0

  init(autoAdvances: Bool) { self.autoAdvances = autoAdvances }

  var awaitedCount: Int { sleepers.count }

  /// Records a sleep, unless it only watches; `id` is `nil` when there is nothing to wait for, and `woken` is to be
  /// resumed.
  mutating func beginSleep(
    until deadline: TestClock.Instant, watching: Bool
  ) -> (id: Int?, woken: [CheckedContinuation<Void, Never>]) {
    guard deadline > now else { return (nil, []) }
    if !watching { sleeps.append(now.duration(to: deadline)) }
    if autoAdvances && !watching {
      move(to: deadline)
      let due = sleepers.prefix { $0.deadline <= now }
      sleepers.removeFirst(due.count)
      return (nil, due.map(\.continuation))
    }
    lastID += 1
    return (lastID, [])
  }

  /// Adds a sleeper and returns who is to be resumed: itself when it is due already, otherwise those who waited
  /// for the number of sleepers.
  mutating func add(_ sleeper: Sleeper) -> [CheckedContinuation<Void, Never>] {
    guard sleeper.deadline > now else { return [sleeper.continuation] }
    let place = sleepers.lastIndex { $0.deadline <= sleeper.deadline }.map { $0 + 1 } ?? 0
    sleepers.insert(sleeper, at: place)
    return waiters.remove(reached: sleepers.count)
  }

  mutating func removeSleeper(_ id: Int) -> CheckedContinuation<Void, Never>? {
    sleepers.firstIndex { $0.id == id }.map { sleepers.remove(at: $0).continuation }
  }

  mutating func extendGoal(by duration: Duration) -> TestClock.Instant {
    goal = goal.advanced(by: max(duration, .zero))
    return goal
  }

  /// Moves to the next deadline up to `target` and takes its sleeper; without one moves to `target`.
  mutating func nextDue(by target: TestClock.Instant) -> CheckedContinuation<Void, Never>? {
    guard let first = sleepers.first, first.deadline <= target else {
      move(to: target)
      return nil
    }
    move(to: first.deadline)
    return sleepers.removeFirst().continuation
  }

  private mutating func move(to instant: TestClock.Instant) {
    now = max(now, instant)
    goal = max(goal, now)
  }
}
