import Foundation

/// The lock of an open file or folder, as `flock` gives it: other processes that ask for the lock heed it, and the system takes the lock away
/// with the process.
package enum AdvisoryLock {
  package enum Acquisition {
    case acquired
    /// Another descriptor has the lock, of this process or another.
    case busy
    /// The file system knows no locks, as many that are reached over a network.
    case impossible
  }

  /// Tries to lock once; nobody waits.
  ///
  /// - Parameter isShared: whether others may have a shared lock at the same time; `false` by default.
  package static func attempt(_ descriptor: Int32, isShared: Bool = false) -> Acquisition {
    let operation = (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB
    let (result, code) = SystemCall.uninterrupted { Int(flock(descriptor, operation)) }
    if result == 0 { return .acquired }
    return code == EWOULDBLOCK ? .busy : .impossible
  }
}

/// The waits between attempts of a lock that another process has: 2 ms, then each twice as long as the one before, up to a longest.
struct LockWaits {
  private var wait = Duration.milliseconds(2)
  private let longest: Duration

  /// - Parameter longest: 64 ms by default.
  init(upTo longest: Duration = .milliseconds(64)) { self.longest = longest }

  mutating func next() -> Duration {
    defer { wait = min(wait * 2, longest) }
    return wait
  }
}
