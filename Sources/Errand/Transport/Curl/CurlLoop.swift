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
  }

  /// The multi handle as other threads see it.
  struct Waker: @unchecked Sendable {
    // Guard: `curl_multi_wakeup` is the only call made with it, under the lock of `state`, and the loop's thread takes
    // it away under that lock before it frees the handle.
    let multi: UnsafeMutableRawPointer
  }

  private struct State {
    var commands: [Command] = []
    var isStarted = false
    var isClosed = false
    var isPolling = false
    var waker: Waker?
  }

  private let state = Locked(State())
  private let didEnd: @Sendable () -> Void

  /// The file of trusted certificates; `nil` for the system's.
  let certificateAuthorities: String?

  /// `didEnd` runs on the thread when all is freed; for tests.
  init(certificateAuthorities: String? = nil, didEnd: @escaping @Sendable () -> Void = {}) {
    self.certificateAuthorities = certificateAuthorities
    self.didEnd = didEnd
  }

  /// Hands a command over; wakes the thread only when it sleeps and nobody woke it yet.
  func post(_ command: Command) {
    let (isClosed, starts) = state.withLock { state in
      if state.isClosed { return (true, false) }
      state.commands.append(command)
      defer { state.isStarted = true }
      Self.wake(&state)
      return (false, !state.isStarted)
    }
    if starts { startThread() }
    // Whoever posts holds a lease, so this is a safeguard: nobody waits for a thread that is gone.
    if isClosed, case .start(let exchange) = command { exchange.end(with: Self.released) }
  }

  static let released = TransportError(
    .transport, "the transport was released before the transfer ended")

  /// Lets the thread end, after the commands posted before.
  func close() {
    state.withLock { state in
      state.isClosed = true
      Self.wake(&state)
    }
  }

  private static func wake(_ state: inout State) {
    guard state.isPolling, let waker = state.waker else { return }
    state.isPolling = false
    curl_multi_wakeup(waker.multi)
  }

  private func startThread() {
    let thread = Thread { [self] in
      blockSignals()
      CurlDriver(loop: self).run()
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
  /// Takes the commands that came since the last call, and tells whether no more will come.
  func takeCommands() -> (commands: [Command], isClosed: Bool) {
    state.withLock { state in
      defer { state.commands = [] }
      return (state.commands, state.isClosed)
    }
  }

  /// Tells that the thread is about to sleep; `false` when there is something to do first.
  func willPoll() -> Bool {
    state.withLock { state in
      state.isPolling = state.commands.isEmpty && !state.isClosed
      return state.isPolling
    }
  }

  func didPoll() {
    state.withLock { $0.isPolling = false }
  }

  /// Publishes the multi handle for wake-ups; `nil` takes it away.
  func setWaker(_ waker: Waker?) {
    state.withLock { $0.waker = waker }
  }
}
#endif
