public import Foundation

/// The events of an agent, for one listener: an `AsyncSequence` that ends with the agent.
///
/// ```swift
/// for await event in agent.events { print(event) }
/// ```
///
/// It listens from the moment it is asked for until it is dropped, and hears of every dispatch that begins meanwhile, from its
/// first event to its last. A dispatch does not wait for a listener: one that reads too slowly loses the oldest events, and the next one
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

/// Something that happened to a dispatch, or to the agent as a whole.
public struct AgentEvent: Sendable {
  /// What happened.
  ///
  /// Each `…Stopped` follows its `…Started`, in every outcome, and a wait lies between two attempts.
  public enum Kind: Sendable, Hashable {
    /// A dispatch began.
    case requestStarted
    /// An attempt goes to the transport; an attempt that fails before has no events.
    case attemptStarted
    /// An informational response came before the final one, such as 102 (Processing) or 103 (Early Hints), and these are its header fields.
    ///
    /// Not of 100, nor of a transfer that another dispatch started. `URLSessionTransport` tells none.
    case informationalResponse(HTTPResponse.Status, HTTPHeaders)
    /// That attempt ended.
    case attemptStopped
    /// It is waited for another attempt, as long as is said here; 0 is a wait too.
    case retryWaitStarted(Duration)
    /// That wait ended: the attempt follows, or the dispatch was cancelled.
    case retryWaitStopped
    /// The dispatch ended; nothing of it runs after this.
    case requestStopped
    /// The first attempt of those that run now is about to start.
    case activityBegan
    /// The last attempt that ran has stopped.
    case activityEnded
  }

  /// What happened.
  public var kind: Kind
  /// The number of the dispatch in its agent; of an activity, that of the dispatch that began or ended it.
  public var id: UInt64
  /// The number of the attempt, from 1; 0 before the first.
  ///
  /// A wait has that of the attempt before it.
  public var attempt: Int
  /// The request's ``Request/tag``.
  public var tag: Int
  /// When it happened, by the agent's clock.
  public var time: Date
  /// The account of the dispatch, with `requestStopped`; `nil` otherwise.
  public var report: ExchangeReport?
  /// How many events were lost before this one, as the listener read too slowly.
  public var missed = 0
}

extension AgentEvent: CustomStringConvertible {
  /// Such as `7: attempt 2 started`, without the account.
  public var description: String {
    switch kind {
    case .requestStarted: "\(id): started"
    case .attemptStarted: "\(id): attempt \(attempt) started"
    case .informationalResponse(let status, _): "\(id): \(status.code) came in attempt \(attempt)"
    case .attemptStopped: "\(id): attempt \(attempt) stopped"
    case .retryWaitStarted(let wait): "\(id): wait of \(wait.secondsText) after attempt \(attempt)"
    case .retryWaitStopped: "\(id): wait after attempt \(attempt) ended"
    case .requestStopped: "\(id): stopped"
    case .activityBegan: "activity began"
    case .activityEnded: "activity ended"
    }
  }
}
