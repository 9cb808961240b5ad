import Foundation

/// A lock shared with other processes, in a file that exists while the lock is held.
///
/// The system releases the lock with the process. Each holder has its own file: a removed or replaced file
/// locks nothing.
package struct FileLock {
  private let path: String
  private let descriptor: Int32

  /// Waits for the lock without blocking a thread, and takes the lock.
  ///
  /// - Parameter cancellation: The signal that ends the wait.
  /// - Returns: The lock; `nil` for a missing or read-only folder, and for a file system without locks.
  /// - Throws: `CancellationError` if `cancellation` fires, or the task is cancelled, before the lock is
  ///   free.
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
      // Uses the system's clock, because the other process has no other clock.
      try await cancellation.cancelling { try await SystemTimers.continuous.sleep(for: time) }
    }
  }

  /// Tries once; the lock is `nil` if not acquired.
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

  /// True if the locked file is still at the path: the previous holder may have removed the file.
  private var isInPlace: Bool {
    var (opened, found) = (stat(), stat())
    return fstat(descriptor, &opened) == 0 && lstat(path, &found) == 0 && opened.st_ino == found.st_ino
      && opened.st_dev == found.st_dev
  }

  /// Releases the lock, and removes the file.
  package func release() {
    unlink(path)
    Foundation.close(descriptor)
  }
}
