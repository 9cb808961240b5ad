public import Foundation

/// An event of a dispatch, or of the agent as a whole.
public struct AgentEvent: Sendable {
  /// The kind of an event.
  public enum Kind: Sendable, Hashable {
    /// A dispatch has started.
    case requestStarted
    /// The request of an attempt is ready to be sent.
    case attemptStarted
    /// An informational response, such as 103 (Early Hints), with its headers.
    ///
    /// `URLSessionTransport` reports no informational responses.
    case informationalResponse(HTTPResponse.Status, HTTPHeaders)
    /// A step toward a new connection for an attempt: lookup, TCP, or TLS.
    ///
    /// Of Errand's transports, only `CurlTransport` reports these steps. The ``AgentEvent/time`` is the time
    /// of the step. `connectEnded` and `handshakeStarted` are reported later, once the connection is ready or
    /// has failed.
    case connection(TransportSummary.ConnectionStep)
    /// An attempt with an ``attemptStarted`` event has ended.
    case attemptStopped
    /// The wait before a retry has started; the wait may be shorter than the duration.
    case retryWaitStarted(Duration)
    /// The wait before a retry has ended.
    case retryWaitStopped
    /// The dispatch has ended.
    case requestStopped
    /// Comes before an ``attemptStarted`` event if no other attempt is running.
    ///
    /// Only attempts that the event sequence observes count.
    case activityBegan
    /// Comes after an ``attemptStopped`` event if no other attempt is running.
    ///
    /// Only attempts that the event sequence observes count.
    case activityEnded
    /// A circuit of the ``CircuitBreaker`` has opened, become half-open, or closed.
    ///
    /// The event has no dispatch: ``AgentEvent/id``, ``AgentEvent/attempt`` and ``AgentEvent/tag`` are 0.
    case circuitChanged(CircuitBreaker.Circuit)
  }

  /// The kind of the event.
  public var kind: Kind
  /// The number of the dispatch within its agent; 0 for `circuitChanged`.
  public var id: UInt64
  /// The number of the attempt, from 1; 0 before the first attempt, and for an event of the agent.
  public var attempt: Int
  /// The request's ``Request/tag``.
  public var tag: Int
  /// The time of the event, by the agent's clock.
  public var time: Date
  /// The report of the dispatch, for `requestStopped`; otherwise `nil`.
  public var report: ExchangeReport?
  /// The number of events dropped since the previously read event, because the reader was too slow.
  public var missed = 0
}

extension AgentEvent: CustomStringConvertible {
  /// A text such as `7: attempt 2 started`.
  public var description: String {
    switch kind {
    case .requestStarted: "\(id): started"
    case .attemptStarted: "\(id): attempt \(attempt) started"
    case .informationalResponse(let status, _): "\(id): \(status.code) came in attempt \(attempt)"
    case .connection(let step): "\(id): \(step) for attempt \(attempt)"
    case .attemptStopped: "\(id): attempt \(attempt) stopped"
    case .retryWaitStarted(let wait): "\(id): wait of \(wait.secondsText) after attempt \(attempt)"
    case .retryWaitStopped: "\(id): wait after attempt \(attempt) ended"
    case .requestStopped: "\(id): stopped"
    case .activityBegan: "activity began"
    case .activityEnded: "activity ended"
    case .circuitChanged(let circuit): "circuit of \(circuit)"
    }
  }
}
