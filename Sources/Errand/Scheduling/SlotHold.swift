/// Code of a user's that an attempt waits for while it has a slot: what that code sends waits for no slot.
///
/// So no dispatch waits for a slot whose holder waits for that dispatch. It is a task local, set around those hooks alone that
/// run between slot and wire, and where there are any. What such a hook starts and leaves behind inherits it, so it counts as
/// long as the hook runs.
final class SlotHold: Sendable {
  /// The innermost one that the running task is, or was, part of; `nil` outside of all.
  @TaskLocal private static var current: SlotHold?

  private let isOver = Locked(false)
  /// The one that the dispatch was sent under.
  private let outer = SlotHold.current

  private init() {}

  /// Whether somebody with a slot waits for the running task.
  static var isHeld: Bool {
    var hold = current
    while let next = hold {
      if !next.isOver.withLock({ $0 }) { return true }
      hold = next.outer
    }
    return false
  }

  /// Runs hooks of an attempt; marked, where it has a slot.
  static func holding<Result>(if hasSlot: Bool, _ hooks: () async throws -> Result) async rethrows -> Result {
    guard hasSlot else { return try await hooks() }
    let hold = SlotHold()
    defer { hold.isOver.withLock { $0 = true } }
    return try await $current.withValue(hold) { try await hooks() }
  }
}

/// The refreshes that a task is part of.
///
/// A task local: a request sent by a refresh that would wait for that refresh is found out and fails, instead of
/// waiting for ever. What a refresh started and left behind inherits it, so a refresh counts as long as it runs.
enum RefreshScope {
  /// The refreshes that the running task is, or was, part of; empty outside of any.
  @TaskLocal static var refreshes: [any RunningRefresh] = []

  /// Whether the running task renews credentials that others wait for: it must not queue behind them.
  static var isRefreshing: Bool { refreshes.contains { $0.isRunning } }
}

/// A refresh that others wait for as long as it runs.
protocol RunningRefresh: AnyObject, Sendable {
  var isRunning: Bool { get }
}
