import Dispatch
import Foundation

final class CookieFileWriter: Sendable {
  static let delay = Duration.milliseconds(200)

  let file: CookieFile
  private let jar: Locked<CookieJar>
  private let keepsSessions: Bool
  private let delay: Duration
  private let clock: @Sendable () -> Date
  /// Serial, so that writes do not overlap.
  private let queue = DispatchQueue(label: "Errand cookies", qos: .utility)

  init(
    _ file: CookieFile, of jar: Locked<CookieJar>, keepsSessions: Bool, delay: Duration,
    clock: @escaping @Sendable () -> Date
  ) {
    (self.file, self.jar, self.keepsSessions) = (file, jar, keepsSessions)
    (self.delay, self.clock) = (delay, clock)
  }

  func noteChange() {
    let isFirst = jar.withLock { jar in
      guard jar.isUnwritten, !jar.isWriteQueued else { return false }
      jar.isWriteQueued = true
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

  /// Writes unwritten changes; waits at most 2 seconds for a lock of a different process.
  func flush() async {
    let deadline = LockDeadline()
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        write(within: deadline)
        continuation.resume()
      }
    }
  }

  fileprivate func flushAndWait(within deadline: LockDeadline) { queue.sync { write(within: deadline) } }

  /// Must run on `queue`.
  private func write(within deadline: LockDeadline = LockDeadline()) {
    let now = clock()
    let current = jar.withLock { jar in
      jar.isWriteQueued = false
      return jar
    }
    guard current.isUnwritten else { return }
    let own = current.cookies(now: now)
    let result = file.update(
      own, now: now, isWhole: current.isCleared, keepsSessions: keepsSessions, within: deadline)
    jar.withLock { $0.note(result, version: current.version, own: own) }
  }
}

/// The writers with a scheduled write, also flushed at `exit`.
enum UnwrittenCookies {
  private struct Waiting {
    let writer: CookieFileWriter
    var count = 0
  }

  private static let waiting = Locked([ObjectIdentifier: Waiting]())

  /// Registers a handler that writes the cookies at `exit`.
  ///
  /// A forked child inherits the handler, but does not write, because dispatch queues do not run there.
  private static let exitHandler: Void = {
    process.withLock { $0 = getpid() }
    atexit { UnwrittenCookies.writeAtExit() }
  }()

  private static let process = Locked(pid_t(0))

  fileprivate static func add(_ writer: CookieFileWriter) {
    _ = exitHandler
    waiting.withLock { $0[ObjectIdentifier(writer), default: Waiting(writer: writer)].count += 1 }
  }

  fileprivate static func remove(_ writer: CookieFileWriter) {
    let gone = waiting.withLock { waiting -> Waiting? in
      let key = ObjectIdentifier(writer)
      waiting[key]?.count -= 1
      return waiting[key]?.count == 0 ? waiting.removeValue(forKey: key) : nil
    }
    // Released outside the lock.
    _ = gone
  }

  /// Writes unwritten changes of a file; must run before a new store reads the file.
  static func write(for file: CookieFile, within deadline: LockDeadline = LockDeadline()) {
    let writers = writers
    guard !writers.isEmpty else { return }
    let place = file.place
    write(writers.filter { $0.file.place == place }, within: deadline)
  }

  private static func write(_ writers: [CookieFileWriter], within deadline: LockDeadline) {
    for writer in writers { writer.flushAndWait(within: deadline) }
  }

  private static var writers: [CookieFileWriter] { waiting.withLock { $0.values.map(\.writer) } }

  private static func writeAtExit() {
    guard process.withLock({ $0 }) == getpid() else { return }
    write(writers, within: LockDeadline())
  }
}
