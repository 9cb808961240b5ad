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
