import Dispatch
import Foundation

/// Writes the cookies of one store into its file, behind the changes: on a queue of its own, once for many.
///
/// No thread of a request waits for the file, or for another process that has its lock.
final class CookieKeeper: Sendable {
  /// How long after a change writing begins; what changes until then is written with it.
  static let delay = Duration.milliseconds(200)

  let file: CookieFile
  private let jar: Locked<CookieJar>
  private let keepsSessions: Bool
  private let delay: Duration
  private let clock: @Sendable () -> Date
  /// Serial; whatever touches the file after its first reading runs there.
  private let queue = DispatchQueue(label: "Errand cookies", qos: .utility)

  init(
    _ file: CookieFile, of jar: Locked<CookieJar>, keepsSessions: Bool, delay: Duration,
    clock: @escaping @Sendable () -> Date
  ) {
    (self.file, self.jar, self.keepsSessions) = (file, jar, keepsSessions)
    (self.delay, self.clock) = (delay, clock)
  }

  /// Puts writing on the queue, if there is something to write and it is not there yet.
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

  /// Writes what has changed until now, and returns when it is there, or has failed.
  ///
  /// The time in which another process may have the lock counts from the call on, also while an earlier writing waits for that lock.
  func flush() async {
    let patience = LockPatience()
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        write(within: patience)
        continuation.resume()
      }
    }
  }

  /// Writes as ``flush()`` does, on the thread of the caller's behalf, which waits.
  fileprivate func flushAndWait(within patience: LockPatience) { queue.sync { write(within: patience) } }

  /// Only on the queue.
  private func write(within patience: LockPatience = LockPatience()) {
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

/// The stores with changes that are still to be written.
///
/// They are kept here until then, whatever becomes of the stores. A process that ends by `exit`, or by returning from `main`, writes them first.
enum UnwrittenCookies {
  private struct Waiting {
    let keeper: CookieKeeper
    /// How often writing is on its queue.
    var count = 0
  }

  private static let waiting = Locked([ObjectIdentifier: Waiting]())

  /// Registers the writing at the end of the process, once; a child that was forked off has no queues, and writes nothing.
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
    // Released outside the lock.
    _ = gone
  }

  /// Writes what stores of the same file have not written, so that a store made now begins with it.
  ///
  /// - Parameter patience: how long another process is waited for that has a lock, by all these stores together; 2 s by default.
  static func write(for file: CookieFile, within patience: LockPatience = LockPatience()) {
    let keepers = keepers
    guard !keepers.isEmpty else { return }
    let place = file.place
    write(keepers.filter { $0.file.place == place }, within: patience)
  }

  /// Writes one store after another; those behind one that has used the patience up try their lock once.
  private static func write(_ keepers: [CookieKeeper], within patience: LockPatience) {
    for keeper in keepers { keeper.flushAndWait(within: patience) }
  }

  private static var keepers: [CookieKeeper] { waiting.withLock { $0.values.map(\.keeper) } }

  private static func writeAtExit() {
    guard process.withLock({ $0 }) == getpid() else { return }
    write(keepers, within: LockPatience())
  }
}
