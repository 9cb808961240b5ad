/// A batch that waits for every member and gives every outcome; made by ``BatchRequest/outcomes`` and
/// ``UniformBatch/outcomes``.
///
/// No failure of a member is its own.
public struct GroupOutcomes<Results: Sendable>: RequestGroup {
  /// Watch this group; those of the batch it was made of.
  public var accessories: [any GroupAccessory] = []
  /// Shown in logs; that of the batch it was made of.
  public var comment: String?
  let body: @Sendable (GroupRun) async throws -> Results

  /// Sends the members.
  public func results(in run: GroupRun) async throws -> Results { try await body(run) }
}
