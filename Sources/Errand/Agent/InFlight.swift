/// The dispatches of an agent that have begun and not ended.
final class InFlight: Sendable {
  private struct State {
    var last: UInt64 = 0
    var signals: [UInt64: CancellationSignal] = [:]
  }

  private let state = Locked(State())

  /// A number no other dispatch of the agent has.
  func nextID() -> UInt64 {
    state.withLock { state in
      state.last += 1
      return state.last
    }
  }

  func insert(_ signal: CancellationSignal, id: UInt64) {
    state.withLock { $0.signals[id] = signal }
  }

  func remove(id: UInt64) {
    state.withLock { $0.signals[id] = nil }
  }

  var count: Int { state.withLock { $0.signals.count } }

  var signals: [CancellationSignal] { state.withLock { Array($0.signals.values) } }
}
