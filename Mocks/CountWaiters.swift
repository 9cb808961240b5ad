import Errand

/// Tasks that wait until something has been counted so often; lives behind the lock of what it counts.
///
/// Continuations are resumed by the caller, after the lock is released.
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

  /// Forgets the waiters for `count` or less, for the caller to resume.
  mutating func remove(reached count: Int) -> [Continuation] {
    let done = waiting.filter { $0.value.count <= count }
    for id in done.keys { waiting[id] = nil }
    return done.values.map(\.continuation)
  }
}

/// State with a count that tasks can wait for.
protocol CountAwaitable: SendableMetatype {
  /// The count that ``waiters`` wait for.
  var awaitedCount: Int { get }
  var waiters: CountWaiters { get set }
}

extension Locked where Value: CountAwaitable {
  /// Returns when the count is reached, or the task is cancelled.
  func wait(for count: Int) async {
    let id = withLock { $0.waiters.makeID() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // A cancellation before this lock shows here, a later one finds the waiter.
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

/// Waits without progress, which a transport allows for a request's timeout and no longer.
struct ProgressWait: Sendable {
  let clock: AgentClock
  let timeout: Duration

  /// What a request fails with when its timeout is over.
  var timedOut: TransportError { TransportError(.timedOut, "there was no progress for \(timeout)") }

  /// Waits; throws when the task is cancelled, and after the timeout when that is shorter.
  func sleep(for duration: Duration) async throws {
    guard duration > .zero else { return }
    guard duration <= timeout else { return try await stall() }
    try await clock.sleep(duration)
  }

  /// Waits for the timeout, and throws.
  func stall() async throws {
    try await clock.sleep(timeout)
    throw timedOut
  }
}
