#if os(Linux)
import CCurl
import Foundation

/// The way to the thread that drives libcurl: takes commands from any thread, starts the thread with the first.
final class CurlLoop: Sendable {
  /// What the thread is asked to do.
  enum Command: Sendable {
    case start(CurlExchange)
    case end(CurlExchange)
    case followSuspension(CurlExchange)
    case resumeReceiving(CurlExchange)
    case resumeSending(CurlExchange)
    case giveUpBody(CurlExchange, isCut: Bool)
    case retire

    var isStart: Bool { if case .start = self { true } else { false } }
  }

  private struct State {
    var commands: [Command] = []
    var isClosed = false
    /// The thread sleeps, or is about to, and was not woken yet.
    var isWaiting = false
    /// There from the start of the thread.
    var poll: SocketPoll?
  }

  private let state = Locked(State())
  private let didEnd: @Sendable () -> Void

  let connections: CurlConnections
  /// How long a connection may be idle and used again.
  let idleLifetime: Duration

  /// How many sockets one look tells of.
  let eventsAtOnce: Int

  /// `didEnd` runs on the thread when all is freed; for tests.
  init(
    _ connections: CurlConnections = CurlConnections(), idleLifetime: Duration = .seconds(60),
    eventsAtOnce: Int = 256,
    didEnd: @escaping @Sendable () -> Void = {}
  ) {
    self.connections = connections
    self.idleLifetime = idleLifetime
    self.eventsAtOnce = eventsAtOnce
    self.didEnd = didEnd
  }

  private enum Posting { case refused(TransportError), done, starts(SocketPoll), wakes(SocketPoll) }

  /// Hands a command over; wakes the thread only when it sleeps and was not woken yet.
  func post(_ command: Command) {
    switch state.withLock({ Self.take(command, state: &$0) }) {
    case .done: break
    case .starts(let poll): startThread(poll)
    case .wakes(let poll): poll.wake()
    case .refused(let error):
      if case .start(let exchange) = command { exchange.end(with: error) }
      if case .end(let exchange) = command { exchange.didStop() }
    }
  }

  private static func take(_ command: Command, state: inout State) -> Posting {
    // The code that posts holds a lease, so this is a safeguard: nothing may wait for a thread that is gone.
    if state.isClosed { return .refused(released) }
    guard let poll = state.poll ?? SocketPoll() else { return .refused(noDescriptors) }
    state.commands.append(command)
    defer { (state.poll, state.isWaiting) = (poll, false) }
    return state.poll == nil ? .starts(poll) : state.isWaiting ? .wakes(poll) : .done
  }

  static let released = TransportError(
    .transport, "the transport was released before the transfer ended")

  private static let noDescriptors = TransportError(
    .transport, "the event loop could not be started: the process has no descriptors left")

  /// Closes the connections that are idle, now and from now on; a loop that never ran has none.
  func retire() {
    if state.withLock({ $0.poll != nil && !$0.isClosed }) { post(.retire) }
  }

  /// Lets the thread end, after the commands posted before.
  func close() {
    let poll = state.withLock { state in
      state.isClosed = true
      return state.poll
    }
    poll?.wake()
  }

  private func startThread(_ poll: SocketPoll) {
    let thread = Thread { [self] in
      blockSignals()
      CurlDriver(loop: self, poll: poll).run()
      didEnd()
    }
    thread.name = "errand-curl"
    thread.start()
  }

  /// The application's signal handlers are not for this thread, and OpenSSL may raise `SIGPIPE` in it.
  private func blockSignals() {
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, nil)
  }
}

// What only the loop's thread calls.
extension CurlLoop {
  /// Gives the commands that came since the last call in the place of the old ones, whose memory is used again.
  ///
  /// Tells whether the thread may wait now, as there are none, and whether no more will come.
  func takeCommands(into list: inout [Command]) -> (mayWait: Bool, isClosed: Bool) {
    list.removeAll(keepingCapacity: true)
    return state.withLock { state in
      swap(&state.commands, &list)
      state.isWaiting = list.isEmpty && !state.isClosed
      return (state.isWaiting, state.isClosed)
    }
  }

  func didWait() {
    state.withLock { $0.isWaiting = false }
  }
}
#endif
