/// A check whether the stack of the current thread has room for a further level of nested values.
///
/// A document within the depth limit may still be too deep for a thread with a small stack. Secondary
/// threads have 512 KiB on Apple platforms, including the threads of tasks, and 128 KiB with musl.
/// Recursive code checks the room and refuses a document, because a stack overflow ends the process.
package enum StackRoom {
  /// The number of levels without a check, so that typical documents have no overhead.
  ///
  /// Eight levels fit into a small stack too.
  package static let freeLevels = 8
  /// The free bytes for the calls between two checks, such as `init(from:)` of a type: 64 KiB.
  private static let margin = 64 << 10

  /// True if the stack has room for a further level, or if the end of the stack is unknown.
  package static var isEnough: Bool { bytes > margin }

  /// Returns the number of levels of `size` bytes each for which the stack has room.
  static func levels(of size: Int) -> Int { max(0, bytes &- margin) / size }

  /// Returns true if the stack has room for a level inside `level` outer levels.
  @inline(__always)
  package static func isEnough(at level: Int) -> Bool { level <= freeLevels || isEnough }
}
