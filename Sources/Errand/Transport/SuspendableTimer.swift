/// Calls a handler at most once, after a given time without a suspension.
///
/// After a suspension, the whole time starts again.
final class SuspendableTimer: Sendable {
  private struct State {
    var call: AgentClock.PendingCall?
    var change: SuspensionSignal.HandlerID?
    var isStopped = false
  }

  private let time: Duration
  private let suspension: SuspensionSignal?
  private let handler: @Sendable () -> Void
  private let state = Locked(State())

  init(after time: Duration, suspension: SuspensionSignal?, handler: @escaping @Sendable () -> Void) {
    (self.time, self.suspension, self.handler) = (
      time.clamped(to: AgentClock.longestSleep), suspension, handler
    )
    let change = suspension?.onChange { [weak self] in self?.start() }
    state.withLock { $0.change = change }
    start()
  }

  func stop() { _ = end() }

  private func fire() {
    if end() { handler() }
  }

  private func end() -> Bool {
    let (isFirst, call, change) = state.withLock { state in
      defer { state.isStopped = true }
      return (!state.isStopped, state.call.take(), state.change.take())
    }
    call?.cancel()
    if let change { suspension?.removeHandler(change) }
    return isFirst
  }

  private func start() {
    let clock = AgentClock.continuous
    let before = state.withLock { state -> AgentClock.PendingCall? in
      let before = state.call.take()
      // The suspension is read under the lock, so that the later of two concurrent changes counts.
      guard !state.isStopped, suspension?.isSuspended != true else { return before }
      state.call = clock.call(clock.now() + time) { self.fire() }
      return before
    }
    before?.cancel()
  }
}
