#if os(Linux)
import CStack

extension StackRoom {
  /// What is left.
  static var bytes: Int { Int(clamping: cstack_room()) }
}
#elseif !canImport(Darwin)
extension StackRoom {
  /// Not known.
  static var bytes: Int { .max }
}
#endif
