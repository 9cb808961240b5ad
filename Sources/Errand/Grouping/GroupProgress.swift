extension GroupReport {
  /// The progress of a group.
  public struct Progress: Sendable, Hashable {
    /// The number of sent members that have ended.
    public var completed: Int
    /// The number of members known so far.
    public var total: Int

    /// Creates a progress.
    public init(completed: Int, total: Int) {
      self.completed = completed
      self.total = total
    }
  }
}

extension Updates where Element == GroupReport.Progress {
  /// The current progress.
  public var current: GroupReport.Progress { readCurrent() ?? GroupReport.Progress(completed: 0, total: 0) }
}
