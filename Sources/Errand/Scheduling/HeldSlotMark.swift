/// A mark of the tasks in which hooks run while the attempt holds a slot.
///
/// A request that a marked task sends needs no slot. Otherwise the request could wait for the slot, while the
/// holder of the slot waits for the request. The mark is a task local, so a task started by a hook inherits
/// the mark. The mark has no effect after the end of the hook.
final class HeldSlotMark: Sendable {
  /// The innermost mark of the running task; `nil`: no mark.
  @TaskLocal private static var current: HeldSlotMark?

  private let isOver = Locked(false)
  /// The mark that surrounded the dispatch.
  private let outer = HeldSlotMark.current

  private init() {}

  /// True if a holder of a slot waits for the running task.
  static var isHeld: Bool {
    var hold = current
    while let next = hold {
      if !next.isOver.withLock({ $0 }) { return true }
      hold = next.outer
    }
    return false
  }

  /// Runs hooks of an attempt, with a mark if the attempt holds a slot.
  static func holding<Result>(if hasSlot: Bool, _ hooks: () async throws -> Result) async rethrows -> Result {
    guard hasSlot else { return try await hooks() }
    let hold = HeldSlotMark()
    defer { hold.isOver.withLock { $0 = true } }
    return try await $current.withValue(hold) { try await hooks() }
  }
}

/// The credential refreshes of the running task.
///
/// The task local detects a request that would wait for its own refresh; such a request fails instead of
/// waiting forever. Tasks started by a refresh inherit the value, which counts as long as the refresh
/// runs.
enum RefreshScope {
  /// The refreshes of the running task, whether running or ended.
  @TaskLocal static var refreshes: [any RunningRefresh] = []

  /// True if the running task refreshes credentials for waiting dispatches, so must not queue behind
  /// them.
  static var isRefreshing: Bool { refreshes.contains { $0.isRunning } }
}

/// A credential refresh for waiting dispatches.
protocol RunningRefresh: AnyObject, Sendable {
  var isRunning: Bool { get }
}
