import Foundation

/// The end of an operation's waits for locks, because a suspended process could hold a lock forever.
struct LockDeadline: Sendable {
  private let end: Duration

  init(_ duration: Duration = .seconds(2)) { end = AgentClock.continuous.now() + duration }

  /// Waits for `duration`, at most until the deadline; returns `false` after the deadline.
  fileprivate func wait(for duration: Duration) -> Bool {
    let left = end - AgentClock.continuous.now()
    guard left > .zero else { return false }
    usleep(useconds_t(min(duration, left) / .microseconds(1)))
    return true
  }
}

/// A lock of a folder against simultaneous writes by several processes.
struct FolderLock {
  private let descriptor: Int32

  /// Blocks the thread until the folder of `path` is locked.
  ///
  /// Throws after the deadline, or if the folder cannot be opened. If locking is impossible, such as on a
  /// file system without locks, the folder stays unlocked.
  init(
    of path: String, within deadline: LockDeadline,
    attempt: (Int32) -> AdvisoryLock.Acquisition = { AdvisoryLock.attempt($0) }
  ) throws(RegularFile.Problem) {
    let folder = (path as NSString).deletingLastPathComponent
    descriptor = Foundation.open(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw RegularFile.Problem("cannot be written: \(String(cString: strerror(errno)))")
    }
    // The waits are short, because other processes may take the lock between two attempts.
    var waits = LockWaits(upTo: .milliseconds(2))
    repeat {
      if attempt(descriptor) != .busy { return }
    } while deadline.wait(for: waits.next())
    Foundation.close(descriptor)
    throw RegularFile.Problem("is being written by another process")
  }

  func release() { Foundation.close(descriptor) }
}
