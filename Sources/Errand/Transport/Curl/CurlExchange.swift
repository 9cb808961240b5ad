#if os(Linux)
import Foundation

/// One transfer as the consumer and the loop's thread share it: the mailbox between them.
final class CurlExchange: Sendable {
  /// The loop stops receiving with this many bytes waiting for the consumer.
  static let highWaterMark = 1 << 20
  /// The loop goes on receiving when no more than this many are left.
  static let lowWaterMark = 1 << 18

  struct State {
    var head: HTTPResponse?
    var chunks: [Data] = []
    var buffered = 0
    var ending: Result<Void, any Error>?
    var summary: TransportSummary?
    /// The loop waits to be told that the consumer has made room.
    var isPaused = false
    /// The consumer wants no more; what is buffered is gone.
    var isGivenUp = false
    var waiter: CheckedContinuation<Void, Never>?
    var handlers: Handlers?
  }

  /// What is to be forgotten with the end.
  struct Handlers {
    let cancellation: CancellationSignal.HandlerID
    let suspension: SuspensionSignal.HandlerID?
  }

  let request: TransportRequest
  let upload: CurlUpload
  let loop: CurlLoop
  let state = Locked(State())

  init(_ request: TransportRequest, upload: CurlUpload, loop: CurlLoop) {
    self.request = request
    self.upload = upload
    self.loop = loop
  }

  /// Hands itself to the loop, unless it is cancelled already.
  func start() {
    let handlers = Handlers(
      cancellation: request.cancellation.onCancel { [self] in giveUp() },
      suspension: request.suspension?.onChange { [self] in loop.post(.followSuspension(self)) })
    let isEnded = state.withLock { state in
      if state.ending == nil { state.handlers = handlers }
      return state.ending != nil
    }
    if isEnded { return forget(handlers) }
    loop.post(.start(self))
  }

  private func forget(_ handlers: Handlers) {
    request.cancellation.removeHandler(handlers.cancellation)
    handlers.suspension.map { request.suspension?.removeHandler($0) }
  }

  var isEnded: Bool { state.withLock { $0.ending != nil } }

  var summary: TransportSummary { state.withLock { $0.summary } ?? TransportSummary() }

  /// Ends it as cancelled, at once for the consumer and soon for libcurl; does nothing when all was consumed.
  func giveUp() {
    // How it ended before is released after the lock: it may be an error of the caller's own body.
    let (isRunning, _) = change { state in
      let before = state.ending
      if case .success = before, state.chunks.isEmpty { return (false, before) }
      state.ending = .failure(TransportError.cancelled)
      state.isGivenUp = true
      state.chunks = []
      state.buffered = 0
      return (before == nil, before)
    }
    if isRunning { loop.post(.end(self)) }
  }

  /// Ends it with an error of ours; the first ending counts.
  ///
  /// Chunks that came before stay readable.
  func end(with error: any Error) {
    let isRunning = change { state in
      guard state.ending == nil else { return false }
      state.ending = .failure(error)
      return true
    }
    if isRunning { loop.post(.end(self)) }
  }

  /// Changes the state, then wakes the consumer and forgets the signals when it has ended; all outside the lock.
  func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
    let (value, waiter, handlers) = state.withLock { state in
      let value = body(&state)
      let waiter = state.waiter
      state.waiter = nil
      let handlers = state.ending == nil ? nil : state.handlers
      if handlers != nil { state.handlers = nil }
      return (value, waiter, handlers)
    }
    if let handlers { forget(handlers) }
    waiter?.resume()
    return value
  }
}
#endif
