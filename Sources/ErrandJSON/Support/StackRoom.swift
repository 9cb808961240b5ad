/// A check of the free stack before a nested value, because a stack overflow ends the process.
package enum StackRoom {
  /// The deepest nesting level without a check.
  package static let freeLevels = 8
  /// The number of bytes of stack that must stay free.
  private static let margin = 64 << 10

  package static var isEnough: Bool { bytes > margin }

  static func levels(of size: Int) -> Int { max(0, bytes &- margin) / size }

  @inline(__always)
  package static func isEnough(at level: Int) -> Bool { level <= freeLevels || isEnough }
}
