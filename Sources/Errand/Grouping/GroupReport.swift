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
  /// Of members that were sent one by one, as in a chain that polls, only the last 1,000 to end; a batch, and the list of a chain, are
  /// there in full.
  public var members: [GroupReport.Member]
  /// How the group ended.
  public var outcome: Outcome<Void>
}

extension GroupReport {
  /// The account of one member of a group.
  public struct Member: Sendable {
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
}

extension GroupReport.Member: PrintedByDescription {
  /// The index, the type of the request, and how it ended; no value of the request.
  public var description: String {
    "\(index) \(type(of: request)): \(outcome)\(wasSent ? "" : ", not sent")"
  }
}

extension RequestError.GroupFailure: PrintedByDescription {
  /// The index and the type of the member, and how many others failed; no value of a request.
  public var description: String {
    let text = "index \(index) of the group, \(type(of: request))"
    switch members.count {
    case 1: return text
    case 2: return "\(text); one other failed"
    case let count: return "\(text); \(count - 1) others failed"
    }
  }
  /// Shows `dump` the members.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: members.map(\.description)) }
}

extension RequestError.GroupFailure.Member: PrintedByDescription {
  /// The index, the type of the request, and the error; no value of the request.
  public var description: String { "\(index) \(type(of: request)): \(error)" }
}

/// Watches groups: shows one progress for all members.
///
/// It gets values, returns nothing and cannot throw. The calls of one run are awaited one after another, except that members which a group
/// of your own sends at once may end at once. `groupWillStart`, `groupWillStop` and `groupDidStop` come once a run, in every outcome. An
/// ``Accessory`` of the agent that is a group accessory too watches all its groups, before the group's own. Every method has an empty
/// default; a `@MainActor` class may conform.
public protocol GroupAccessory: Sendable {
  /// The group begins; no member has been sent.
  func groupWillStart(_ context: GroupContext) async

  /// A member that was sent has ended; nothing of its dispatch runs any more.
  func groupMemberDidStop(_ member: GroupReport.Member, context: GroupContext) async

  /// Every member has ended, and no accessory was told of the outcome; a cancellation still counts.
  func groupWillStop(_ context: GroupContext) async

  /// The last event: the outcome and the account of the group. Nothing runs after it.
  func groupDidStop(_ report: GroupReport, context: GroupContext) async
}

extension GroupAccessory {
  /// Does nothing.
  public func groupWillStart(_ context: GroupContext) async {}
  /// Does nothing.
  public func groupMemberDidStop(_ member: GroupReport.Member, context: GroupContext) async {}
  /// Does nothing.
  public func groupWillStop(_ context: GroupContext) async {}
  /// Does nothing.
  public func groupDidStop(_ report: GroupReport, context: GroupContext) async {}
}

/// What a group accessory is told besides its subject.
public struct GroupContext: Sendable {
  /// The number of the run among the groups of its agent; not that of a dispatch.
  public let id: UInt64
  /// The group as the caller wrote it.
  public let group: any RequestGroup
  /// How far the group is.
  public let progress: GroupProgress
  /// Hides secrets in whatever you print.
  public let redaction: Redaction

  /// The group's ``RequestGroup/comment``.
  public var comment: String? { group.comment }
}
