/// A task-local mark for hooks, authenticators and accessories that run while an attempt holds a slot.
///
/// A request sent by such code does not wait for a slot of its origin. Otherwise the request could wait for
/// the slot of the attempt, and the attempt for the request.
final class HeldSlotMark: Sendable {
  @TaskLocal private static var current: HeldSlotMark?

  private let isOver = Locked(false)
  /// `nil`: no enclosing mark.
  private let outer = HeldSlotMark.current

  private init() {}

  static var isHeld: Bool {
    var mark = current
    while let next = mark {
      if !next.isOver.withLock({ $0 }) { return true }
      mark = next.outer
    }
    return false
  }

  static func holding<Result>(if hasSlot: Bool, _ hooks: () async throws -> Result) async rethrows -> Result {
    guard hasSlot else { return try await hooks() }
    let mark = HeldSlotMark()
    defer { mark.isOver.withLock { $0 = true } }
    return try await $current.withValue(mark) { try await hooks() }
  }
}

enum RefreshScope {
  /// The credential refreshes around the current task, including ended refreshes.
  @TaskLocal static var refreshes: [any RunningRefresh] = []

  static var isRefreshing: Bool { refreshes.contains { $0.isRunning } }
}

protocol RunningRefresh: AnyObject, Sendable {
  var isRunning: Bool { get }
}
