package import Foundation

/// A file that is being written before it takes its place in one step: its writer holds a lock, which the system takes away with the process.
///
/// Where a file system knows no locks, an unfinished file counts as left behind after an hour without a change.
package struct UnfinishedFile: Sendable {
  package let path: String
  /// Open for reading and writing; the lock ends with the descriptor.
  package let descriptor: Int32

  private static let digitCount = 16

  /// Makes a file and locks it; `nil`, with the reason in `errno`, where the system refuses.
  ///
  /// - Parameters:
  ///   - beginning: the path of the file, to which 16 hexadecimal digits are added.
  ///   - mode: the rights of the file, from which the process's mask takes some; its owner's alone by default.
  package static func create(_ beginning: String, mode: mode_t = 0o600) -> UnfinishedFile? {
    for _ in 0..<3 {
      let path = "\(beginning)\(SystemRandom.digits().prefix(digitCount))"
      let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)
      guard descriptor >= 0 else { return nil }
      if lock(descriptor) { return UnfinishedFile(path: path, descriptor: descriptor) }
    }
    return nil
  }

  /// Puts the file in its place, and in the place of what is there, in one step; removes the file where that fails.
  ///
  /// The descriptor has to be open still: a file without a lock counts as left behind.
  ///
  /// - Returns: the error number; `nil`: the file is in its place.
  package func place(at place: String) -> Int32? {
    guard rename(path, place) != 0 else { return nil }
    let code = errno
    unlink(path)
    return code
  }

  /// Writes a file whole, beside its place, and puts the file there; where that fails, what is there stays.
  ///
  /// - Parameters:
  ///   - place: the path that the file gets.
  ///   - mode: the rights of the file, from which the process's mask takes some; its owner's alone by default.
  ///   - completion: called with the descriptor when all bytes are written, before the file has its place; returns `false`, with the reason in
  ///     `errno`, to give the file up.
  /// - Returns: the error number; `nil`: the file is in its place.
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

  /// Locks a file that was just made; closes the file and returns `false` where a sweep has found it before it was locked.
  static func lock(_ descriptor: Int32) -> Bool {
    if AdvisoryLock.attempt(descriptor) != .busy {
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
    let isLeft =
      switch AdvisoryLock.attempt(descriptor) {
      case .acquired: true
      case .busy: false
      case .impossible: now - info.timeOfChange.tv_sec > 3_600
      }
    guard isLeft else { return Int64(info.st_size) }
    unlink(path)
    return 0
  }

  private static func isDigit(_ byte: UInt8) -> Bool { ASCII.isDigit(byte) || (0x61...0x66).contains(byte) }

  /// Removes the files whose writers have ended; files that are being written stay.
  ///
  /// - Parameter beginning: as ``create(_:mode:)`` had it.
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
