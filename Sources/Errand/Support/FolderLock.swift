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
    var waits = LockWaits()
    repeat {
      if AdvisoryLock.attempt(descriptor) == .acquired { return }
    } while patience.wait(for: waits.next())
    Foundation.close(descriptor)
    throw RegularFile.Problem("is being written by another process")
  }

  func release() { Foundation.close(descriptor) }
}

/// Says to other processes, and to others in this one, that a folder is in use; the system forgets it with the process.
///
/// Where a file system knows no locks, as many that are reached over a network, every folder counts as unused.
final class FolderUse: Sendable {
  private let descriptor: Int32

  /// Lasts as long as this value.
  init(_ path: String) {
    descriptor = Self.open(path)
    _ = AdvisoryLock.attempt(descriptor, isShared: true)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Does something to a folder that nobody uses; nobody is told that it is in use meanwhile.
  static func ifUnused(_ path: String, _ change: () -> Void) {
    let descriptor = open(path)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    if AdvisoryLock.attempt(descriptor) != .busy { change() }
  }

  static func isInUse(_ path: String) -> Bool {
    var isUnused = false
    ifUnused(path) { isUnused = true }
    return !isUnused
  }

  private static func open(_ path: String) -> Int32 {
    Foundation.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
  }
}
