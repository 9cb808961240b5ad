public import Foundation

/// The events of an agent for a single listener; the sequence ends with the agent.
///
/// ```swift
/// for await event in agent.events { print(event) }
/// ```
///
/// The listener receives events from its creation until its release, for every dispatch that starts in
/// the meantime. A dispatch never waits for a listener. If a listener reads too slowly, the oldest events
/// are dropped, and the next event states their number in ``AgentEvent/missed``. Copies and iterators of
/// the same value share the events.
public struct AgentEvents: AsyncSequence, Sendable {
  /// An event of the agent.
  public typealias Element = AgentEvent
  /// The sequence never throws.
  public typealias Failure = Never

  /// A subscription that ends with its release.
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

  /// An iterator over the events of an agent.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let subscription: Subscription

    /// Waits for the next event; returns `nil` after the release of the agent, or after cancellation of
    /// the task.
    public mutating func next() async -> AgentEvent? {
      await subscription.listener.next()
    }
  }

  /// Creates an iterator, which shares the events with all iterators of the same value.
  public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }
}

/// An event of a dispatch, or of the agent as a whole.
public struct AgentEvent: Sendable {
  /// The kind of an event.
  ///
  /// Each `…Stopped` event follows a `…Started` event, after any outcome. A retry wait follows an attempt.
  public enum Kind: Sendable, Hashable {
    /// A dispatch has started.
    case requestStarted
    /// An attempt goes to the transport.
    ///
    /// An attempt that fails earlier, or is answered by the cache, has no events.
    case attemptStarted
    /// An informational response, such as 102 (Processing) or 103 (Early Hints), with its headers.
    ///
    /// There is no event for status 100, nor for a transfer started by a different dispatch.
    /// `URLSessionTransport` reports no informational responses.
    case informationalResponse(HTTPResponse.Status, HTTPHeaders)
    /// An attempt has ended.
    case attemptStopped
    /// The wait before a retry has started, with its duration; the duration may be 0.
    case retryWaitStarted(Duration)
    /// The wait before a retry has ended, because the attempt follows or the dispatch was cancelled.
    case retryWaitStopped
    /// The dispatch has ended; no code of the dispatch runs afterwards.
    case requestStopped
    /// The first of the agent's running attempts is about to start.
    case activityBegan
    /// The last of the agent's running attempts has ended.
    case activityEnded
  }

  /// The kind of the event.
  public var kind: Kind
  /// The number of the dispatch within its agent; for an activity, of the dispatch that started or ended
  /// the activity.
  public var id: UInt64
  /// The number of the attempt, from 1; 0 before the first attempt.
  ///
  /// The events of a wait carry the number of the previous attempt.
  public var attempt: Int
  /// The request's ``Request/tag``.
  public var tag: Int
  /// The time of the event, by the agent's clock.
  public var time: Date
  /// The report of the dispatch, for `requestStopped`; `nil` for all other kinds.
  public var report: ExchangeReport?
  /// The number of events dropped before the event, because the listener read too slowly.
  public var missed = 0
}

extension AgentEvent: CustomStringConvertible {
  /// A text such as `7: attempt 2 started`, without the report.
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
