import Errand

/// A clock for tests; a test advances the time.
///
///     let clock = TestClock()
///     async let slept: Void = clock.sleep(for: .seconds(60))
///     await clock.waitForSleepers()
///     await clock.advance(by: .seconds(60))
///     try await slept
///
/// With `autoAdvances: true`, a sleep moves the time to its deadline instead of waiting. A sleep with a
/// tolerance above zero still waits. An agent's timer does not move the time.
public final class TestClock: Clock, Sendable {
  /// A point in time of a test clock.
  public struct Instant: InstantProtocol {
    /// The time since the creation of the clock.
    public var offset: Duration

    /// Returns the instant `duration` later.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    /// Returns the duration from the instant to `other`.
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    /// Returns true if `a` precedes `b`.
    public static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
  }

  private let state: Locked<TestClockState>
  private let begun = Locked(BegunSleeps())

  /// Creates a clock at offset zero; with `autoAdvances`, sleeps usually advance the time instead of waiting.
  public init(autoAdvances: Bool = false) {
    state = Locked(TestClockState(autoAdvances: autoAdvances))
  }

  /// The current time.
  public var now: Instant { state.withLock { $0.now } }

  /// The resolution of the clock: zero.
  public var minimumResolution: Duration { .zero }

  /// The durations of the sleeps, in order of start.
  ///
  /// Sleeps that are already due and sleeps with a tolerance above zero are left out.
  public var sleeps: [Duration] { state.withLock { $0.sleeps } }

  /// The number of sleeping tasks and of agents' timers.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// The deadlines of the sleeping tasks and of agents' timers, earliest first.
  public var pendingDeadlines: [Instant] { state.withLock { $0.sleepers.map(\.deadline) } }

  /// Waits until ``sleeps`` has at least `count` entries, or the task is cancelled.
  public func waitForSleeps(_ count: Int = 1) async {
    await begun.wait(for: count)
  }

  /// Waits until ``sleeperCount`` is at least `count`, or the task is cancelled.
  public func waitForSleepers(_ count: Int = 1) async {
    await state.wait(for: count)
  }

  /// Advances the clock; resumes due sleepers and runs due timers in order of deadline.
  ///
  /// If a resumed task will sleep again, call ``waitForSleepers(_:)`` before the next advance.
  public func advance(by duration: Duration) async {
    let target = state.withLock { $0.extendGoal(by: duration) }
    while let sleeper = state.withLock({ $0.nextDue(by: target) }) {
      sleeper.wake()
      await Task.yield()
    }
  }

  /// Sleeps until the clock reaches `deadline`; throws `CancellationError` if the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    let watching = (tolerance ?? .zero) > .zero
    let (id, count) = state.withLock { state in
      (state.beginSleep(until: deadline, watching: watching), state.sleeps.count)
    }
    for waiter in begun.withLock({ $0.reach(count) }) { waiter.resume() }
    guard let id else { return try pass(until: deadline) }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // This check sees an earlier cancellation; `onCancel` handles a later cancellation.
        let sleeper = TestClockState.Sleeper(id: id, deadline: deadline, wake: { continuation.resume() })
        let resumed = state.withLock { state in
          Task.isCancelled ? nil : state.add(sleeper)
        }
        guard let resumed else { return sleeper.wake() }
        for waiter in resumed { waiter.resume() }
      }
    } onCancel: {
      state.withLock { $0.removeSleeper(id) }?.wake()
    }
    try Task.checkCancellation()
  }

  /// Moves the time to `deadline`.
  ///
  /// A timer that runs before `deadline` may cancel the calling task.
  private func pass(until deadline: Instant) throws {
    var tasks: [TestClockState.Sleeper] = []
    defer { for task in tasks { task.wake() } }
    while let next = state.withLock({ $0.nextDue(by: deadline) }) {
      guard next.isTimer else {
        tasks.append(next)
        continue
      }
      next.wake()
      try Task.checkCancellation()
    }
  }
}

extension TestClock: SchedulingClock {
  package var elapsed: Duration { now.offset }

  package func call(
    at time: Duration, handler: @escaping @Sendable () -> Void
  ) -> @Sendable () -> Void {
    let (id, waiters) = state.withLock { state in
      let id = state.makeID()
      let timer = TestClockState.Sleeper(
        id: id, deadline: Instant(offset: time), isTimer: true, wake: handler)
      return (id, state.add(timer))
    }
    // The handler of a due timer runs in a task, because the caller may hold locks.
    guard let waiters else {
      let task = Task { if !Task.isCancelled { handler() } }
      return { task.cancel() }
    }
    for waiter in waiters { waiter.resume() }
    return { [state] in _ = state.withLock { $0.removeSleeper(id) } }
  }
}

struct BegunSleeps: CountAwaitable {
  private(set) var awaitedCount = 0
  var waiters = CountWaiters()

  mutating func reach(_ count: Int) -> [CheckedContinuation<Void, Never>] {
    // Concurrent sleeps may report counts in any order.
    awaitedCount = max(awaitedCount, count)
    return waiters.remove(reached: awaitedCount)
  }
}

/// The state of a clock; guarded by the clock's lock.
struct TestClockState: CountAwaitable {
  struct Sleeper: Sendable {
    let id: Int
    let deadline: TestClock.Instant
    var isTimer = false
    let wake: @Sendable () -> Void
  }

  let autoAdvances: Bool
  private(set) var now = TestClock.Instant(offset: .zero)
  private(set) var sleepers: [Sleeper] = []
  private(set) var sleeps: [Duration] = []
  var waiters = CountWaiters()

  /// The time that the clock reaches after all running calls of `advance`.
  private var goal = TestClock.Instant(offset: .zero)
  private var lastID = 0

  init(autoAdvances: Bool) { self.autoAdvances = autoAdvances }

  var awaitedCount: Int { sleepers.count }

  mutating func makeID() -> Int {
    lastID += 1
    return lastID
  }

  mutating func beginSleep(until deadline: TestClock.Instant, watching: Bool) -> Int? {
    guard deadline > now else { return nil }
    if !watching { sleeps.append(now.duration(to: deadline)) }
    return autoAdvances && !watching ? nil : makeID()
  }

  /// Adds a sleeper and returns the waiters to resume; returns `nil` if the sleeper is already due.
  mutating func add(_ sleeper: Sleeper) -> [CheckedContinuation<Void, Never>]? {
    guard sleeper.deadline > now else { return nil }
    let place = sleepers.lastIndex { $0.deadline <= sleeper.deadline }.map { $0 + 1 } ?? 0
    sleepers.insert(sleeper, at: place)
    return waiters.remove(reached: sleepers.count)
  }

  mutating func removeSleeper(_ id: Int) -> Sleeper? {
    sleepers.firstIndex { $0.id == id }.map { sleepers.remove(at: $0) }
  }

  mutating func extendGoal(by duration: Duration) -> TestClock.Instant {
    goal = goal.advanced(by: max(duration, .zero))
    return goal
  }

  /// Removes the first sleeper due by `target`, and moves the time to the sleeper's deadline.
  ///
  /// Without a due sleeper, moves the time to `target` and returns `nil`.
  mutating func nextDue(by target: TestClock.Instant) -> Sleeper? {
    guard let first = sleepers.first, first.deadline <= target else {
      move(to: target)
      return nil
    }
    move(to: first.deadline)
    return sleepers.removeFirst()
  }

  private mutating func move(to instant: TestClock.Instant) {
    now = max(now, instant)
    goal = max(goal, now)
  }
}
