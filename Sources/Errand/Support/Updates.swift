/// The changing value of a dispatch or a group: first the current value, then changes, until the end of the
/// dispatch or group.
///
/// Any number of loops may read the sequence, and nothing waits for a loop: a slow loop skips intermediate
/// values, but never the last value. The loop of a cancelled task ends.
public struct Updates<Element: Sendable>: AsyncSequence, Sendable {
  /// Returns the current value.
  let read: @Sendable () -> Element
  /// Returns true if a value equals the previous value.
  let isSame: @Sendable (Element, Element) -> Bool
  /// Wakes the loops after a change, and ends with the dispatch or the group.
  let changes: ProgressSignal
  /// Returns the value after the last value of ``read``; `nil`: none.
  var last: (@Sendable () async -> Element?)?

  /// Creates an iterator.
  public func makeAsyncIterator() -> Iterator {
    Iterator(updates: self, changes: changes.changes().makeAsyncIterator())
  }

  /// An iterator over changes.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let updates: Updates
    fileprivate var changes: AsyncStream<Void>.Iterator
    private var given: Element?
    private var hasEnded = false

    fileprivate init(updates: Updates, changes: AsyncStream<Void>.Iterator) {
      (self.updates, self.changes) = (updates, changes)
    }

    /// Returns the next different value; `nil` at the end of the dispatch or group, and in a cancelled task.
    public mutating func next() async -> Element? {
      guard !hasEnded else { return nil }
      while true {
        if let element = take() { return element }
        guard await changes.next() == nil else { continue }
        // The last change and the end may coincide.
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
