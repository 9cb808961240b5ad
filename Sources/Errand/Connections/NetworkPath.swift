/// The state of the system's network connections, with changes.
///
/// Use the path to explain problems to the user, and to end a wait early
/// (``RetryPolicy/cuttingWaits(by:)``). Do not ask the path before sending: only a request shows whether a
/// server is reachable, and the path may change a moment later.
///
/// ``SystemNetworkPath`` is the system's path on Apple platforms. Tests use `MockNetworkPath`.
public protocol NetworkPath: Sendable {
  /// The current state.
  var state: NetworkPathState { get }

  /// Returns a stream with the current state, and then each change.
  ///
  /// Any number of streams may exist. An unread stream keeps the newest states.
  func changes() -> AsyncStream<NetworkPathState>
}

/// The state of the network at a moment.
public struct NetworkPathState: Sendable, Hashable {
  /// The availability of the network.
  public enum Status: String, Sendable, Hashable {
    /// A network is available.
    case satisfied
    /// No network is available.
    case unsatisfied
    /// The state is not known.
    ///
    /// The system has not reported a state, or reports no states, as on Linux. Or the system must connect
    /// first, as to a VPN on demand.
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

extension NetworkPath {
  /// Waits until a network returns after an outage; `false` if no further changes come.
  func comesBack() async -> Bool {
    var wasAway = false
    for await state in changes() {
      if wasAway, state.status == .satisfied { return true }
      wasAway = wasAway || state.status == .unsatisfied
    }
    return false
  }
}

/// A network path whose state the system's watch or a test sets.
package final class SettableNetworkPath: NetworkPath {
  private struct State {
    var current: NetworkPathState
    var last = 0
    var listeners: [Int: AsyncStream<NetworkPathState>.Continuation] = [:]
  }

  private let told: Locked<State>

  package init(_ state: NetworkPathState) { told = Locked(State(current: state)) }

  // All streams end, because no caller can set the state any more.
  deinit {
    for listener in told.withLock({ Array($0.listeners.values) }) { listener.finish() }
  }

  package var state: NetworkPathState { told.withLock { $0.current } }

  /// Sets the state, and informs listeners after a change.
  ///
  /// Listeners are informed under the lock, because two changes could arrive in the wrong order otherwise.
  /// A listener only appends to a stream.
  package func tell(_ state: NetworkPathState) {
    told.withLock { told in
      guard told.current != state else { return }
      told.current = state
      for listener in told.listeners.values { listener.yield(state) }
    }
  }

  package func changes() -> AsyncStream<NetworkPathState> {
    let (stream, listener) = AsyncStream<NetworkPathState>.makeStream(bufferingPolicy: .bufferingNewest(16))
    let id = told.withLock { told in
      told.last += 1
      told.listeners[told.last] = listener
      listener.yield(told.current)
      return told.last
    }
    listener.onTermination = { [weak self] _ in self?.forget(id) }
    return stream
  }

  private func forget(_ id: Int) {
    // Released outside of the lock.
    _ = told.withLock { $0.listeners.removeValue(forKey: id) }
  }

  /// The number of open streams, for tests.
  package var listenerCount: Int { told.withLock { $0.listeners.count } }
}
