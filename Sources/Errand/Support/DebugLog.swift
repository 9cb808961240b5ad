/// Messages to the developer, written to the system's log, or on Linux to standard error.
package enum DebugLog {
  /// True in a debug build.
  ///
  /// Inlined, so that the compiler removes debug code from a release build.
  @inline(__always)
  package static var isOn: Bool {
    #if DEBUG
    true
    #else
    false
    #endif
  }
}
