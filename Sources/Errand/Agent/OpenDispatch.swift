import Foundation

/// A dispatch that has handed out its head: gives the chunks of the body, and then runs the rest of the line, once.
///
/// Whoever takes ``State/phase`` to `ending` runs it: the consumer in its last `next()`; or, when the dispatch is
/// cancelled or out of time while the consumer is busy elsewhere, a task made for it.
final class OpenDispatch<R: Request>: OpenBody {
  enum Phase {
    /// Nobody waits for a chunk.
    case resting
    case reading
    /// The last phase.
    case ending
  }

  struct State {
    var phase = Phase.resting
    /// The transfer was ended during the reading; the reader sees to the rest.
    var isCut = false
    /// The reader knows how it ended.
    var isTold = false
    /// The whole body, where the transport had it in memory.
    var rest: Data?
    var received = 0
    var handler: CancellationSignal.HandlerID?
  }

  let head: HTTPResponse
  let end = OneTime<Ended<HTTPResponse>>()
  let dispatch: Dispatch<R>
  let attempt: Attempt
  private let ledger: Ledger
  private let body: BodyStream
  let source: (any BodySource)?
  private let signal: CancellationSignal
  let state: Locked<State>

  init(
    _ dispatch: Dispatch<R>, _ attempt: Attempt, _ ledger: Ledger, head: HTTPResponse, body: BodyStream
  ) {
    self.head = head
    self.dispatch = dispatch
    self.attempt = attempt
    self.ledger = ledger
    self.body = body
    signal = attempt.watch?.signal ?? dispatch.cancellation
    let iterator = body.makeAsyncIterator()
    source = iterator.source
    state = Locked(State(rest: iterator.rest))
    // Holds the dispatch until its end, which forgets it.
    let handler = signal.onCancel { [self] in cut() }
    state.withLock { $0.handler = handler }
  }

  var summary: TransportSummary { body.summary }

  var readTwice: any Error {
    dispatch.requestError(
      TransportError(.transport, "the body of the response can be read once, and was read before"), attempt)
  }

  func giveUp() {
    guard state.withLock({ $0.phase != .ending }) else { return }
    dispatch.cancellation.cancel(by: .reader)
  }

  /// Ends the transfer, for whatever reason the signal fired.
  private func cut() {
    body.cancel()
    let isMine = state.withLock { state in
      switch state.phase {
      case .resting:
        state.phase = .ending
        return true
      case .reading:
        state.isCut = true
        return false
      case .ending: return false
      }
    }
    if isMine { Task { await finish(TransportError.cancelled) } }
  }
}

// The end, which one task runs.
extension OpenDispatch {
  @discardableResult
  func finish(_ failure: (any Error)?) async -> Ended<HTTPResponse> {
    if failure != nil { body.cancel() }
    let (received, handler) = state.withLock { ($0.received, $0.handler) }
    if let handler { signal.removeHandler(handler) }
    attempt.watch?.stop()

    var attempt = attempt
    attempt.streamedLength = received
    attempt.metrics = body.summary.metrics
    attempt.response?.trailers = body.summary.trailers
    let ended = await dispatch.end(attempt, failure, ledger)
    end.set(ended)
    return ended
  }
}
