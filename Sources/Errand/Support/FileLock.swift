import Foundation

/// A lock between processes, held as an advisory lock of a separate file.
package struct FileLock {
  private let path: String
  private let descriptor: Int32

  /// Waits until the lock is acquired, without blocking a thread.
  ///
  /// - Returns: `nil` if the file cannot be opened or locked, as in a read-only folder.
  /// - Throws: `CancellationError` if `cancellation` fires, or the task is cancelled.
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
      // The system's clock, because the other process does not follow the agent's clock.
      try await cancellation.cancelling { try await SystemTimers.continuous.sleep(for: time) }
    }
  }

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

  /// True if the locked file is still at the path.
  ///
  /// A previous holder may have removed the file.
  private var isInPlace: Bool {
    var (opened, found) = (stat(), stat())
    return fstat(descriptor, &opened) == 0 && lstat(path, &found) == 0 && opened.st_ino == found.st_ino
      && opened.st_dev == found.st_dev
  }

  package func release() {
    unlink(path)
    Foundation.close(descriptor)
  }
}
