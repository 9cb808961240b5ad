/// Values over time, such as the progress of a dispatch or the events of an agent.
///
/// ```swift
/// for await progress in handle.progress { bar.value = progress.fraction ?? 0 }
/// for await event in agent.events { print(event) }
/// ```
///
/// A slow loop over progress may skip values, but not the last value. If several loops share a sequence of
/// events, each event reaches only one loop. If the loops are slow, the oldest unread events are lost; see
/// ``AgentEvent/missed``.
public struct Updates<Element: Sendable>: AsyncSequence, Sendable {
  /// The sequence never throws.
  public typealias Failure = Never
  typealias Next = () async -> Element?

  private let begin: @Sendable () -> Next
  /// Returns the current value; `nil` for a sequence of events.
  let readCurrent: @Sendable () -> Element?

  init(current: @escaping @Sendable () -> Element? = { nil }, begin: @escaping @Sendable () -> Next) {
    (self.begin, readCurrent) = (begin, current)
  }

  /// Creates an iterator.
  public func makeAsyncIterator() -> Iterator { Iterator(begin()) }

  /// An iterator over the values.
  public struct Iterator: AsyncIteratorProtocol {
    private let waitForNext: Next

    fileprivate init(_ next: @escaping Next) { waitForNext = next }

    /// Waits for the next value; returns `nil` at the end.
    ///
    /// A cancelled task does not wait: unread values may still come first, then the result is `nil`.
    public mutating func next() async -> Element? { await waitForNext() }
  }
}

package struct ChangingValue<Value: Sendable>: Sendable {
  let read: @Sendable () -> Value
  let isSame: @Sendable (Value, Value) -> Bool
  /// The signal of changes.
  ///
  /// The signal ends with the dispatch or the group.
  let changes: ProgressSignal

  var updates: Updates<Value> { updates({ $0 }, last: { nil }) }

  /// Returns the current value and later values, transformed.
  ///
  /// The element of `last`, if any, comes at the end.
  package func updates<Element: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Element, last: @escaping @Sendable () async -> Element?
  ) -> Updates<Element> {
    Updates(current: { transform(read()) }) {
      var changes = changes.changes().makeAsyncIterator()
      var (given, hasEnded): (Value?, Bool) = (nil, false)
      func take() -> Element? {
        let value = read()
        if let given, isSame(given, value) { return nil }
        given = value
        return transform(value)
      }
      return {
        guard !hasEnded else { return nil }
        while true {
          if let element = take() { return element }
          guard await changes.next() == nil else { continue }
          if !Task.isCancelled, let element = take() { return element }
          hasEnded = true
          return await last()
        }
      }
    }
  }
}
