import Foundation

/// The scheduled calls on a clock of the system.
///
/// Used instead of `Task.sleep`, because a cancelled `Task.sleep` keeps memory until the planned end.
package final class SystemTimers: Sendable {
  package struct Call: Sendable {
    fileprivate let index: Int
    fileprivate let number: UInt64
  }

  typealias Handler = @Sendable () -> Void

  private struct State {
    /// Indices of ``calls``, ranked by due time in seconds since the creation of the timers.
    var times = RankHeap()
    var calls: [(number: UInt64, handler: Handler)?] = []
    var freeIndices: [Int] = []
    var lastNumber: UInt64 = 0
    /// The time of the next timer event, on the scale of ``times``; `nil` if the timer is not set.
    var alarm: Double?
  }

  private let now: @Sendable () -> Double
  private let state = Locked(State())
  // Guarded by the lock of `state`, so that the newest setting wins. The timer's methods are thread-safe.
  nonisolated(unsafe) private let timer: any DispatchSourceTimer

  /// The longest wait of the timer, in seconds.
  ///
  /// While the machine sleeps, the clock may advance without the timer. A long wait could then end much too
  /// late.
  private static let longestAlarm = 60.0
  /// The maximum number of entries of `calls` that are kept for reuse when no call is left.
  private static let keptPlaces = 64

  static let continuous = SystemTimers(ContinuousClock())
  private static let suspending = SystemTimers(SuspendingClock())

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

  var count: Int { state.withLock { $0.calls.count - $0.freeIndices.count } }

  /// Schedules a handler.
  ///
  /// The handler must be quick, because all handlers run on a serial queue.
  func call(after duration: Duration, _ handler: @escaping Handler) -> Call {
    let (now, wait) = (now(), duration / .seconds(1))
    return state.withLock { state in
      state.lastNumber += 1
      let index = state.freeIndices.popLast() ?? state.calls.count
      if index == state.calls.count { state.calls.append(nil) }
      state.calls[index] = (state.lastNumber, handler)
      state.times.insert(index, rank: RankHeap.Rank(value: now + wait, number: state.lastNumber))
      if now + wait < state.alarm ?? .infinity { setAlarm(&state, now: now) }
      return Call(index: index, number: state.lastNumber)
    }
  }

  /// Cancels a call.
  ///
  /// A handler that is already due may still be called.
  func cancel(_ call: Call) {
    // The handler is released outside the lock: a captured object may use the timers in `deinit`.
    _ = state.withLock { state -> Handler? in
      guard state.calls.indices.contains(call.index), state.calls[call.index]?.number == call.number else {
        return nil
      }
      state.times.remove(call.index)
      return Self.remove(call.index, from: &state)
    }
  }

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

  private static func remove(_ index: Int, from state: inout State) -> Handler? {
    let handler = state.calls[index]?.handler
    state.calls[index] = nil
    state.freeIndices.append(index)
    if state.times.isEmpty, state.calls.count > keptPlaces {
      (state.calls, state.freeIndices, state.times) = ([], [], RankHeap())
    }
    return handler
  }
}
