/// A first-in, first-out queue of waiters, kept behind a lock; the caller resumes continuations after
/// unlocking.
///
/// A waiter leaves in constant time from any position.
struct WaiterQueue {
  /// The continuation of a waiter; resumed with true if the waiter has its turn.
  typealias Continuation = CheckedContinuation<Bool, Never>

  /// The waiters by number; without a continuation until ``put(_:for:)``.
  private var waiters: [UInt64: Continuation?] = [:]
  /// The number of the first possible waiter.
  private var head: UInt64 = 0
  private var next: UInt64 = 0

  var isEmpty: Bool { waiters.isEmpty }

  var count: Int { waiters.count }

  /// Takes a position at the end of the queue.
  mutating func enter() -> UInt64 {
    defer { next += 1 }
    waiters[next] = .some(nil)
    return next
  }

  /// Sets the continuation of a waiter; returns `false` if the waiter no longer needs to wait.
  mutating func put(_ continuation: Continuation, for id: UInt64) -> Bool {
    guard waiters[id] != nil else { return false }
    waiters[id] = continuation
    return true
  }

  /// Removes the first waiter; returns its continuation, if the waiter is already waiting.
  mutating func letFirstGo() -> Continuation? {
    while head < next {
      defer { head += 1 }
      if let waiter = waiters.removeValue(forKey: head) { return waiter }
    }
    return nil
  }

  /// Removes a waiter; returns its continuation, if the waiter is already waiting.
  mutating func leave(_ id: UInt64) -> Continuation? {
    waiters.removeValue(forKey: id).flatMap { $0 }
  }
}
