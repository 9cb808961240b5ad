public import Foundation

/// An event of a dispatch, or of the agent as a whole.
public struct AgentEvent: Sendable {
  /// The kind of an event.
  ///
  /// A `…Stopped` event follows each `…Started` event, unless dropped; see ``AgentEvent/missed``.
  public enum Kind: Sendable, Hashable {
    /// A dispatch has started.
    case requestStarted
    /// The request of an attempt is ready to be sent.
    ///
    /// The event is absent if the attempt fails earlier, if the cache responds without the server, and for a
    /// ``MockPolicy/whenFailed`` mock.
    case attemptStarted
    /// An informational response, such as 102 (Processing) or 103 (Early Hints), with its headers.
    ///
    /// Status 100 causes no event. `URLSessionTransport` reports no informational responses.
    case informationalResponse(HTTPResponse.Status, HTTPHeaders)
    /// An attempt with an ``attemptStarted`` event has ended.
    case attemptStopped
    /// The wait before a retry has started, with its longest duration; the duration may be 0.
    case retryWaitStarted(Duration)
    /// The wait before a retry has ended.
    case retryWaitStopped
    /// The dispatch has ended.
    case requestStopped
    /// Comes before an ``attemptStarted`` event if no other attempt with that event is running.
    ///
    /// Only dispatches of the sequence count; see ``RequestAgent/events(keeping:)``.
    case activityBegan
    /// Comes after an ``attemptStopped`` event if no other attempt with an ``attemptStarted`` event is
    /// running.
    case activityEnded
  }

  /// The kind of the event.
  public var kind: Kind
  /// The number of the dispatch within its agent.
  public var id: UInt64
  /// The number of the attempt, from 1; 0 before the first attempt.
  ///
  /// The events of a retry wait have the number of the previous attempt.
  public var attempt: Int
  /// The request's ``Request/tag``.
  public var tag: Int
  /// The time of the event, by the agent's clock.
  public var time: Date
  /// The report of the dispatch, for `requestStopped`; `nil` for all other kinds.
  public var report: ExchangeReport?
  /// The number of events dropped directly before the event, because the reader was too slow.
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
