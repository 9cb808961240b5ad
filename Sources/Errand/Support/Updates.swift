/// The changing value of a dispatch or a group: first the current value, then changed values, until the end.
///
/// Any number of loops may read the sequence. A slow loop delays nothing and skips intermediate values, but
/// gets the last value. In a cancelled task, a loop ends instead of waiting for a change.
public struct Updates<Element: Sendable>: AsyncSequence, Sendable {
  /// Returns the current value.
  let read: @Sendable () -> Element
  /// Returns true if a value equals the previous value.
  let isSame: @Sendable (Element, Element) -> Bool
  /// Wakes the loops after a change, and ends the loops at the end of the dispatch or group.
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
