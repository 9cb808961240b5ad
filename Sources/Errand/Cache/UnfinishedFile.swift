import Foundation

/// A file of a ``CacheFolder`` that is being written: its writer holds a lock, which the system takes away with the process.
///
/// Where a file system knows no locks, an unfinished file counts as left behind after an hour without a change.
enum UnfinishedFile {
  static let prefix = "new-"

  /// Makes a file in a folder and locks it.
  static func create(in folder: String) -> (path: String, descriptor: Int32)? {
    for _ in 0..<3 {
      let path = "\(folder)/\(prefix)\(SystemRandom.digits().prefix(16))"
      let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { return nil }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK {
        var info = stat()
        if fstat(descriptor, &info) == 0, info.st_nlink > 0 { return (path, descriptor) }
      }
      // A sweep has found the file before it was locked.
      close(descriptor)
    }
    return nil
  }

  /// Removes a file whose writer has ended; the length of the file where it stays.
  static func sweep(_ path: String, now: Int) -> Int64 {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return 0 }
    defer { close(descriptor) }
    var info = stat()
    guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return 0 }
    let isFree = flock(descriptor, LOCK_EX | LOCK_NB) == 0
    let isUnknown = !isFree && errno != EWOULDBLOCK
    guard isFree || isUnknown && now - info.timeOfChange.tv_sec > 3_600 else { return Int64(info.st_size) }
    unlink(path)
    return 0
  }
}
