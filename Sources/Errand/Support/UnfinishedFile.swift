package import Foundation

/// A file that is written at a temporary path, and then renamed to its final path.
///
/// The writer locks the file. An unlocked file counts as abandoned. On a file system without locks, a file
/// counts as abandoned an hour after the last change.
package struct UnfinishedFile: Sendable {
  package let path: String
  package let descriptor: Int32

  private static let digitCount = 16

  /// Creates a file at `beginning` followed by random hexadecimal digits, and locks the file if possible.
  ///
  /// Returns `nil` after a failure, with the reason in `errno`.
  package static func create(_ beginning: String, mode: mode_t = 0o600) -> UnfinishedFile? {
    for _ in 0..<3 {
      let path = "\(beginning)\(SystemRandom.digits().prefix(digitCount))"
      let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)
      guard descriptor >= 0 else { return nil }
      if lock(descriptor) { return UnfinishedFile(path: path, descriptor: descriptor) }
    }
    errno = EAGAIN
    return nil
  }

  /// Renames the file to `place`.
  ///
  /// After a failure, removes the file and returns the error number. The descriptor must still be open.
  /// Otherwise the lock is gone, and a sweep could remove the file.
  package func place(at place: String) -> Int32? {
    guard rename(path, place) != 0 else { return nil }
    let code = errno
    unlink(path)
    return code
  }

  /// Writes a file at `place`.
  ///
  /// Returns the error number after a failure, otherwise `nil`. `completion` runs before the rename. To
  /// report a failure, `completion` sets `errno` and returns `false`.
  package static func write(
    _ data: Data, to place: String, mode: mode_t = 0o600, completion: (Int32) -> Bool
  ) -> Int32? {
    guard let file = create("\(place).", mode: mode) else { return errno }
    defer { close(file.descriptor) }
    var failure = SystemCall.write(data, to: file.descriptor)
    if failure == nil, !completion(file.descriptor) { failure = errno }
    guard let failure else { return file.place(at: place) }
    unlink(file.path)
    return failure
  }

  /// Locks a new file, if possible.
  ///
  /// If a sweep has locked or removed the file, closes the descriptor and returns `false`.
  static func lock(_ descriptor: Int32) -> Bool {
    if AdvisoryLock.attempt(descriptor) != .busy {
      var info = stat()
      if fstat(descriptor, &info) == 0, info.st_nlink > 0 { return true }
    }
    close(descriptor)
    return false
  }

  /// Removes the file if abandoned.
  ///
  /// Returns the length in bytes of a file that is in use, otherwise 0.
  static func sweep(_ path: String, now: Int) -> Int64 {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return 0 }
    defer { close(descriptor) }
    var info = stat()
    guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG, info.st_uid == geteuid() else {
      return 0
    }
    let isAbandoned =
      switch AdvisoryLock.attempt(descriptor) {
      case .acquired: true
      case .busy: false
      case .impossible: now - info.timeOfChange.tv_sec > 3_600
      }
    guard isAbandoned else { return Int64(info.st_size) }
    unlink(path)
    return 0
  }

  private static func isDigit(_ byte: UInt8) -> Bool { ASCII.isDigit(byte) || (0x61...0x66).contains(byte) }

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
