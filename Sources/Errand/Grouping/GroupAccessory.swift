/// Watches groups: shows one progress for all members.
///
/// It gets values, returns nothing and cannot throw. The calls of one run are awaited one after another, except that members
/// which a group of your own sends at once may end at once. `groupWillStart`, `groupWillStop` and `groupDidStop` come
/// once a run, in every outcome. An ``Accessory`` of the agent that is a group accessory too watches all its groups,
/// before the group's own. Every method has an empty default; a `@MainActor` class may conform.
public protocol GroupAccessory: Sendable {
  /// The group begins; no member has been sent.
  func groupWillStart(_ context: GroupContext) async

  /// A member that was sent has ended; nothing of its dispatch runs any more.
  func groupMemberDidStop(_ member: MemberReport, context: GroupContext) async

  /// Every member has ended, and nobody has been told; a cancellation still counts.
  func groupWillStop(_ context: GroupContext) async

  /// The last event: the outcome and the account of the group. Nothing runs after it.
  func groupDidStop(_ report: GroupReport, context: GroupContext) async
}

extension GroupAccessory {
  /// Does nothing.
  public func groupWillStart(_ context: GroupContext) async {}
  /// Does nothing.
  public func groupMemberDidStop(_ member: MemberReport, context: GroupContext) async {}
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
