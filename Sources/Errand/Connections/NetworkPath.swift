/// What the system knows of its ways to the network, and what changes in them.
///
/// Ask it to show the user what is wrong, and to end a wait early (``RetryPolicy/cuttingWaits(by:)``). Do not ask it whether to send a
/// request: only sending tells whether a server can be reached, and a path may be there a moment later.
///
/// ``SystemNetworkPath`` is the system's, on Apple platforms; tests have `MockNetworkPath`.
public protocol NetworkPath: Sendable {
  /// As it is now.
  var state: NetworkPathState { get }

  /// First as it is now, then each change.
  ///
  /// Any number of loops may run over streams of their own. One that nobody reads keeps the newest few.
  func changes() -> AsyncStream<NetworkPathState>
}

/// A way to the network, at a moment.
public struct NetworkPathState: Sendable, Hashable {
  /// Whether there is one.
  public enum Status: String, Sendable, Hashable {
    /// There is.
    case satisfied
    /// There is none.
    case unsatisfied
    /// The system has not said, or does not say, as on Linux; or has to connect first, as to a VPN on demand.
    case unknown
  }

  /// Whether there is one.
  public var status: Status
  /// Whether it costs money, such as a cellular one.
  public var isExpensive: Bool
  /// Whether the user has asked to save data on it (Low Data Mode).
  public var isConstrained: Bool

  /// Makes a state.
  public init(_ status: Status, isExpensive: Bool = false, isConstrained: Bool = false) {
    self.status = status
    self.isExpensive = isExpensive
    self.isConstrained = isConstrained
  }
}

extension NetworkPath {
  /// Waits until there is a path after there was none; `false` where that does not come any more.
  func comesBack() async -> Bool {
    var wasAway = false
    for await state in changes() {
      if wasAway, state.status == .satisfied { return true }
      wasAway = wasAway || state.status == .unsatisfied
    }
    return false
  }
}

/// A path that is told what it is: the half of every ``NetworkPath`` that is not the system's.
package final class SettableNetworkPath: NetworkPath {
  private struct State {
    var current: NetworkPathState
    var last = 0
    var listeners: [Int: AsyncStream<NetworkPathState>.Continuation] = [:]
  }

  private let told: Locked<State>

  package init(_ state: NetworkPathState) { told = Locked(State(current: state)) }

  // Nobody can tell it anything any more.
  deinit {
    for listener in told.withLock({ Array($0.listeners.values) }) { listener.finish() }
  }

  package var state: NetworkPathState { told.withLock { $0.current } }

  /// Tells it, and those who listen where it has changed.
  ///
  /// To a listener under the lock, or two changes could come in the wrong order: it only writes it down.
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
    // Released outside the lock.
    _ = told.withLock { $0.listeners.removeValue(forKey: id) }
  }

  /// How many streams are read, for tests.
  package var listenerCount: Int { told.withLock { $0.listeners.count } }
}
