/// A check whether the stack of the current thread has room for a further level of nested values.
///
/// Without enough room, recursive code refuses the value, because a stack overflow ends the process.
package enum StackRoom {
  /// The last level without a check.
  package static let freeLevels = 8
  /// The free bytes required for the calls until the next check, such as a type's `init(from:)`: 64 KiB.
  private static let margin = 64 << 10

  package static var isEnough: Bool { bytes > margin }

  /// Returns the number of levels of `size` bytes each for which the stack has room.
  static func levels(of size: Int) -> Int { max(0, bytes &- margin) / size }

  @inline(__always)
  package static func isEnough(at level: Int) -> Bool { level <= freeLevels || isEnough }
}
