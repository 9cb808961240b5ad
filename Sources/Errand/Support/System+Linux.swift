#if !canImport(Darwin)
import Foundation

/// The lock behind ``Locked``, which may not move.
typealias SystemLock = pthread_mutex_t

extension UnsafeMutablePointer<SystemLock> {
  func prepare() { pthread_mutex_init(self, nil) }

  func lock() { pthread_mutex_lock(self) }

  func unlock() { pthread_mutex_unlock(self) }

  func dispose() { pthread_mutex_destroy(self) }
}

extension stat {
  /// When the content changed last.
  var timeOfChange: timespec { st_mtim }
}

extension DebugLog {
  /// Says something on standard error.
  package static func say(_ text: String) {
    // A closed standard error wants no warnings.
    try? FileHandle.standardError.write(contentsOf: Data("Errand: \(text)\n".utf8))
  }
}

/// The system has no hash functions.
enum SystemSum: Sendable {
  init?(_ kind: RunningSum.Kind) { return nil }

  func update(_ bytes: UnsafeRawBufferPointer) {}

  func finished() -> [UInt8] { [] }
}
#endif
