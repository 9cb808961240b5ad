/// A one-time signal that cancels work such as a dispatch; usable from any thread.
public final class CancellationSignal: Sendable {
  package enum Source: Sendable { case task, handle, agent, reader }

  private struct State {
    var source: Source?
    var isClosed = false
    var handlers = CancellationHandlers()
  }

  private let lock: Locked<Bool>
  // Guarded by `lock`, so no access overlaps another access.
  @exclusivity(unchecked) nonisolated(unsafe) private var state = State()

  /// Creates a signal that has not fired.
  public init() { lock = Locked(false) }

  /// Sharing a lock saves memory.
  init(sharing lock: Locked<Bool>) { self.lock = lock }

  /// True if the signal has fired.
  public var isCancelled: Bool { source != nil }

  package var source: Source? { lock.withLock { _ in state.source } }

  /// Fires the signal.
  ///
  /// The handlers run on the calling thread. Without effect if the signal has already fired, or the outcome
  /// of the dispatch is final.
  public func cancel() { cancel(by: .handle) }

  package func cancel(by source: Source) {
    let handlers: [CancellationHandlers.Handler] = lock.withLock { _ in
      guard state.source == nil, !state.isClosed else { return [] }
      state.source = source
      return state.handlers.removeAll()
    }
    for handler in handlers { handler() }
  }

  /// Closes the signal, so that later cancellations have no effect.
  ///
  /// Returns true if the signal has fired.
  package func close() -> Bool {
    let ended = lock.withLock { _ in
      state.isClosed = true
      // The handlers are released outside the lock: a captured object may use the signal in `deinit`.
      return (wasCancelled: state.source != nil, handlers: state.handlers.removeAll())
    }
    return ended.wasCancelled
  }

  /// Runs `handler` when the signal fires, or immediately if the signal has already fired.
  ///
  /// The handler must be quick, and may run on any thread.
  @discardableResult
  public func onCancel(_ handler: @escaping @Sendable () -> Void) -> HandlerID {
    let id: HandlerID? = lock.withLock { _ in
      guard state.source == nil else { return nil }
      let id = state.handlers.makeID()
      if !state.isClosed { state.handlers.add(handler, id: id) }
      return id
    }
    if id == nil { handler() }
    return id ?? 0
  }

  /// Removes a handler.
  ///
  /// If the signal fires at the same time, the handler may still run.
  public func removeHandler(_ id: HandlerID) {
    // The handler is released outside the lock: a captured object may use the signal in `deinit`.
    _ = lock.withLock { _ in state.handlers.remove(id) }
  }

  /// The identifier of a handler, for ``removeHandler(_:)``.
  public typealias HandlerID = UInt64

  /// Runs `operation` in a new task, and cancels the task when the signal fires.
  ///
  /// Waits until the task ends. Cancelling the caller's task does not cancel `operation`.
  public func cancelling<Value: Sendable>(
    _ operation: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = Task { try await operation() }
    let handler = onCancel { task.cancel() }
    defer { removeHandler(handler) }
    return try await task.value
  }
}

/// The handlers of a signal.
///
/// Up to two handlers need no dictionary.
struct CancellationHandlers {
  typealias Handler = @Sendable () -> Void

  private var last: UInt64 = 0
  private var first: (id: UInt64, handler: Handler)?
  private var second: (id: UInt64, handler: Handler)?
  private var others: [UInt64: Handler] = [:]

  mutating func makeID() -> UInt64 {
    last += 1
    return last
  }

  mutating func add(_ handler: @escaping Handler, id: UInt64) {
    if first == nil {
      first = (id, handler)
    } else if second == nil {
      second = (id, handler)
    } else {
      others[id] = handler
    }
  }

  mutating func remove(_ id: UInt64) -> Handler? {
    if let found = first, found.id == id {
      first = nil
      return found.handler
    }
    if let found = second, found.id == id {
      second = nil
      return found.handler
    }
    return others.isEmpty ? nil : others.removeValue(forKey: id)
  }

  mutating func removeAll() -> [Handler] {
    guard first != nil || second != nil || !others.isEmpty else { return [] }
    let all = [first, second].compactMap(\.?.handler) + others.values
    (first, second, others) = (nil, nil, [:])
    return all
  }
}
