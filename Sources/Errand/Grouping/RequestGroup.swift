/// Requests that are one thing to their caller: one outcome, one handle, one progress.
///
/// ``BatchRequest``, ``UniformBatch`` and ``ChainRequest`` are groups; ``RequestAgent/send(_:)-(G)`` and
/// ``RequestAgent/start(_:completion:)`` take any. A group is a value: each call runs it anew, and two runs know
/// nothing of each other. A group of your own sends its members by the ``GroupRun`` it is given.
public protocol RequestGroup<Results>: Sendable {
  /// What the group gives when it succeeds.
  associatedtype Results: Sendable

  /// Watch this group, after those of the agent's accessories that are group accessories too; empty by default.
  var accessories: [any GroupAccessory] { get }

  /// Shown in logs; `nil` by default.
  var comment: String? { get }

  /// Sends the members and makes the results of theirs.
  ///
  /// Called once a run, off the main actor. What it throws is the failure of the group; `CancellationError` its
  /// cancellation. Members that still run when it returns are cancelled.
  func results(in run: GroupRun) async throws -> Results
}

extension RequestGroup {
  /// Empty.
  public var accessories: [any GroupAccessory] { [] }
  /// `nil`.
  public var comment: String? { nil }
}
