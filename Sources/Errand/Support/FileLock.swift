import Foundation

/// A lock that other processes heed too: a file that is there as long as somebody holds the lock.
///
/// The system takes the lock away with the process. Each holder has a file of its own: a file that was removed, or replaced, locks nothing.
package struct FileLock {
  private enum Try {
    case taken(FileLock)
    case busy
    /// There can be no such file, or the file system knows no locks.
    case impossible
  }

  private let path: String
  private let descriptor: Int32

  /// The first wait for a lock that another holds; each further wait is twice as long, up to the longest.
  private static let firstWait = Duration.milliseconds(2)
  private static let longestWait = Duration.milliseconds(64)

  /// Waits until the lock is free, and takes the lock; no thread is blocked meanwhile.
  ///
  /// - Parameter cancellation: ends the wait.
  /// - Returns: `nil` where no lock can be had: the folder is missing or may not be written to, or the file system knows no locks.
  /// - Throws: `CancellationError` when `cancellation` fires, or the task is cancelled, before the lock is free.
  package static func acquire(_ path: String, unless cancellation: CancellationSignal) async throws
    -> FileLock?
  {
    var wait = firstWait
    while true {
      try Task.checkCancellation()
      if cancellation.isCancelled { throw CancellationError() }
      switch attempt(path) {
      case .taken(let lock): return lock
      case .impossible: return nil
      case .busy: break
      }
      let time = wait
      // On the system's clock, as the other process has no other.
      try await cancellation.cancelling { try await SystemTimers.continuous.sleep(for: time) }
      wait = min(wait * 2, longestWait)
    }
  }

  private static func attempt(_ path: String) -> Try {
    let descriptor = Foundation.open(
      path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { return errno == EINTR ? .busy : .impossible }
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let code = errno
      Foundation.close(descriptor)
      return code == EWOULDBLOCK || code == EINTR ? .busy : .impossible
    }
    let lock = FileLock(path: path, descriptor: descriptor)
    if lock.isInPlace { return .taken(lock) }
    Foundation.close(descriptor)
    return .busy
  }

  /// Whether the file that was locked is the one at the path still: the holder before may have removed the file.
  private var isInPlace: Bool {
    var (opened, found) = (stat(), stat())
    return fstat(descriptor, &opened) == 0 && lstat(path, &found) == 0 && opened.st_ino == found.st_ino
      && opened.st_dev == found.st_dev
  }

  /// Gives the lock back, and removes the file.
  package func release() {
    unlink(path)
    Foundation.close(descriptor)
  }
}
