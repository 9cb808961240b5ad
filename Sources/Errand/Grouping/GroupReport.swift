public import Foundation

/// The report of a group's run.
public struct GroupReport: Sendable {
  /// The number of the run within the agent.
  public var id: UInt64
  /// The start, on the agent's clock.
  public var started: Date
  /// The duration, on the agent's clock.
  public var elapsed: Duration
  /// The members in order.
  ///
  /// A group that sends members one by one through a ``GroupRun`` keeps only the last 1,000 ended members.
  public var members: [GroupReport.Member]
  /// The outcome of the group.
  public var outcome: Outcome<Void>
}

extension GroupReport {
  /// The report of a member of a group.
  public struct Member: Sendable {
    /// The position in the group, from 0.
    public var index: Int
    /// The request.
    public var request: any Request
    /// True if the member was dispatched.
    public var wasSent: Bool
    /// The outcome; `.cancelled` for an unsent or unfinished member.
    public var outcome: Outcome<Void>
    /// The report of the dispatch; `nil` for an unsent or unfinished member.
    public var exchange: ExchangeReport?

    /// The error of a failed member.
    public var error: RequestError? { outcome.error }
  }
}

extension GroupReport.Member: PrintedByDescription {
  /// The index, the type of the request, and the outcome.
  public var description: String {
    "\(index) \(type(of: request)): \(outcome)\(wasSent ? "" : ", not sent")"
  }
}

extension RequestError.GroupFailure: PrintedByDescription {
  /// The index and request type of the failed member, and the number of other failures, if any.
  public var description: String {
    let text = "index \(index) of the group, \(type(of: request))"
    switch members.count {
    case 1: return text
    case 2: return "\(text); another member failed"
    case let count: return "\(text); \(count - 1) other members failed"
    }
  }
  /// A mirror with the descriptions of the members.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: members.map(\.description)) }
}

/// An observer of groups.
///
/// An ``Accessory`` of the agent that is also a `GroupAccessory` observes all groups of the agent.
///
/// The group awaits each call. Calls of `groupMemberDidStop` may overlap.
public protocol GroupAccessory: Sendable {
  /// Called when the group starts.
  func groupWillStart(_ context: GroupContext) async

  /// Called when a sent member has ended.
  func groupMemberDidStop(_ member: GroupReport.Member, context: GroupContext) async

  /// Called when the group's work has ended. A cancellation may still change the outcome.
  func groupWillStop(_ context: GroupContext) async

  /// Called when the group has ended, after the completion handler, if any.
  func groupDidStop(_ report: GroupReport, context: GroupContext) async
}

extension GroupAccessory {
  /// Has no effect.
  public func groupWillStart(_ context: GroupContext) async {}
  /// Has no effect.
  public func groupMemberDidStop(_ member: GroupReport.Member, context: GroupContext) async {}
  /// Has no effect.
  public func groupWillStop(_ context: GroupContext) async {}
  /// Has no effect.
  public func groupDidStop(_ report: GroupReport, context: GroupContext) async {}
}

/// The group and the progress, for calls of a `GroupAccessory`.
public struct GroupContext: Sendable {
  /// The number of the run within the agent.
  public let id: UInt64
  /// The group, as passed to the agent.
  public let group: any RequestGroup
  /// The progress of the group at the time of the call.
  public let progress: GroupReport.Progress
  /// The agent's redaction, to be applied to printed texts.
  public let redaction: Redaction

  /// The group's ``RequestGroup/comment``.
  public var comment: String? { group.comment }
}
