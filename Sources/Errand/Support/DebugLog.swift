/// What a debug build says to the developer, unasked; each system has a place for it.
package enum DebugLog {
  /// Whether this is a debug build; a constant, so that a release build has nothing of what depends on it.
  @inline(__always)
  package static var isOn: Bool {
    #if DEBUG
    true
    #else
    false
    #endif
  }
}
