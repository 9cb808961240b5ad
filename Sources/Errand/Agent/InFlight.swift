/// The dispatches of an agent that have begun and not ended.
final class InFlight: Sendable {
  /// One dispatch: its number, and what cancels it.
  struct Entry: Sendable {
    let id: UInt64
    let signal: CancellationSignal
  }

  private struct State {
    var last: UInt64 = 0
    var signals: [UInt64: CancellationSignal] = [:]
  }

  private let state = Locked(State())

  /// Enters a dispatch under a number no other dispatch of the agent has.
  func enter() -> Entry {
    let signal = CancellationSignal()
    return state.withLock { state in
      state.last += 1
      state.signals[state.last] = signal
      return Entry(id: state.last, signal: signal)
    }
  }

  func remove(id: UInt64) {
    state.withLock { $0.signals[id] = nil }
  }

  var count: Int { state.withLock { $0.signals.count } }

  var signals: [CancellationSignal] { state.withLock { Array($0.signals.values) } }
}
