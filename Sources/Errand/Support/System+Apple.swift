#if canImport(Darwin)
import CryptoKit
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

/// A sum by the hash functions of CryptoKit.
struct SystemSum: Sendable {
  private var function: any HashFunction

  /// `nil` for SHA-512/256, which CryptoKit lacks.
  init?(_ kind: RunningSum.Kind) {
    switch kind {
    case .md5: function = Insecure.MD5()
    case .sha1: function = Insecure.SHA1()
    case .sha256: function = SHA256()
    case .sha512: function = SHA512()
    case .sha512To256: return nil
    }
  }

  mutating func update(_ bytes: UnsafeRawBufferPointer) { function.update(bufferPointer: bytes) }

  func finished() -> [UInt8] {
    let function = function
    return Self.result(of: function)
  }

  private static func result(of function: some HashFunction) -> [UInt8] { Array(function.finalize()) }
}
#endif
