#if os(Linux)
import CCurl
import Foundation

/// The command queue of an event loop.
///
/// The first accepted command starts a thread with a ``CurlDriver``.
final class CurlLoop: Sendable {
  enum Command: Sendable {
    case start(CurlExchange)
    case end(CurlExchange)
    case followSuspension(CurlExchange)
    case resumeReceiving(CurlExchange)
    case resumeSending(CurlExchange)
    case abandonBody(CurlExchange, isCut: Bool)
    case retire
    case list(CheckedContinuation<ConnectionSettings.Pool.Snapshot, Never>)

    var isStart: Bool { if case .start = self { true } else { false } }
  }

  private struct State {
    var commands: [Command] = []
    var isClosed = false
    /// True while the thread may be waiting for events.
    ///
    /// A new command must then wake the thread.
    var isWaiting = false
    var poll: SocketPoll?
  }

  private let state = Locked(State())
  private let didEnd: @Sendable () -> Void

  let connections: CurlConnections
  let idleLifetime: Duration

  let eventsAtOnce: Int

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

  func post(_ command: Command) {
    switch state.withLock({ Self.take(command, state: &$0) }) {
    case .done: break
    case .starts(let poll): startThread(poll)
    case .wakes(let poll): poll.wake()
    case .refused(let error):
      if case .start(let exchange) = command { exchange.end(with: error) }
      if case .end(let exchange) = command { exchange.didStop() }
      if case .list(let reply) = command { reply.resume(returning: .init()) }
    }
  }

  private static func take(_ command: Command, state: inout State) -> Posting {
    // The thread of a closed loop may have ended.
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

  func retire() {
    if state.withLock({ $0.poll != nil && !$0.isClosed }) { post(.retire) }
  }

  /// Returns the open connections; empty without a running thread.
  func snapshot() async -> ConnectionSettings.Pool.Snapshot {
    guard state.withLock({ $0.poll != nil && !$0.isClosed }) else { return .init() }
    return await withCheckedContinuation { post(.list($0)) }
  }

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

  /// Blocks the signals of the thread.
  ///
  /// OpenSSL may raise `SIGPIPE`, and the application's signal handlers must not run on the thread.
  private func blockSignals() {
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, nil)
  }
}

// Confined to the loop's thread.
extension CurlLoop {
  func takeCommands(into list: inout [Command]) -> (mayWait: Bool, isClosed: Bool) {
    // `removeAll` is slow, even for an empty list.
    if !list.isEmpty { list.removeAll(keepingCapacity: true) }
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
