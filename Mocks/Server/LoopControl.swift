import Dispatch
import Errand
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// How a server stops its loop from another thread, or from the loop's own.
final class LoopControl: Sendable {
  private struct State: Sendable {
    var isStopped = false
    var loopThread: ObjectIdentifier?
  }

  /// Becomes readable when the loop is to look at ``isStopped``.
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

  /// Ends the loop and waits for its end; on the loop's own thread it does not wait.
  func stop() {
    let (isFirst, loopThread) = state.withLock { state in
      defer { state.isStopped = true }
      return (!state.isStopped, state.loopThread)
    }
    if isFirst {
      var byte: UInt8 = 0
      _ = write(wakingSocket, &byte, 1)
    }
    if loopThread != ObjectIdentifier(Thread.current) { running.wait() }
  }
}
