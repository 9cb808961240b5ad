import Errand

/// Tasks waiting for a count.
///
/// Guarded by the lock of the counted state.
///
/// The caller resumes continuations after releasing the lock.
struct CountWaiters {
  typealias Continuation = CheckedContinuation<Void, Never>

  private var lastID = 0
  private var waiting: [Int: (count: Int, continuation: Continuation)] = [:]

  fileprivate mutating func makeID() -> Int {
    lastID += 1
    return lastID
  }

  fileprivate mutating func add(_ continuation: Continuation, id: Int, count: Int) {
    waiting[id] = (count, continuation)
  }

  fileprivate mutating func remove(_ id: Int) -> Continuation? {
    waiting.removeValue(forKey: id)?.continuation
  }

  /// Removes and returns the waiters for `count` or less.
  ///
  /// The caller resumes the waiters.
  mutating func remove(reached count: Int) -> [Continuation] {
    let done = waiting.filter { $0.value.count <= count }
    for id in done.keys { waiting[id] = nil }
    return done.values.map(\.continuation)
  }
}

/// State with an awaitable count.
protocol CountAwaitable: SendableMetatype {
  /// The count awaited by ``waiters``.
  var awaitedCount: Int { get }
  var waiters: CountWaiters { get set }
}

extension Locked where Value: CountAwaitable {
  /// Waits until the count is reached or the task is cancelled.
  func wait(for count: Int) async {
    let id = withLock { $0.waiters.makeID() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // A cancellation before the lock is seen in `isCancelled`. A later cancellation removes the waiter.
        let isOver = withLock { state in
          if Task.isCancelled || state.awaitedCount >= count { return true }
          state.waiters.add(continuation, id: id, count: count)
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      withLock { $0.waiters.remove(id) }?.resume()
    }
  }
}

/// A wait during which a transfer makes no progress, limited by the request's timeout.
struct ProgressWait: Sendable {
  let clock: AgentClock
  let timeout: Duration

  /// The error of a request after the timeout.
  var timedOut: TransportError { TransportError(.timedOut, "there was no progress for \(timeout)") }

  /// Waits for a duration.
  ///
  /// Throws if the task is cancelled, or after the timeout if the timeout is shorter.
  func sleep(for duration: Duration) async throws {
    guard duration > .zero else { return }
    guard duration <= timeout else { return try await stall() }
    try await clock.sleep(duration)
  }

  /// Waits for the timeout and throws.
  func stall() async throws {
    try await clock.sleep(timeout)
    throw timedOut
  }
}
