import Foundation

#if canImport(os)
import os
#endif

/// What a debug build says to the developer, unasked.
enum DebugLog {
  /// Whether this is a debug build; a constant, so that a release build has nothing of what depends on it.
  @inline(__always)
  static var isOn: Bool {
    #if DEBUG
    true
    #else
    false
    #endif
  }

  /// Says something on standard error; on Apple platforms as a fault in the log, where Xcode shows it.
  static func say(_ text: String) {
    #if canImport(os)
    Logger(subsystem: "Errand", category: "requests").fault("\(text, privacy: .public)")
    #else
    // A closed standard error wants no warnings.
    try? FileHandle.standardError.write(contentsOf: Data("Errand: \(text)\n".utf8))
    #endif
  }
}
