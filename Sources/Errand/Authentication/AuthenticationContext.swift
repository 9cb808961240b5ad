public import Foundation

/// What an ``Authenticator`` is told besides the request, and what it may use.
public struct AuthenticationContext: Sendable {
  /// What hooks are told of the dispatch.
  ///
  /// In a refresh it is that of the dispatch that began it, for all who wait.
  public let dispatch: RequestContext
  /// The agent of the dispatch, to send what renews credentials, with ``Authentication/none``.
  ///
  /// Taken from here and not captured, it is not kept alive by its own authenticator.
  public let agent: RequestAgent
  /// Fires when the dispatch is cancelled or out of time: whatever waits leaves then.
  ///
  /// In a refresh it fires when the refresh takes too long; no single dispatch ends it.
  public internal(set) var cancellation: CancellationSignal
  /// Whether the request is only explained, by ``RequestAgent/explain(_:)``: nothing is to be sent for it, and
  /// credentials that ought to be renewed are shown as they are.
  public let isExplanation: Bool
  /// Where ``identify(as:)`` writes; `nil` where nobody asks.
  let identity: Locked<String?>?

  /// Tells whose credentials were put on the request, where signatures of equal requests differ.
  ///
  /// Requests that share a transfer, by ``CoalescingPolicy``, are compared as they are sent. One that was identified is
  /// compared as it was before it was signed, and by the identity instead. It must name the user and whatever else the
  /// answer depends on.
  public func identify(as identity: String) { self.identity?.withLock { $0 = identity } }

  /// The wall time by the agent's clock, for expiries.
  public var date: Date { agent.configuration.clock.date }
}

extension AuthenticationContext: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The same as that of the dispatch's context.
  public var description: String { dispatch.description }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` the dispatch's numbers only.
  public var customMirror: Mirror { Mirror(self, children: ["dispatch": dispatch]) }
}
