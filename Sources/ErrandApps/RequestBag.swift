public import Errand

/// Started requests, cancelled when the bag is released.
///
/// ```swift
/// final class Search {
///   private let requests = RequestBag()
///
///   func find(_ text: String, by agent: RequestAgent) {
///     agent.start(.get("search", query: ["q": text], as: [User].self)) { [weak self] in self?.show($0) }
///       .bound(to: requests)
///   }
/// }
/// ```
///
/// A completion handler with a strong reference to the owner of the bag keeps the owner alive until the
/// request has ended.
public final class RequestBag: Sendable {
  private struct State {
    var last = 0
    var signals: [Int: CancellationSignal] = [:]
  }

  private let state = Locked(State())

  /// Creates an empty bag.
  public init() {}

  deinit { cancelAll() }

  /// The number of running requests in the bag.
  ///
  /// A request that has just ended may still count.
  public var count: Int { state.withLock { $0.signals.count } }

  /// Cancels and removes all requests.
  public func cancelAll() {
    let signals = state.withLock { state in
      defer { state.signals = [:] }
      return Array(state.signals.values)
    }
    for signal in signals { signal.cancel(by: .handle) }
  }

  func add(_ signal: CancellationSignal) -> Int {
    state.withLock { state in
      state.last += 1
      state.signals[state.last] = signal
      return state.last
    }
  }

  func remove(_ id: Int) {
    // The removed signal is released outside the lock.
    _ = state.withLock { $0.signals.removeValue(forKey: id) }
  }
}

extension RequestHandle {
  /// Binds the dispatch to a bag.
  ///
  /// The release of the bag cancels the dispatch.
  @discardableResult
  public func bound(to bag: RequestBag) -> Self {
    let id = bag.add(cancellation)
    let waitForEnd = waitForEnd
    Task { [weak bag] in
      await waitForEnd()
      bag?.remove(id)
    }
    return self
  }
}
