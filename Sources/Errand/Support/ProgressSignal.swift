/// A signal that a value has changed.
///
/// The observers then read the value.
final class ProgressSignal: Sendable {
  private struct State {
    var last = 0
    var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    var isEnded = false
  }

  private let state = Locked(State())

  func send() {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield() }
  }

  func end() {
    let listeners: [AsyncStream<Void>.Continuation] = state.withLock { state in
      state.isEnded = true
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.finish() }
  }

  /// Returns a stream of the changes.
  ///
  /// Several changes between two reads yield a single element.
  func changes() -> AsyncStream<Void> {
    let (stream, listener) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let id: Int? = state.withLock { state in
      guard !state.isEnded else { return nil }
      state.last += 1
      state.listeners[state.last] = listener
      return state.last
    }
    guard let id else {
      listener.finish()
      return stream
    }
    listener.onTermination = { [weak self] _ in self?.forget(id) }
    return stream
  }

  private func forget(_ id: Int) {
    _ = state.withLock { $0.listeners.removeValue(forKey: id) }
  }
}
