/// The state of the network and its changes.
///
/// Do not ask the path before sending, because only a request shows whether a server is reachable.
public struct NetworkPath: Sendable {
  /// The state of the network.
  public struct State: Sendable, Hashable {
    /// The availability of the network.
    public enum Status: String, Sendable, Hashable {
      /// A network is available.
      case satisfied
      /// No network is available.
      case unsatisfied
      /// The state is unknown, such as the state of ``NetworkPath/system`` on Linux.
      case unknown
    }

    /// The availability of the network.
    public var status: Status
    /// True if the network is expensive, such as a cellular network.
    public var isExpensive: Bool
    /// True if the network is in Low Data Mode.
    public var isConstrained: Bool

    /// Creates a state.
    public init(_ status: Status, isExpensive: Bool = false, isConstrained: Bool = false) {
      self.status = status
      self.isExpensive = isExpensive
      self.isConstrained = isConstrained
    }
  }

  private let read: @Sendable () -> State
  private let makeStream: @Sendable () -> AsyncStream<State>

  /// Creates a path from closures for the current state, and for a stream that begins with the current state.
  public init(
    state: @escaping @Sendable () -> State, changes: @escaping @Sendable () -> AsyncStream<State>
  ) {
    (read, makeStream) = (state, changes)
  }

  /// The current state.
  public var state: State { read() }

  /// Returns a stream of the current state and the changes; a slow reader may miss changes.
  public func changes() -> AsyncStream<State> { makeStream() }
}

extension NetworkPath {
  /// Waits for the end of a current or later outage; returns `false` if the stream ends first.
  func comesBack() async -> Bool {
    var wasAway = false
    for await state in changes() {
      if wasAway, state.status == .satisfied { return true }
      wasAway = wasAway || state.status == .unsatisfied
      // Without the yield, a stream with many ready values could block the thread.
      await Task.yield()
    }
    return false
  }
}

package final class NetworkPathSource: Sendable {
  private struct State {
    var current: NetworkPath.State
    var last = 0
    var listeners: [Int: AsyncStream<NetworkPath.State>.Continuation] = [:]
  }

  private let storage: Locked<State>

  package init(_ state: NetworkPath.State) { storage = Locked(State(current: state)) }

  // No caller can set the state any more, so the streams end.
  deinit {
    for listener in storage.withLock({ Array($0.listeners.values) }) { listener.finish() }
  }

  package var path: NetworkPath { NetworkPath(state: { self.state }, changes: { self.changes() }) }

  package var state: NetworkPath.State { storage.withLock { $0.current } }

  /// Sets the state, and informs the listeners under the lock, so that changes arrive in order.
  package func set(_ state: NetworkPath.State) {
    storage.withLock { storage in
      guard storage.current != state else { return }
      storage.current = state
      for listener in storage.listeners.values { listener.yield(state) }
    }
  }

  package func changes() -> AsyncStream<NetworkPath.State> {
    let (stream, listener) = AsyncStream<NetworkPath.State>.makeStream(bufferingPolicy: .bufferingNewest(16))
    let id = storage.withLock { storage in
      storage.last += 1
      storage.listeners[storage.last] = listener
      listener.yield(storage.current)
      return storage.last
    }
    listener.onTermination = { [weak self] _ in self?.forget(id) }
    return stream
  }

  private func forget(_ id: Int) {
    // The listener is released outside of the lock.
    _ = storage.withLock { $0.listeners.removeValue(forKey: id) }
  }

  package var listenerCount: Int { storage.withLock { $0.listeners.count } }
}
