import Dispatch
import Errand
import Foundation

/// The loop of a server's thread: waits for sockets and times, and lets each connection go on.
final class ServerLoop {
  private let listener: Listener
  private let control: LoopControl
  private let script: ServerScript
  private let journal: ServerJournal
  private let connectionLimit: Int
  private let identity: (any ServerIdentity)?
  private let pace: ReadingPace?
  private var connections: [ServerConnection] = []
  private var buffer = [UInt8](repeating: 0, count: 65_536)
  /// Until then no connection is accepted, because the system had no room for another connection.
  private var acceptPause: ContinuousClock.Instant?

  init(
    listener: Listener, connectionLimit: Int, identity: (any ServerIdentity)?, pace: ReadingPace?,
    control: LoopControl, script: ServerScript, journal: ServerJournal
  ) {
    self.identity = identity
    self.pace = pace
    self.listener = listener
    self.connectionLimit = connectionLimit
    self.control = control
    self.script = script
    self.journal = journal
  }

  /// Runs until the control says stop, then closes every socket.
  func run() {
    while !control.isStopped { turn() }
    for connection in connections { connection.close() }
    Socket.dispose(listener.descriptor)
    journal.close()
    script.clear()
  }

  private func turn() {
    let accepts = acceptPause == nil && connections.count < connectionLimit
    var set = PollSet()
    for connection in connections {
      set.add(connection.socket, input: connection.wantsInput, output: connection.wantsOutput)
    }
    set.add(control.wakeSocket, input: true)
    set.add(listener.descriptor, input: accepts)
    set.wait(timeUntilNextWake())
    if set.isReady(connections.count), !control.isStopped { control.takeWakes() }

    proceed(set)
    connections.removeAll(where: \.isClosed)
    if let pause = acceptPause, pause <= .now { acceptPause = nil }
    // After the connections: a new one may get the descriptor of one that was just closed.
    if accepts { acceptConnections() }
  }

  private func proceed(_ set: PollSet) {
    let now = ContinuousClock.now
    for (index, connection) in connections.enumerated() {
      // Each may have much to do: who stops the server need not wait for all of them.
      guard !control.isStopped else { return }
      let isDue = connection.wakeTime.map { $0 <= now } ?? false
      guard isDue || set.isReady(index) else { continue }
      connection.proceed(buffer: &buffer, isReadable: set.isReadable(index), now: now)
    }
  }

  private func acceptConnections() {
    while connections.count < connectionLimit {
      switch listener.nextConnection() {
      case .success(let socket):
        accept(socket)
      case .failure(.noneWaiting):
        return
      case .failure(.noRoom):
        acceptPause = .now + .milliseconds(10)
        return
      }
    }
  }

  private func accept(_ socket: Int32) {
    let cipher = identity.map { $0.makeCipher() }
    // One without the cipher that it should have would be in the clear.
    if case .some(nil) = cipher { return Socket.dispose(socket) }
    connections.append(
      ServerConnection(
        socket: socket, cipher: cipher ?? nil, pace: pace, script: script, journal: journal))
  }

  private func timeUntilNextWake() -> Duration? {
    let times = connections.compactMap(\.wakeTime) + [acceptPause].compactMap { $0 }
    return times.min().map { ContinuousClock.now.duration(to: $0) }
  }
}

/// How a server stops its loop from another thread, or from the loop's own.
final class LoopControl: Sendable {
  private struct State: Sendable {
    var isStopped = false
    var loopThread: ObjectIdentifier?
  }

  /// Becomes readable when the loop is to look at ``isStopped``, or at its connections.
  let wakeSocket: Int32
  private let wakingSocket: Int32
  private let state = Locked(State())
  private let running = DispatchGroup()

  init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw TransportError.ofSystem("the mock server could not make a pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    wakeSocket = ends[0]
    wakingSocket = ends[1]
  }

  // The loop and the server both hold this object, so neither end of the pipe closes while the other is in use.
  deinit {
    Socket.dispose(wakeSocket)
    Socket.dispose(wakingSocket)
  }

  var isStopped: Bool { state.withLock { $0.isStopped } }

  /// Runs `loop` on a thread of its own.
  func start(_ loop: @escaping @Sendable () -> Void) {
    running.enter()
    let thread = Thread { [self] in
      state.withLock { $0.loopThread = ObjectIdentifier(Thread.current) }
      loop()
      running.leave()
    }
    thread.name = "MockServer"
    thread.start()
  }

  /// Lets the loop look at its connections.
  func wake() {
    var byte: UInt8 = 0
    _ = write(wakingSocket, &byte, 1)
  }

  /// Takes what woke the loop, which is there.
  func takeWakes() {
    var bytes = [UInt8](repeating: 0, count: 64)
    _ = read(wakeSocket, &bytes, bytes.count)
  }

  /// Ends the loop and waits for its end; on the loop's own thread it does not wait.
  func stop() {
    let (isFirst, loopThread) = state.withLock { state in
      defer { state.isStopped = true }
      return (!state.isStopped, state.loopThread)
    }
    if isFirst { wake() }
    if loopThread != ObjectIdentifier(Thread.current) { running.wait() }
  }
}

/// The sockets a loop waits for, in the order in which they were added.
struct PollSet {
  private var entries: [pollfd] = []

  /// Adds a socket; one that is waited for in neither direction still tells when it breaks.
  mutating func add(_ socket: Int32, input: Bool, output: Bool = false) {
    let events = (input ? POLLIN : 0) | (output ? POLLOUT : 0)
    entries.append(pollfd(fd: socket, events: Int16(events), revents: 0))
  }

  /// Waits until one is ready, or for so long; `nil` waits without end.
  mutating func wait(_ duration: Duration?) {
    _ = poll(&entries, nfds_t(entries.count), duration.map(Self.milliseconds) ?? -1)
  }

  /// Whether the socket added at `index` has input, has ended or is broken.
  func isReadable(_ index: Int) -> Bool { entries[index].revents & ~Int16(POLLOUT) != 0 }

  /// Whether anything is to be done for the socket added at `index`.
  func isReady(_ index: Int) -> Bool { entries[index].revents != 0 }

  /// Rounded up, or the loop would spin through the last millisecond; a minute at most, after which it looks again.
  private static func milliseconds(_ duration: Duration) -> Int32 {
    let bounded = min(max(duration, .zero), .seconds(60)).components
    return Int32(bounded.seconds * 1000 + (bounded.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}
