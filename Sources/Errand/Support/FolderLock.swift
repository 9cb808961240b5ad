import Foundation

/// How long locks are waited for: two seconds in all, however many locks these are.
///
/// A process that was stopped may hold a lock for ever.
struct LockPatience: Sendable {
  private let end: Duration

  /// - Parameter duration: from now on; 2 s by default.
  init(_ duration: Duration = .seconds(2)) { end = AgentClock.continuous.now() + duration }

  /// Waits, at most to the end of the time; `false` where the time is over.
  fileprivate func wait(for duration: Duration) -> Bool {
    let left = end - AgentClock.continuous.now()
    guard left > .zero else { return false }
    usleep(useconds_t(min(duration, left) / .microseconds(1)))
    return true
  }
}

/// Keeps other processes from writing into a folder that heed it too.
struct FolderLock {
  private let descriptor: Int32

  /// Tries at least once; throws where another process has the lock for longer than the patience lasts, and where there is no folder.
  init(of path: String, within patience: LockPatience) throws(RegularFile.Problem) {
    let folder = (path as NSString).deletingLastPathComponent
    descriptor = Foundation.open(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw RegularFile.Problem("cannot be written: \(String(cString: strerror(errno)))")
    }
    // Longer waits would let others go first until the patience ends.
    var waits = LockWaits(upTo: .milliseconds(2))
    repeat {
      if AdvisoryLock.attempt(descriptor) == .acquired { return }
    } while patience.wait(for: waits.next())
    Foundation.close(descriptor)
    throw RegularFile.Problem("is being written by another process")
  }

  func release() { Foundation.close(descriptor) }
}
