/// A task-local mark on a hook that runs while its attempt holds a slot: requests sent by the hook need no
/// slot.
///
/// Without the mark, a deadlock is possible: the hook's request waits for a slot, and the holder of the slot
/// waits for the hook. Hooks here include authenticators and accessories. Child tasks and a `Task` of a hook
/// inherit the mark, but `Task.detached` does not. The mark is valid as long as the hook runs.
final class HeldSlotMark: Sendable {
  /// The innermost mark of the running task; `nil`: no mark.
  @TaskLocal private static var current: HeldSlotMark?

  private let isOver = Locked(false)
  /// The mark of the enclosing hook; `nil`: no enclosing hook.
  private let outer = HeldSlotMark.current

  private init() {}

  /// True if the running task inherited the mark of a hook that still runs.
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
/// The task-local value detects a request that would wait for its own refresh; such a request fails instead
/// of waiting forever. Child tasks and a `Task` of a refresh inherit the value, but `Task.detached` does not.
/// The value is valid as long as the refresh runs.
enum RefreshScope {
  /// The refreshes of the running task, whether running or ended.
  @TaskLocal static var refreshes: [any RunningRefresh] = []

  /// True if the running task refreshes credentials for waiting dispatches.
  ///
  /// The requests of such a task must not queue behind the waiting dispatches.
  static var isRefreshing: Bool { refreshes.contains { $0.isRunning } }
}

/// A credential refresh for waiting dispatches.
protocol RunningRefresh: AnyObject, Sendable {
  var isRunning: Bool { get }
}
