/// How far a group is.
public struct GroupProgress: Sendable, Hashable {
  /// The members that have ended, however they did.
  public var completed: Int
  /// The members known so far; a chain that is extended grows.
  public var total: Int

  /// Makes a progress.
  public init(completed: Int, total: Int) {
    self.completed = completed
    self.total = total
  }
}

extension Updates where Element == GroupProgress {
  /// How far the group is now.
  public var current: GroupProgress { read() }
}
