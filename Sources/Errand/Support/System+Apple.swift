#if canImport(Darwin)
import CryptoKit
import Darwin
import os

typealias SystemLock = os_unfair_lock_s

extension UnsafeMutablePointer<SystemLock> {
  func prepare() {}

  func lock() { os_unfair_lock_lock(self) }

  func unlock() { os_unfair_lock_unlock(self) }

  func dispose() {}
}

extension stat {
  var timeOfChange: timespec { st_mtimespec }
}

extension DebugLog {
  package static func write(_ text: String) {
    Logger(subsystem: "Errand", category: "requests").fault("\(text, privacy: .public)")
  }
}

struct SystemSum: Sendable {
  private var function: any HashFunction

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

  func digest() -> [UInt8] {
    let function = function
    return Self.result(of: function)
  }

  private static func result(of function: some HashFunction) -> [UInt8] { Array(function.finalize()) }
}
#endif
