#if canImport(Darwin)
import Darwin

extension StackRoom {
  static var bytes: Int {
    let thread = pthread_self()
    let lowest = UInt(bitPattern: pthread_get_stackaddr_np(thread)) &- UInt(pthread_get_stacksize_np(thread))
    let here = withUnsafeTemporaryAllocation(byteCount: 16, alignment: 16) {
      UInt(bitPattern: $0.baseAddress)
    }
    // An address below the thread's stack belongs to another stack, as of the address sanitizer.
    return here < lowest ? .max : Int(clamping: here &- lowest)
  }
}
#endif
