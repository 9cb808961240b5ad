import Foundation

/// A file that is being written before it takes its place: its writer holds a lock, which the system takes away with the process.
///
/// Where a file system knows no locks, an unfinished file counts as left behind after an hour without a change.
enum UnfinishedFile {
  private static let digitCount = 16

  /// Makes a file and locks it; `nil`, with the reason in `errno`, where the system refuses.
  ///
  /// - Parameter beginning: the path of the file, to which 16 hexadecimal digits are added.
  static func create(_ beginning: String) -> (path: String, descriptor: Int32)? {
    for _ in 0..<3 {
      let path = "\(beginning)\(SystemRandom.digits().prefix(digitCount))"
      let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { return nil }
      if lock(descriptor) { return (path, descriptor) }
    }
    return nil
  }

  /// Locks a file that was just made; closes the file and returns `false` where a sweep has found it before it was locked.
  static func lock(_ descriptor: Int32) -> Bool {
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK {
      var info = stat()
      if fstat(descriptor, &info) == 0, info.st_nlink > 0 { return true }
    }
    close(descriptor)
    return false
  }

  /// Removes a file of this user whose writer has ended; the length of the file where it stays.
  static func sweep(_ path: String, now: Int) -> Int64 {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return 0 }
    defer { close(descriptor) }
    var info = stat()
    guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG, info.st_uid == geteuid() else {
      return 0
    }
    let isFree = flock(descriptor, LOCK_EX | LOCK_NB) == 0
    let isUnknown = !isFree && errno != EWOULDBLOCK
    guard isFree || isUnknown && now - info.timeOfChange.tv_sec > 3_600 else { return Int64(info.st_size) }
    unlink(path)
    return 0
  }

  private static func isDigit(_ byte: UInt8) -> Bool { ASCII.isDigit(byte) || (0x61...0x66).contains(byte) }

  /// Removes the files whose writers have ended; files that are being written stay.
  ///
  /// - Parameter beginning: as ``create(_:)`` had it.
  static func sweep(beginning: String) {
    let folder = (beginning as NSString).deletingLastPathComponent
    let name = (beginning as NSString).lastPathComponent
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
    for other in names where other.hasPrefix(name) {
      let digits = other.utf8.dropFirst(name.utf8.count)
      guard digits.count == digitCount, digits.allSatisfy(isDigit) else { continue }
      let path = (folder as NSString).appendingPathComponent(other)
      _ = sweep(path, now: Int(SystemTime.date.timeIntervalSince1970))
    }
  }
}
