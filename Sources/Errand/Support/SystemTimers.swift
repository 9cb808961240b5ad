import Foundation

/// The waits of all agents on one of the system's clocks: a heap of times, and one timer of the system for the earliest.
///
/// A wait that is called off leaves nothing behind, however long it was to be. A cancelled `Task.sleep` would: Swift's runtime
/// keeps it, with 1.7 KB, until its time has come.
final class SystemTimers: Sendable {
  /// A call to come.
  struct Call: Sendable {
    fileprivate let place: Int
    fileprivate let number: UInt64
  }

  typealias Handler = @Sendable () -> Void

  private struct State {
    /// The places in `calls`, by their times: seconds on the clock.
    var times = RankHeap()
    var calls: [(number: UInt64, handler: Handler)?] = []
    var freePlaces: [Int] = []
    var lastNumber: UInt64 = 0
    /// When the timer is set to, on the clock; `nil` while it is not.
    var alarm: Double?
  }

  /// Seconds on the clock.
  private let now: @Sendable () -> Double
  private let state = Locked(State())
  // Its methods may be called from any thread; it is set under the lock of `state`, so that the last setting is the newest.
  nonisolated(unsafe) private let timer: any DispatchSourceTimer

  /// A machine that slept has a clock that went on without the timer, which is set anew at least so often.
  private static let longestAlarm = 60.0
  /// What many waits at once took is given back when they have gone.
  private static let keptPlaces = 64

  static let continuous = SystemTimers(ContinuousClock())
  private static let suspending = SystemTimers(SuspendingClock())

  /// The timers of a clock of the system; `nil` for any other clock, which has to be asked for each wait.
  static func timers(of clock: some Clock<Duration>) -> SystemTimers? {
    clock is ContinuousClock ? continuous : clock is SuspendingClock ? suspending : nil
  }

  init<C: Clock>(_ clock: C) where C.Duration == Duration {
    let start = clock.now
    now = { start.duration(to: clock.now) / .seconds(1) }
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "Errand timers"))
    timer.setEventHandler { [weak self] in self?.callDue() }
    timer.activate()
  }

  deinit { timer.cancel() }

  /// How many calls are to come.
  var count: Int { state.withLock { $0.calls.count - $0.freePlaces.count } }

  /// Calls `handler` after a time, on the one thread of all calls: it must be quick.
  func call(after duration: Duration, _ handler: @escaping Handler) -> Call {
    let (now, wait) = (now(), duration / .seconds(1))
    return state.withLock { state in
      state.lastNumber += 1
      let place = state.freePlaces.popLast() ?? state.calls.count
      if place == state.calls.count { state.calls.append(nil) }
      state.calls[place] = (state.lastNumber, handler)
      state.times.insert(place, rank: RankHeap.Rank(value: now + wait, number: state.lastNumber))
      if now + wait < state.alarm ?? .infinity { setAlarm(&state, now: now) }
      return Call(place: place, number: state.lastNumber)
    }
  }

  /// Calls a call off; does nothing when it was made.
  ///
  /// One that is being made on another thread is not waited for. The timer stays as it is: set anew for each call that is called
  /// off it would cost more than to find nothing to do.
  func cancel(_ call: Call) {
    // Released outside the lock: what it holds may use the timers as it goes.
    _ = state.withLock { state -> Handler? in
      guard state.calls.indices.contains(call.place), state.calls[call.place]?.number == call.number else {
        return nil
      }
      state.times.remove(call.place)
      return Self.remove(call.place, from: &state)
    }
  }

  /// Waits; throws `CancellationError` when the task is cancelled.
  func sleep(for duration: Duration) async throws {
    guard duration > .zero else { return try Task.checkCancellation() }
    let end = OneTime<Void>()
    let call = call(after: duration) { end.set(()) }
    defer { cancel(call) }
    try await end.wait()
  }

  private func callDue() {
    let now = now()
    let due = state.withLock { state in
      var due: [Handler] = []
      while let first = state.times.first, let rank = state.times.firstRank, rank.value <= now {
        state.times.remove(first)
        if let handler = Self.remove(first, from: &state) { due.append(handler) }
      }
      setAlarm(&state, now: now)
      return due
    }
    for handler in due { handler() }
  }

  private func setAlarm(_ state: inout State, now: Double) {
    state.alarm = state.times.firstRank.map { min(max($0.value, now), now + Self.longestAlarm) }
    guard let alarm = state.alarm else { return }
    timer.schedule(deadline: .now() + (alarm - now), leeway: .nanoseconds(0))
  }

  /// Frees the place of a call whose time is gone already.
  private static func remove(_ place: Int, from state: inout State) -> Handler? {
    let handler = state.calls[place]?.handler
    state.calls[place] = nil
    state.freePlaces.append(place)
    if state.times.isEmpty, state.calls.count > keptPlaces {
      (state.calls, state.freePlaces, state.times) = ([], [], RankHeap())
    }
    return handler
  }
}
