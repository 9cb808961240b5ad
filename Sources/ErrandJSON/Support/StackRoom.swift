/// Whether the stack of the current thread has room for one more level of values within each other.
///
/// A document that is nested less deep than its limit may still be too deep for a thread with a small stack: those that Apple platforms make
/// have 512 KiB, also the ones that tasks run on, and those of musl 128 KiB. What takes some of the stack for each level asks here, and refuses,
/// as nothing can be done any more where a stack has ended.
package enum StackRoom {
  /// Up to so many levels nobody asks, so that usual documents pay nothing: they take little of any stack.
  package static let freeLevels = 8
  /// What has to be left for what is called before anybody asks again: a type's own coding, and what that calls.
  private static let margin = 64 << 10

  /// Whether another level may be begun; where the end of the stack is not known, always.
  package static var isEnough: Bool { bytes > margin }

  /// How many levels there is room for that take so many bytes each.
  static func levels(of size: Int) -> Int { max(0, bytes &- margin) / size }

  /// Whether a level may be begun that has so many around it.
  @inline(__always)
  package static func isEnough(at level: Int) -> Bool { level <= freeLevels || isEnough }
}
