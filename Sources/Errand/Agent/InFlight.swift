/// The dispatches of an agent that have begun and not ended.
final class InFlight: Sendable {
  /// One dispatch: its number, and what cancels it.
  struct Entry: Sendable {
    let id: UInt64
    let signal: CancellationSignal
    fileprivate let place: Int
  }

  private struct State {
    var last: UInt64 = 0
    /// As long as the most that were in flight at once.
    var signals: [CancellationSignal?] = []
    var freePlaces: [Int] = []
  }

  private let state = Locked(State())

  /// Enters a dispatch under a number no other dispatch of the agent has.
  func enter() -> Entry {
    let signal = CancellationSignal()
    return state.withLock { state in
      state.last += 1
      let place = state.freePlaces.popLast() ?? state.signals.count
      if place == state.signals.count { state.signals.append(signal) } else { state.signals[place] = signal }
      return Entry(id: state.last, signal: signal, place: place)
    }
  }

  /// Forgets a dispatch; to be called once.
  func remove(_ entry: Entry) {
    state.withLock { state in
      state.signals[entry.place] = nil
      state.freePlaces.append(entry.place)
    }
  }

  var count: Int { state.withLock { $0.signals.count - $0.freePlaces.count } }

  var signals: [CancellationSignal] { state.withLock { $0.signals.compactMap(\.self) } }
}
