/// The waiters for a rate limit.
///
/// The owner guards the queue with a lock, and resumes continuations after unlocking.
struct WaiterQueue {
  /// Resumed with `true` if the waiter has got a token.
  typealias Continuation = CheckedContinuation<Bool, Never>

  /// A continuation is `nil` before ``put(_:for:)``.
  private var waiters: [UInt64: Continuation?] = [:]
  private var head: UInt64 = 0
  private var next: UInt64 = 0

  var isEmpty: Bool { waiters.isEmpty }

  var count: Int { waiters.count }

  mutating func enter() -> UInt64 {
    defer { next += 1 }
    waiters[next] = .some(nil)
    return next
  }

  mutating func put(_ continuation: Continuation, for id: UInt64) -> Bool {
    guard waiters[id] != nil else { return false }
    waiters[id] = continuation
    return true
  }

  mutating func popFirstWaiter() -> Continuation? {
    while head < next {
      defer { head += 1 }
      if let waiter = waiters.removeValue(forKey: head) { return waiter }
    }
    return nil
  }

  mutating func leave(_ id: UInt64) -> Continuation? {
    waiters.removeValue(forKey: id).flatMap { $0 }
  }
}
