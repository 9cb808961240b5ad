/// A signal that suspends and resumes a dispatch; usable from any thread.
public final class SuspensionSignal: Sendable {
  private struct State {
    var isSuspended = false
    var next: UInt64 = 0
    var handlers: [UInt64: @Sendable () -> Void] = [:]
  }

  private let state = Locked(State())

  /// Creates a signal that is not suspended.
  public init() {}

  /// True while the dispatch is suspended.
  public var isSuspended: Bool { state.withLock { $0.isSuspended } }

  /// Suspends the dispatch; without effect if already suspended.
  public func suspend() { set(true) }

  /// Resumes the dispatch; without effect if not suspended.
  public func resume() { set(false) }

  /// Adds a handler that is called after each suspension and each resumption.
  ///
  /// The handler runs on the thread that suspends or resumes. The handler must be quick, and must read the
  /// state from ``isSuspended``.
  public func onChange(_ handler: @escaping @Sendable () -> Void) -> HandlerID {
    state.withLock { state in
      state.next += 1
      state.handlers[state.next] = handler
      return state.next
    }
  }

  /// Removes a handler.
  ///
  /// A change in progress may still call the handler.
  public func removeHandler(_ id: HandlerID) {
    // The handler is released outside the lock: a captured object may use the signal in `deinit`.
    _ = state.withLock { $0.handlers.removeValue(forKey: id) }
  }

  /// The identifier of a handler, for ``removeHandler(_:)``.
  public typealias HandlerID = UInt64

  private func set(_ isSuspended: Bool) {
    let handlers: [@Sendable () -> Void] = state.withLock { state in
      guard state.isSuspended != isSuspended else { return [] }
      state.isSuspended = isSuspended
      return Array(state.handlers.values)
    }
    for handler in handlers { handler() }
  }
}

extension SuspensionSignal {
  func wait(unless cancellation: CancellationSignal) async {
    while isSuspended, !cancellation.isCancelled {
      let change = OneTime<Void>()
      let handler = onChange { change.set(()) }
      let ending = cancellation.onCancel { change.set(()) }
      defer {
        removeHandler(handler)
        cancellation.removeHandler(ending)
      }
      guard isSuspended else { return }
      guard (try? await change.wait()) != nil else { return }
    }
  }
}
