public import Foundation

/// The account of one run of a group.
public struct GroupReport: Sendable {
  /// The number of the run among the groups of its agent.
  public var id: UInt64
  /// When it began, by the agent's clock.
  public var started: Date
  /// How long it took, by the agent's clock.
  public var elapsed: Duration
  /// The members, in the order of their indices.
  ///
  /// Of members that were sent one by one, as in a chain that polls, only the last 1,000 to end; a batch, and the list of a
  /// chain, are there in full.
  public var members: [MemberReport]
  /// How the group ended.
  public var outcome: Outcome<Void>
}

/// The account of one member of a group.
public struct MemberReport: Sendable {
  /// Its place in the group, from 0.
  public var index: Int
  /// The request.
  public var request: any Request
  /// Whether it was dispatched at all; `false` for a member whose turn had not come when the group ended.
  public var wasSent: Bool
  /// How it ended: `.cancelled` also for a member that was not sent.
  public var outcome: Outcome<Void>
  /// The account of its dispatch; `nil` for a member that was not sent.
  public var exchange: ExchangeReport?
}
