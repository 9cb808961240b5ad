/// Cancels the requests that are bound to it when it is released: a property of a view controller, a model, or any other owner.
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
/// What has ended leaves it by itself. It knows its owner as little as the requests do: a completion that captures the owner strongly keeps
/// it until the request has ended. Any thread may use it.
public final class RequestBag: Sendable {
  private struct State {
    var last = 0
    var signals: [Int: CancellationSignal] = [:]
  }

  private let state = Locked(State())

  /// Makes an empty one.
  public init() {}

  deinit { cancelAll() }

  /// How many requests it has that have not ended.
  public var count: Int { state.withLock { $0.signals.count } }

  /// Cancels them all, and is empty.
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
    // Released outside the lock.
    _ = state.withLock { $0.signals.removeValue(forKey: id) }
  }
}

extension RequestHandle {
  /// Lets the release of a bag, which is its owner's, cancel the dispatch; the handle need not be kept.
  ///
  /// - Returns: the handle.
  @discardableResult
  public func bound(to bag: RequestBag) -> Self {
    let id = bag.add(cancellation)
    Task { [weak bag, end] in
      _ = try? await end.wait()
      bag?.remove(id)
    }
    return self
  }
}
