/// How far a group is.
public struct GroupProgress: Sendable, Hashable {
  /// The members that have ended, however they did.
  public var completed: Int
  /// The members known so far; a chain that is extended grows.
  public var total: Int

  /// Makes a progress.
  public init(completed: Int, total: Int) {
    self.completed = completed
    self.total = total
  }

  /// The progress of a group as it changes: first what it is now, then what it becomes, until the group ends.
  ///
  /// Any number of loops may run over it. Nothing waits for them: a slow one gets the newest and misses those between.
  public struct Updates: AsyncSequence, Sendable {
    let ledger: GroupLedger

    /// How far the group is now.
    public var current: GroupProgress { ledger.progress }

    /// Makes the iterator.
    public func makeAsyncIterator() -> Iterator {
      Iterator(ledger: ledger, changes: ledger.changes.changes().makeAsyncIterator())
    }

    /// Gives each change.
    public struct Iterator: AsyncIteratorProtocol {
      let ledger: GroupLedger
      var changes: AsyncStream<Void>.Iterator
      var last: GroupProgress?

      /// The next that differs; `nil` when the group has ended.
      public mutating func next() async -> GroupProgress? {
        while true {
          let current = ledger.progress
          if current != last {
            last = current
            return current
          }
          // The last change and the end may come in one.
          if await changes.next() == nil {
            let final = ledger.progress
            defer { last = final }
            return final == last || Task.isCancelled ? nil : final
          }
        }
      }
    }
  }
}

/// Wakes those who watch something change; they look up by themselves what it became.
final class ProgressSignal: Sendable {
  private struct State {
    var last = 0
    var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    var isEnded = false
  }

  private let state = Locked(State())

  /// Wakes all.
  func send() {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield() }
  }

  /// Wakes all for the last time.
  func end() {
    let listeners: [AsyncStream<Void>.Continuation] = state.withLock { state in
      state.isEnded = true
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.finish() }
  }

  /// One element for all changes since the last one was looked at; ends with ``end()``.
  func changes() -> AsyncStream<Void> {
    let (stream, listener) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let id: Int? = state.withLock { state in
      guard !state.isEnded else { return nil }
      state.last += 1
      state.listeners[state.last] = listener
      return state.last
    }
    guard let id else {
      listener.finish()
      return stream
    }
    listener.onTermination = { [weak self] _ in self?.forget(id) }
    return stream
  }

  private func forget(_ id: Int) {
    // Released outside the lock.
    _ = state.withLock { $0.listeners.removeValue(forKey: id) }
  }
}
