/// The events of an agent, for one listener: an `AsyncSequence` that ends with the agent.
///
/// ```swift
/// for await event in agent.events { print(event) }
/// ```
///
/// It listens from the moment it is asked for until it is dropped, and hears of every dispatch that begins meanwhile, from its
/// first event to its last. Nobody waits for a listener: one that reads too slowly loses the oldest events, and the next one
/// it gets tells how many in ``AgentEvent/missed``. Copies and iterators of one value share its events.
public struct AgentEvents: AsyncSequence, Sendable {
  /// An event.
  public typealias Element = AgentEvent
  /// There is none.
  public typealias Failure = Never

  /// Listens as long as it lives.
  fileprivate final class Subscription: Sendable {
    let listener: EventListener
    private let end: @Sendable () -> Void

    init(_ listener: EventListener, end: @escaping @Sendable () -> Void) {
      self.listener = listener
      self.end = end
    }

    deinit { end() }
  }

  fileprivate let subscription: Subscription

  init(_ listener: EventListener, end: @escaping @Sendable () -> Void) {
    subscription = Subscription(listener, end: end)
  }

  /// Reads the events; see ``AgentEvents``.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let subscription: Subscription

    /// Waits for the next event; `nil` when the agent is gone, and when the task was cancelled.
    public mutating func next() async -> AgentEvent? {
      await subscription.listener.next()
    }
  }

  /// Makes an iterator, which shares the events with the others of this value.
  public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }
}

extension RequestAgent {
  /// What happens from now on, for one more listener; of what it has not read, the newest 1,000 events are kept.
  public var events: AgentEvents { events(keeping: 1_000) }

  /// What happens from now on, for one more listener.
  ///
  /// An agent that nobody listens to spends nothing on events.
  ///
  /// - Parameter limit: how many events are kept that were not read, the newest; at least 1.
  public func events(keeping limit: Int) -> AgentEvents {
    let listener = EventListener(limit: Swift.max(limit, 1))
    inFlight.add(listener)
    return AgentEvents(listener) { [weak inFlight] in inFlight?.remove(listener) }
  }
}
