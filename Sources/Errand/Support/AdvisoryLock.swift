import Foundation

/// The advisory lock of an open file or folder, based on `flock`.
package enum AdvisoryLock {
  package enum Acquisition {
    case acquired
    /// Another process, or another descriptor of the same process, holds a conflicting lock.
    case busy
    /// The attempt failed, for example because the file system has no locks.
    case impossible
  }

  package static func attempt(_ descriptor: Int32, isShared: Bool = false) -> Acquisition {
    let operation = (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB
    let (result, code) = SystemCall.uninterrupted { Int(flock(descriptor, operation)) }
    if result == 0 { return .acquired }
    return code == EWOULDBLOCK ? .busy : .impossible
  }
}

struct LockWaits {
  private var wait = Duration.milliseconds(2)
  private let longest: Duration

  init(upTo longest: Duration = .milliseconds(64)) { self.longest = longest }

  mutating func next() -> Duration {
    defer { wait = min(wait * 2, longest) }
    return wait
  }
}
