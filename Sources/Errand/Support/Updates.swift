/// A value of a dispatch or a group as it changes: first what it is now, then what it becomes, until the dispatch or the group ends.
///
/// Any number of loops may run over it. Nothing waits for the loops: a slow loop gets the newest value and misses the values between, but never
/// the last. A loop whose task is cancelled ends.
public struct Updates<Element: Sendable>: AsyncSequence, Sendable {
  /// The value now.
  let read: @Sendable () -> Element
  /// Whether a value tells nothing new after another one.
  let isSame: @Sendable (Element, Element) -> Bool
  /// Wakes the loops when the value may have changed, and ends with the dispatch or the group.
  let changes: ProgressSignal
  /// What follows the last value of ``read``; `nil`: nothing.
  var last: (@Sendable () async -> Element?)?

  /// Makes the iterator.
  public func makeAsyncIterator() -> Iterator {
    Iterator(updates: self, changes: changes.changes().makeAsyncIterator())
  }

  /// Gives each change.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let updates: Updates
    fileprivate var changes: AsyncStream<Void>.Iterator
    private var given: Element?
    private var hasEnded = false

    fileprivate init(updates: Updates, changes: AsyncStream<Void>.Iterator) {
      (self.updates, self.changes) = (updates, changes)
    }

    /// The next value that differs; `nil` when the dispatch or the group has ended, and in a task that is cancelled.
    public mutating func next() async -> Element? {
      guard !hasEnded else { return nil }
      while true {
        if let element = take() { return element }
        guard await changes.next() == nil else { continue }
        // The last change and the end may come in one.
        if !Task.isCancelled, let element = take() { return element }
        hasEnded = true
        return await updates.last?()
      }
    }

    private mutating func take() -> Element? {
      let element = updates.read()
      if let given, updates.isSame(given, element) { return nil }
      given = element
      return element
    }
  }
}
