import Errand

/// The continuations that wait for a count; guarded by the lock of the ``CountAwaitable`` state.
///
/// Callers resume continuations outside the lock.
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

  mutating func remove(reached count: Int) -> [Continuation] {
    let done = waiting.filter { $0.value.count <= count }
    for id in done.keys { waiting[id] = nil }
    return done.values.map(\.continuation)
  }
}

protocol CountAwaitable: SendableMetatype {
  var awaitedCount: Int { get }
  var waiters: CountWaiters { get set }
}

extension Locked where Value: CountAwaitable {
  /// Waits until `awaitedCount` reaches `count`, or the task is cancelled.
  func wait(for count: Int) async {
    let id = withLock { $0.waiters.makeID() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // This check sees an earlier cancellation; `onCancel` handles a later cancellation.
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

/// A pause in a transfer, limited by the request's timeout.
struct ProgressWait: Sendable {
  let clock: AgentClock
  let timeout: Duration

  var timedOut: TransportError { TransportError(.timedOut, "there was no progress for \(timeout)") }

  func sleep(for duration: Duration) async throws {
    guard duration > .zero else { return }
    guard duration <= timeout else { return try await stall() }
    try await clock.sleep(duration)
  }

  func stall() async throws {
    try await clock.sleep(timeout)
    throw timedOut
  }
}
