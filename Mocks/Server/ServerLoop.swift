import Dispatch
import Errand
import Foundation

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
  /// Until this time, the server accepts no connections, because descriptors or memory ran out; `nil`: no
  /// pause.
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

  func run() {
    while !control.isStopped { pollOnce() }
    for connection in connections { connection.close() }
    Socket.dispose(listener.descriptor)
    journal.close()
    script.clear()
  }

  private func pollOnce() {
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
    // Accepts last, because `proceed` needs equal positions in `set` and `connections`.
    if accepts { acceptConnections() }
  }

  private func proceed(_ set: PollSet) {
    let now = ContinuousClock.now
    for (index, connection) in connections.enumerated() {
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
      case .failure(.outOfResources):
        acceptPause = .now + .milliseconds(10)
        return
      }
    }
  }

  private func accept(_ socket: Int32) {
    let cipher = identity.map { $0.makeCipher() }
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

final class LoopControl: Sendable {
  private struct State: Sendable {
    var isStopped = false
    var loopThread: ObjectIdentifier?
  }

  let wakeSocket: Int32
  private let wakingSocket: Int32
  private let state = Locked(State())
  private let running = DispatchGroup()

  init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw TransportError.ofSystem("the mock server could not create a pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    wakeSocket = ends[0]
    wakingSocket = ends[1]
  }

  deinit {
    Socket.dispose(wakeSocket)
    Socket.dispose(wakingSocket)
  }

  var isStopped: Bool { state.withLock { $0.isStopped } }

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

  func wake() {
    var byte: UInt8 = 0
    _ = write(wakingSocket, &byte, 1)
  }

  /// Reads up to 64 wake-up bytes; blocks on an empty pipe.
  func takeWakes() {
    var bytes = [UInt8](repeating: 0, count: 64)
    _ = read(wakeSocket, &bytes, bytes.count)
  }

  /// Stops the loop; outside of the loop's thread, waits for the loop's end.
  func stop() {
    let (isFirst, loopThread) = state.withLock { state in
      defer { state.isStopped = true }
      return (!state.isStopped, state.loopThread)
    }
    if isFirst { wake() }
    if loopThread != ObjectIdentifier(Thread.current) { running.wait() }
  }
}

struct PollSet {
  private var entries: [pollfd] = []

  /// Adds a socket; `poll` reports errors of the socket even without `input` and `output`.
  mutating func add(_ socket: Int32, input: Bool, output: Bool = false) {
    let events = (input ? POLLIN : 0) | (output ? POLLOUT : 0)
    entries.append(pollfd(fd: socket, events: Int16(events), revents: 0))
  }

  mutating func wait(_ duration: Duration?) {
    _ = poll(&entries, nfds_t(entries.count), duration.map(Self.milliseconds) ?? -1)
  }

  /// Returns true for any event other than writability.
  func isReadable(_ index: Int) -> Bool { entries[index].revents & ~Int16(POLLOUT) != 0 }

  func isReady(_ index: Int) -> Bool { entries[index].revents != 0 }

  /// Rounds up, because a timeout of 0 would make the loop spin during the last millisecond.
  private static func milliseconds(_ duration: Duration) -> Int32 {
    let bounded = min(max(duration, .zero), .seconds(60)).components
    return Int32(bounded.seconds * 1000 + (bounded.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}
