/// Messages to the developer: in the system's log on Apple platforms, on standard error on Linux.
package enum DebugLog {
  /// True in a debug build.
  ///
  /// The value is a constant, so that the compiler removes the code for debug builds from a release build.
  @inline(__always)
  package static var isOn: Bool {
    #if DEBUG
    true
    #else
    false
    #endif
  }
}
