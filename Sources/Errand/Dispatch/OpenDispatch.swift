import Foundation

/// A dispatch whose caller reads the response body as a stream.
///
/// A read that fails or reaches the end of the body runs the remaining stages of the dispatch. After a
/// cancellation or a timeout while no read is running, a new task runs the stages.
final class OpenDispatch<R: Request>: OpenBody {
  private enum Phase {
    case idle
    case reading
    case ending
  }

  private struct State {
    var phase = Phase.idle
    /// True after a cancellation or a timeout during a read.
    var isAborted = false
    var hasReportedEnd = false
    var wholeBody: Data?
    var received = 0
    var handler: CancellationSignal.HandlerID?
  }

  let head: HTTPResponse
  let end = OneTime<EndedDispatch<HTTPResponse>>()
  private let dispatch: Dispatch<R>
  private let attempt: Attempt
  private let dispatchState: DispatchState
  private let body: BodyStream
  private let source: (any BodySource)?
  private let signal: CancellationSignal
  private let state: Locked<State>

  init(
    _ dispatch: Dispatch<R>, attempt: Attempt, dispatchState: DispatchState, head: HTTPResponse,
    body: BodyStream
  ) {
    self.head = head
    self.dispatch = dispatch
    self.attempt = attempt
    self.dispatchState = dispatchState
    self.body = body
    signal = dispatch.time.signal(attempt.clock.watch)
    let iterator = body.makeAsyncIterator()
    source = iterator.source
    state = Locked(State(wholeBody: iterator.rest))
    let handler = signal.onCancel { [self] in abortTransfer() }
    state.withLock { $0.handler = handler }
  }

  var summary: TransportSummary { body.summary }

  var readTwice: any Error {
    dispatch.sender.error(
      TransportError(.transport, "the body of the response can be read once, and was read before"),
      in: attempt)
  }

  func error(of thrown: any Error) -> any Error {
    var error = dispatch.sender.error(thrown, at: .decode, in: attempt)
    error.streamedLength = state.withLock(\.received)
    error.isElementFailure = true
    return error
  }

  func cancel() {
    guard state.withLock({ $0.phase != .ending }) else { return }
    dispatch.time.cancellation.cancel(by: .reader)
  }

  func next() async throws -> Data? {
    guard beginReading() else { return try await reportEnd() }
    var failure: (any Error)?
    do {
      let chunk = try await pull()
      if let chunk, endReading(with: chunk) { return chunk }
      if chunk != nil { failure = TransportError.cancelled }
    } catch {
      failure = error
    }
    state.withLock { state in
      state.phase = .ending
      state.hasReportedEnd = true
    }
    _ = try await finish(failure).received()
    return nil
  }

  private func beginReading() -> Bool {
    state.withLock { state in
      guard state.phase == .idle else { return false }
      state.phase = .reading
      return true
    }
  }

  private func endReading(with chunk: Data) -> Bool {
    state.withLock { state in
      guard !state.isAborted else { return false }
      state.received += chunk.count
      state.phase = .idle
      return true
    }
  }

  /// Reports the end of the body.
  ///
  /// Only the first report can throw an error. Later reports return `nil`.
  private func reportEnd() async throws -> Data? {
    let wasReported = state.withLock { state in
      defer { state.hasReportedEnd = true }
      return state.hasReportedEnd
    }
    if !wasReported { _ = try await end.wait().received() }
    return nil
  }

  private func pull() async throws -> Data? {
    let time = dispatch.time
    time.noticeTask()
    try time.check(attempt.clock.watch)
    let chunk: Data?
    if let source {
      chunk = try await withTaskCancellationHandler {
        try await source.next()
      } onCancel: {
        time.cancellation.cancel(by: .task)
      }
    } else {
      chunk = state.withLock { state in
        defer { state.wholeBody = nil }
        return state.wholeBody
      }
    }
    guard let chunk else {
      try time.check(attempt.clock.watch)
      dispatch.meter?.complete()
      return nil
    }
    dispatch.meter?.noteRead(chunk.count)
    if let bound = dispatch.wire.limits.streamSize,
      state.withLock({ $0.received }) + chunk.count > bound
    {
      throw TransportError.bodyTooLong(bound)
    }
    return chunk
  }

  private func abortTransfer() {
    body.cancel()
    let isMine = state.withLock { state in
      switch state.phase {
      case .idle:
        state.phase = .ending
        return true
      case .reading:
        state.isAborted = true
        return false
      case .ending: return false
      }
    }
    if isMine { Task { await finish(TransportError.cancelled) } }
  }

  /// Runs the remaining stages of the dispatch; called at most once.
  @discardableResult
  private func finish(_ failure: (any Error)?) async -> EndedDispatch<HTTPResponse> {
    if failure != nil { body.cancel() }
    let (received, handler) = state.withLock { ($0.received, $0.handler) }
    if let handler { signal.removeHandler(handler) }
    attempt.clock.stop()

    // A copy, because a concurrent call of `error(of:)` may read the original.
    let attempt = Attempt(copying: attempt)
    attempt.answer.streamedLength = received
    attempt.answer.readBody = body
    attempt.answer.response?.trailers = body.summary.trailers
    let ended = await dispatch.resume(attempt, after: failure, on: dispatchState)
    end.set(ended)
    return ended
  }
}
