import Foundation

/// The longest wait for locks: two seconds in all, for any number of locks.
///
/// A stopped process may hold a lock for ever.
struct LockDeadline: Sendable {
  private let end: Duration

  /// - Parameter duration: The wait from now on; 2 s by default.
  init(_ duration: Duration = .seconds(2)) { end = AgentClock.continuous.now() + duration }

  /// Waits, at most to the end of the patience; `false` after the end.
  fileprivate func wait(for duration: Duration) -> Bool {
    let left = end - AgentClock.continuous.now()
    guard left > .zero else { return false }
    usleep(useconds_t(min(duration, left) / .microseconds(1)))
    return true
  }
}

/// A lock that keeps other processes with the same lock from writing into a folder.
struct FolderLock {
  private let descriptor: Int32

  /// Tries at least once; throws after the patience, and for a missing folder.
  init(of path: String, within patience: LockDeadline) throws(RegularFile.Problem) {
    let folder = (path as NSString).deletingLastPathComponent
    descriptor = Foundation.open(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw RegularFile.Problem("cannot be written: \(String(cString: strerror(errno)))")
    }
    // With longer waits, other processes would win the lock until the patience ends.
    var waits = LockWaits(upTo: .milliseconds(2))
    repeat {
      if AdvisoryLock.attempt(descriptor) == .acquired { return }
    } while patience.wait(for: waits.next())
    Foundation.close(descriptor)
    throw RegularFile.Problem("is being written by another process")
  }

  func release() { Foundation.close(descriptor) }
}
