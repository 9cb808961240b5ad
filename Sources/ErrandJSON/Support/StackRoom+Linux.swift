#if os(Linux)
import CStack

extension StackRoom {
  static var bytes: Int { Int(clamping: cstack_room()) }
}
#elseif !canImport(Darwin)
extension StackRoom {
  /// The end of the stack is unknown.
  static var bytes: Int { .max }
}
#endif
