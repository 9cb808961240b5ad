/// Tells the parts of one dispatch to rest and to go on, any number of times, in any thread.
public final class SuspensionSignal: Sendable {
  private struct State {
    var isSuspended = false
    var next: UInt64 = 0
    var handlers: [UInt64: @Sendable () -> Void] = [:]
  }

  private let state = Locked(State())

  /// Makes a signal that lets everything run.
  public init() {}

  /// Whether everything is to rest.
  public var isSuspended: Bool { state.withLock { $0.isSuspended } }

  /// Lets everything rest; does nothing when it does.
  public func suspend() { set(true) }

  /// Lets everything go on; does nothing when it does.
  public func resume() { set(false) }

  /// Calls `handler` after each change, on the thread that made it.
  ///
  /// Ask ``isSuspended`` there: another thread may have changed it again. It must be quick.
  ///
  /// - Returns: what ``removeHandler(_:)`` takes to forget it.
  public func onChange(_ handler: @escaping @Sendable () -> Void) -> HandlerID {
    state.withLock { state in
      state.next += 1
      state.handlers[state.next] = handler
      return state.next
    }
  }

  /// Forgets a handler.
  ///
  /// One that is running on another thread is not waited for.
  public func removeHandler(_ id: HandlerID) {
    // Released outside the lock: what it holds may use the signal as it goes.
    _ = state.withLock { $0.handlers.removeValue(forKey: id) }
  }

  /// The number of a handler in its signal.
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
  /// Returns when it is not suspended, when `cancellation` has fired, or when the task is cancelled.
  func wait(unless cancellation: CancellationSignal) async {
    while isSuspended, !cancellation.isCancelled {
      let change = OneTime<Void>()
      let handler = onChange { change.set(()) }
      let ending = cancellation.onCancel { change.set(()) }
      defer {
        removeHandler(handler)
        cancellation.removeHandler(ending)
      }
      // It may have been resumed before the handler was there.
      guard isSuspended else { return }
      guard (try? await change.wait()) != nil else { return }
    }
  }
}
