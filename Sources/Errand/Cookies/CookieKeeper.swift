import Dispatch
import Foundation

/// Writes the cookies of a store to its file on a separate queue, once for many changes.
final class CookieKeeper: Sendable {
  /// The time between the first unwritten change and the write of all changes.
  static let delay = Duration.milliseconds(200)

  let file: CookieFile
  private let jar: Locked<CookieJar>
  private let keepsSessions: Bool
  private let delay: Duration
  private let clock: @Sendable () -> Date
  /// A serial queue for all file access after the first read.
  private let queue = DispatchQueue(label: "Errand cookies", qos: .utility)

  init(
    _ file: CookieFile, of jar: Locked<CookieJar>, keepsSessions: Bool, delay: Duration,
    clock: @escaping @Sendable () -> Date
  ) {
    (self.file, self.jar, self.keepsSessions) = (file, jar, keepsSessions)
    (self.delay, self.clock) = (delay, clock)
  }

  /// Schedules a write, unless a write is scheduled or nothing has changed.
  func noteChange() {
    let isFirst = jar.withLock { jar in
      guard jar.isUnwritten, !jar.isWritingQueued else { return false }
      jar.isWritingQueued = true
      return true
    }
    guard isFirst else { return }
    UnwrittenCookies.add(self)
    let timer = AgentClock.continuous
    _ = timer.call(timer.now() + delay) { [self] in
      queue.async { [self] in
        write()
        UnwrittenCookies.remove(self)
      }
    }
  }

  /// Writes all changes so far, and returns after the write or its failure.
  ///
  /// The wait for the lock of another process ends 2 seconds after the call. Earlier writes on the
  /// queue also use up these 2 seconds.
  func flush() async {
    let patience = LockDeadline()
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        write(within: patience)
        continuation.resume()
      }
    }
  }

  fileprivate func flushAndWait(within patience: LockDeadline) { queue.sync { write(within: patience) } }

  /// Writes the unwritten changes; must run on the queue.
  private func write(within patience: LockDeadline = LockDeadline()) {
    let now = clock()
    let current = jar.withLock { jar in
      jar.isWritingQueued = false
      return jar
    }
    guard current.isUnwritten else { return }
    let own = current.cookies(now: now)
    let result = file.update(
      own, now: now, isWhole: current.isCleared, keepsSessions: keepsSessions, within: patience)
    jar.withLock { $0.note(result, version: current.version, own: own) }
  }
}

/// The keepers of stores with unwritten changes.
///
/// The list retains each keeper until the write, even after the release of the store. The changes
/// of all stores are also written when the process ends by `exit` or by a return from `main`.
enum UnwrittenCookies {
  private struct Waiting {
    let keeper: CookieKeeper
    /// The number of writes scheduled on the queue.
    var count = 0
  }

  private static let waiting = Locked([ObjectIdentifier: Waiting]())

  /// Registers the write at the end of the process, once.
  ///
  /// Only the registering process writes, because dispatch queues do not run in a forked child.
  private static let exitHandler: Void = {
    process.withLock { $0 = getpid() }
    atexit { UnwrittenCookies.writeAtExit() }
  }()

  private static let process = Locked(pid_t(0))

  fileprivate static func add(_ keeper: CookieKeeper) {
    _ = exitHandler
    waiting.withLock { $0[ObjectIdentifier(keeper), default: Waiting(keeper: keeper)].count += 1 }
  }

  fileprivate static func remove(_ keeper: CookieKeeper) {
    let gone = waiting.withLock { waiting -> Waiting? in
      let key = ObjectIdentifier(keeper)
      waiting[key]?.count -= 1
      return waiting[key]?.count == 0 ? waiting.removeValue(forKey: key) : nil
    }
    // The keeper is released here, outside the lock.
    _ = gone
  }

  /// Writes the changes of all stores of a file, so that a new store of the file can read the
  /// changes.
  ///
  /// - Parameter patience: The maximum wait for locks, for all stores together; 2 s by default.
  static func write(for file: CookieFile, within patience: LockDeadline = LockDeadline()) {
    let keepers = keepers
    guard !keepers.isEmpty else { return }
    let place = file.place
    write(keepers.filter { $0.file.place == place }, within: patience)
  }

  /// Writes the changes of stores; after the deadline, each remaining store tries its lock once.
  private static func write(_ keepers: [CookieKeeper], within patience: LockDeadline) {
    for keeper in keepers { keeper.flushAndWait(within: patience) }
  }

  private static var keepers: [CookieKeeper] { waiting.withLock { $0.values.map(\.keeper) } }

  private static func writeAtExit() {
    guard process.withLock({ $0 }) == getpid() else { return }
    write(keepers, within: LockDeadline())
  }
}
