import Foundation

/// A lock that other processes heed too: a file that is there as long as somebody holds the lock.
///
/// The system takes the lock away with the process. Each holder has a file of its own: a file that was removed, or replaced, locks nothing.
package struct FileLock {
  private let path: String
  private let descriptor: Int32

  /// Waits until the lock is free, and takes the lock; no thread is blocked meanwhile.
  ///
  /// - Parameter cancellation: ends the wait.
  /// - Returns: `nil` where no lock can be had: the folder is missing or may not be written to, or the file system knows no locks.
  /// - Throws: `CancellationError` when `cancellation` fires, or the task is cancelled, before the lock is free.
  package static func acquire(_ path: String, unless cancellation: CancellationSignal) async throws
    -> FileLock?
  {
    var waits = LockWaits()
    while true {
      try Task.checkCancellation()
      if cancellation.isCancelled { throw CancellationError() }
      let (result, lock) = attempt(path)
      if result != .busy { return lock }
      let time = waits.next()
      // On the system's clock, as the other process has no other.
      try await cancellation.cancelling { try await SystemTimers.continuous.sleep(for: time) }
    }
  }

  /// Tries once; the lock is `nil` where it was not acquired.
  private static func attempt(_ path: String) -> (result: AdvisoryLock.Acquisition, lock: FileLock?) {
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    let descriptor = Int32(SystemCall.uninterrupted { Int(Foundation.open(path, flags, 0o600)) }.count)
    guard descriptor >= 0 else { return (.impossible, nil) }
    let lock = FileLock(path: path, descriptor: descriptor)
    let result = AdvisoryLock.attempt(descriptor)
    if result == .acquired, lock.isInPlace { return (.acquired, lock) }
    Foundation.close(descriptor)
    return (result == .impossible ? .impossible : .busy, nil)
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
