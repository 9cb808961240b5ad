#if canImport(Darwin)
import Darwin
import os

/// The lock behind ``Locked``, which may not move.
typealias SystemLock = os_unfair_lock_s

extension UnsafeMutablePointer<SystemLock> {
  func prepare() {}

  func lock() { os_unfair_lock_lock(self) }

  func unlock() { os_unfair_lock_unlock(self) }

  func dispose() {}
}

extension stat {
  /// When the content changed last.
  var timeOfChange: timespec { st_mtimespec }
}

extension DebugLog {
  /// Says something as a fault in the log, where Xcode shows it.
  package static func say(_ text: String) {
    Logger(subsystem: "Errand", category: "requests").fault("\(text, privacy: .public)")
  }
}
#endif
