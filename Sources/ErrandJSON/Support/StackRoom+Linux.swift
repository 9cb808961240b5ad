#if os(Linux)
import CStack

extension StackRoom {
  /// The number of free bytes on the stack of the current thread.
  static var bytes: Int { Int(clamping: cstack_room()) }
}
#elseif !canImport(Darwin)
extension StackRoom {
  /// The maximum value, because the end of the stack is unknown on the platform.
  static var bytes: Int { .max }
}
#endif
