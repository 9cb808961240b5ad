/// The loop of a server's thread: waits for sockets and times, and lets each connection go on.
final class ServerLoop {
  private let listener: Listener
  private let control: LoopControl
  private let script: ServerScript
  private let journal: ServerJournal
  private let connectionLimit: Int
  private var connections: [ServerConnection] = []
  private var buffer = [UInt8](repeating: 0, count: 65_536)
  /// Until then nobody is let in, because the system had no room for another connection.
  private var acceptPause: ContinuousClock.Instant?

  init(
    listener: Listener, connectionLimit: Int, control: LoopControl, script: ServerScript,
    journal: ServerJournal
  ) {
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

    proceed(set)
    connections.removeAll(where: \.isClosed)
    if let pause = acceptPause, pause <= .now { acceptPause = nil }
    // After the connections: a new one may get the descriptor of one that was just closed.
    if accepts { acceptConnections() }
  }

  private func proceed(_ set: PollSet) {
    let now = ContinuousClock.now
    for (index, connection) in connections.enumerated() {
      let isDue = connection.wakeTime.map { $0 <= now } ?? false
      guard isDue || set.isReady(index) else { continue }
      connection.proceed(buffer: &buffer, isReadable: set.isReadable(index), now: now)
    }
  }

  private func acceptConnections() {
    while connections.count < connectionLimit {
      switch listener.nextConnection() {
      case .success(let socket):
        connections.append(ServerConnection(socket: socket, script: script, journal: journal))
      case .failure(.noneWaiting):
        return
      case .failure(.noRoom):
        acceptPause = .now + .milliseconds(10)
        return
      }
    }
  }

  private func timeUntilNextWake() -> Duration? {
    let times = connections.compactMap(\.wakeTime) + [acceptPause].compactMap { $0 }
    return times.min().map { ContinuousClock.now.duration(to: $0) }
  }
}
