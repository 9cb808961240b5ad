/// Code of a user's that an attempt waits for while it has a slot: what that code sends waits for no slot.
///
/// So nobody waits for a slot while another, who has one, waits for him. It is a task local, set around those hooks alone that
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
  static func holding<Result>(
    _ attempt: inout Attempt, _ hooks: (inout Attempt) async throws -> Result
  ) async rethrows -> Result {
    guard attempt.slot != nil else { return try await hooks(&attempt) }
    let hold = SlotHold()
    defer { hold.isOver.withLock { $0 = true } }
    return try await $current.withValue(hold) { try await hooks(&attempt) }
  }
}
