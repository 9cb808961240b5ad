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
