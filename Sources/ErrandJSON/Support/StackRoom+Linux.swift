#if os(Linux)
import CStack

extension StackRoom {
  static var bytes: Int { Int(clamping: cstack_room()) }
}
#elseif !canImport(Darwin)
extension StackRoom {
  /// Unlimited, because the end of the stack is unknown on the remaining platforms.
  static var bytes: Int { .max }
}
#endif
