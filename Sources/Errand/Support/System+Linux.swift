#if !canImport(Darwin)
import Foundation

typealias SystemLock = pthread_mutex_t

extension UnsafeMutablePointer<SystemLock> {
  func prepare() { pthread_mutex_init(self, nil) }

  func lock() { pthread_mutex_lock(self) }

  func unlock() { pthread_mutex_unlock(self) }

  func dispose() { pthread_mutex_destroy(self) }
}

extension stat {
  var timeOfChange: timespec { st_mtim }
}

extension DebugLog {
  package static func write(_ text: String) {
    // A failure is ignored, because standard error may be closed.
    try? FileHandle.standardError.write(contentsOf: Data("Errand: \(text)\n".utf8))
  }
}

/// A placeholder without values.
///
/// On Linux, ``RunningSum`` uses the module `CSums`.
enum SystemSum: Sendable {
  init?(_ kind: RunningSum.Kind) { return nil }

  func update(_ bytes: UnsafeRawBufferPointer) {}

  func digest() -> [UInt8] { [] }
}
#endif
