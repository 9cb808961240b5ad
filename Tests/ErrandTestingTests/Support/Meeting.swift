import Errand

/// A barrier, where tasks wait until a given number of tasks has arrived.
final class Meeting: Sendable {
  private struct State {
    var missing: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Locked<State>

  init(of count: Int) { state = Locked(State(missing: count)) }

  func wait() async {
    await withCheckedContinuation { continuation in
      let woken = state.withLock { state in
        state.missing -= 1
        state.waiting.append(continuation)
        guard state.missing <= 0 else { return [CheckedContinuation<Void, Never>]() }
        defer { state.waiting = [] }
        return state.waiting
      }
      for continuation in woken { continuation.resume() }
    }
  }
}
