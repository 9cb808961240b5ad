import Foundation

/// The time limit for an operation's waits for locks.
///
/// Without a limit, a suspended process that holds a lock could block the operation forever.
struct LockDeadline: Sendable {
  private let end: Duration

  init(_ duration: Duration = .seconds(2)) { end = AgentClock.continuous.now() + duration }

  /// Blocks the thread for `duration`, but not beyond the deadline.
  ///
  /// Returns `false` at once if the deadline has passed.
  fileprivate func wait(for duration: Duration) -> Bool {
    let left = end - AgentClock.continuous.now()
    guard left > .zero else { return false }
    usleep(useconds_t(min(duration, left) / .microseconds(1)))
    return true
  }
}

/// A lock of a folder that prevents simultaneous writes by several processes.
struct FolderLock {
  private let descriptor: Int32

  /// Blocks the thread until the folder that contains `path` is locked.
  ///
  /// Throws after the deadline, or if the folder cannot be opened. On a file system without locks, the folder
  /// stays unlocked, and the initializer does not throw.
  init(
    of path: String, within deadline: LockDeadline,
    attempt: (Int32) -> AdvisoryLock.Acquisition = { AdvisoryLock.attempt($0) }
  ) throws(RegularFile.Problem) {
    let folder = (path as NSString).deletingLastPathComponent
    descriptor = Foundation.open(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw RegularFile.Problem("cannot be written: \(String(cString: strerror(errno)))")
    }
    // Short waits reduce the chance that another process takes the lock between two attempts.
    var waits = LockWaits(upTo: .milliseconds(2))
    repeat {
      if attempt(descriptor) != .busy { return }
    } while deadline.wait(for: waits.next())
    Foundation.close(descriptor)
    throw RegularFile.Problem("is being written by another process")
  }

  func release() { Foundation.close(descriptor) }
}
