/// Those who wait for something in the order in which they came; kept behind a lock, whose holder resumes what it is
/// given after it has let go.
///
/// A waiter leaves in a step or two, wherever it stands.
struct WaitingLine {
  /// Told whether the waiter has its turn.
  typealias Continuation = CheckedContinuation<Bool, Never>

  /// Without a continuation until ``put(_:for:)``.
  private var waiters: [UInt64: Continuation?] = [:]
  /// The number of the first that may still wait.
  private var head: UInt64 = 0
  private var next: UInt64 = 0

  var isEmpty: Bool { waiters.isEmpty }

  var count: Int { waiters.count }

  /// Takes a place at the end.
  mutating func enter() -> UInt64 {
    defer { next += 1 }
    waiters[next] = .some(nil)
    return next
  }

  /// Hands in what wakes a waiter; `false` when it need not wait any more.
  mutating func put(_ continuation: Continuation, for id: UInt64) -> Bool {
    guard waiters[id] != nil else { return false }
    waiters[id] = continuation
    return true
  }

  /// Lets the first go; what to resume, if it waits already.
  mutating func letFirstGo() -> Continuation? {
    while head < next {
      defer { head += 1 }
      if let waiter = waiters.removeValue(forKey: head) { return waiter }
    }
    return nil
  }

  /// Leaves the line; what to resume, if it waits.
  mutating func leave(_ id: UInt64) -> Continuation? {
    waiters.removeValue(forKey: id).flatMap { $0 }
  }
}
