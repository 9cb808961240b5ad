#if canImport(Darwin)
import Darwin

extension StackRoom {
  /// What is left.
  static var bytes: Int {
    let thread = pthread_self()
    let lowest = UInt(bitPattern: pthread_get_stackaddr_np(thread)) &- UInt(pthread_get_stacksize_np(thread))
    let here = withUnsafeTemporaryAllocation(byteCount: 16, alignment: 16) {
      UInt(bitPattern: $0.baseAddress)
    }
    // Below the end is another stack, such as the one that the address sanitizer has for variables.
    return here < lowest ? .max : Int(clamping: here &- lowest)
  }
}
#endif
