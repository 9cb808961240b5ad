/// Messages to the developer: in the system's log, or on standard error on Linux.
package enum DebugLog {
  /// True in a debug build; inlined, so that the compiler removes debug code from a release build.
  @inline(__always)
  package static var isOn: Bool {
    #if DEBUG
    true
    #else
    false
    #endif
  }
}
