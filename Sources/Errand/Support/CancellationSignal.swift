/// Tells the parts of one dispatch that it was cancelled: once, in any thread.
///
/// It fires when the caller's task is cancelled, when a handle is, and when the agent cancels all; a transport
/// looks only here.
public final class CancellationSignal: Sendable {
  /// Who cancelled.
  package enum Source: Sendable { case task, handle, agent, reader }

  private struct State {
    var source: Source?
    var isClosed = false
    var handlers = CancellationHandlers()
  }

  private let state = Locked(State())

  /// Makes a signal that has not fired.
  public init() {}

  /// Whether it has fired.
  public var isCancelled: Bool { source != nil }

  package var source: Source? { state.withLock { $0.source } }

  /// Fires; the first call counts, later ones do nothing.
  ///
  /// Handlers run on the calling thread, outside any lock.
  public func cancel() { cancel(by: .handle) }

  package func cancel(by source: Source) {
    let handlers: [CancellationHandlers.Handler] = state.withLock { state in
      guard state.source == nil, !state.isClosed else { return [] }
      state.source = source
      return state.handlers.removeAll()
    }
    for handler in handlers { handler() }
  }

  /// Ends the time in which a cancellation counts; returns whether there was one.
  ///
  /// Handlers are forgotten, as none can run any more.
  package func close() -> Bool {
    let ended = state.withLock { state in
      state.isClosed = true
      // The handlers leave the lock before they are released: what they hold may use the signal as it goes.
      return (wasCancelled: state.source != nil, handlers: state.handlers.removeAll())
    }
    return ended.wasCancelled
  }

  /// Runs `handler` when it fires, at once if it has; it must be quick and may run on any thread, once at most.
  ///
  /// - Returns: what ``removeHandler(_:)`` takes to forget it.
  @discardableResult
  public func onCancel(_ handler: @escaping @Sendable () -> Void) -> HandlerID {
    let id: HandlerID? = state.withLock { state in
      guard state.source == nil else { return nil }
      let id = state.handlers.makeID()
      if !state.isClosed { state.handlers.add(handler, id: id) }
      return id
    }
    if id == nil { handler() }
    return id ?? 0
  }

  /// Forgets a handler.
  ///
  /// One that is running on another thread is not waited for.
  public func removeHandler(_ id: HandlerID) {
    // Released outside the lock, as in `close`.
    _ = state.withLock { $0.handlers.remove(id) }
  }

  /// The number of a handler in its signal.
  public typealias HandlerID = UInt64

  /// Runs `operation` in a task that is cancelled when the signal fires, and waits for its end.
  ///
  /// A bridge to code that knows only task cancellation.
  public func cancelling<Value: Sendable>(
    _ operation: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = Task { try await operation() }
    let handler = onCancel { task.cancel() }
    defer { removeHandler(handler) }
    return try await task.value
  }
}

/// The handlers of a ``CancellationSignal``: most have one or two, which cost no allocation.
struct CancellationHandlers {
  typealias Handler = @Sendable () -> Void

  private var last: UInt64 = 0
  private var first: (id: UInt64, handler: Handler)?
  private var second: (id: UInt64, handler: Handler)?
  private var others: [UInt64: Handler] = [:]

  /// A number that no handler has had.
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

  /// Gives the handler back, to be released outside the lock.
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

  /// Gives all back, to be called or released outside the lock.
  mutating func removeAll() -> [Handler] {
    guard first != nil || second != nil || !others.isEmpty else { return [] }
    let all = [first, second].compactMap(\.?.handler) + others.values
    (first, second, others) = (nil, nil, [:])
    return all
  }
}
