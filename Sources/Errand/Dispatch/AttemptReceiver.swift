import Foundation

/// Validates, reads and filters the response of an attempt, between the transport and decoding.
///
/// ``Stage`` lists all stages.
struct AttemptReceiver<R: Request>: Sendable {
  let dispatch: Dispatch<R>

  private var sender: AttemptSender<R> {
    @inline(__always) get { AttemptSender(dispatch: dispatch) }
  }

  @inline(__always)
  func head(of answer: inout TransportResponse, in attempt: inout Attempt) async throws {
    if answer.head.status == 206 { checkLength(&answer, in: attempt) }
    var response = answer.head
    if response.location == nil { response.location = attempt.sent.request?.location }
    response.link.dispatched = attempt.context.dispatched
    let refused: RefusedHead?
    do {
      refused = try judge(response, in: &attempt)
    } catch {
      attempt.answer.response = response
      throw error
    }
    attempt.answer.response = response
    if let refused { throw await refusal(refused, body: answer.body, in: &attempt) }
  }

  /// Reads the body into memory or into a file, unless the caller receives the body as a stream.
  @inline(never)
  func body(
    of answer: TransportResponse, in attempt: inout Attempt, isHandedOut: Bool
  ) async throws -> HTTPResponse {
    if isHandedOut {
      sender.endTransfer(&attempt)
      return attempt.answer.response ?? answer.head
    }
    attempt.stage = .transport
    let destination = attempt.answer.destination
    if let destination {
      try await attempt.answer.write(
        answer.body, to: destination, within: limits(of: attempt, bound: dispatch.wire.limits.streamSize))
    } else {
      try await attempt.answer.read(
        answer.body, limit: .max, within: limits(of: attempt, bound: dispatch.wire.limits.bodySize))
    }
    dispatch.meter?.complete()
    sender.endTransfer(&attempt)
    try sender.check(attempt)
    let response = attempt.answer.response ?? answer.head
    if destination != nil { return response }
    attempt.stage = .validate
    for validator in dispatch.request.validators {
      do {
        try validator.validate(response, context: attempt.context)
      } catch {
        throw await validator.refusal(error, of: response, context: attempt.context)
      }
    }
    return response
  }

  @inline(__always)
  func filter(_ response: inout HTTPResponse, in attempt: inout Attempt) async throws {
    attempt.stage = .filterResponse
    try await dispatch.request.filterResponse(&response, context: attempt.context)
    for hook in dispatch.agent.hooks {
      try sender.check(attempt)
      try await hook.filterResponse(&response, context: attempt.context)
    }
    response.link.dispatched = attempt.context.dispatched
    try sender.check(attempt)
    attempt.answer.response = response
  }

  @inline(__always)
  private func judge(_ response: HTTPResponse, in attempt: inout Attempt) throws -> RefusedHead? {
    dispatch.meter?.accept(
      response, to: attempt.sent.request?.method, keptBytes: attempt.answer.keptByteCount(before: response))
    try sender.check(attempt)
    attempt.stage = .validate
    if response.status == 206 { try checkRange(of: response, in: attempt) }
    for validator in dispatch.request.validators {
      switch validator.judge(head: response, context: attempt.context) {
      case .accepted: continue
      case .refused(let error): throw error
      case .refusedWithBody(let error): return RefusedHead(error: error, validator: validator)
      }
    }
    return nil
  }

  /// Cancels the body after a failure, because the transfer may still be running.
  @inline(never)
  func cancelBody(of answer: TransportResponse, in attempt: Attempt) {
    answer.body.cancel()
    // After status 416, the kept bytes are discarded, because the server refused the requested range.
    if attempt.answer.response?.status == 416, let file = attempt.answer.file, file.size > 0 { file.forget() }
  }

  /// Rejects a 206 response to a request without `Range`, unless the range covers the whole representation
  /// (RFC 9110 section 15.3.7).
  @inline(never)
  private func checkRange(of head: HTTPResponse, in attempt: Attempt) throws {
    guard attempt.sent.request?.headers.contains("Range") == false,
      ContentRange(of: head)?.isWhole != true
    else { return }
    let field = head.headers["Content-Range"] ?? "none"
    throw Refusal(
      "the server sent a range, \(field), although the request has no Range", kind: .invalidResponse)
  }

  /// Adds the check of ``RangedBody``, unless a download resumes.
  @inline(never)
  private func checkLength(_ answer: inout TransportResponse, in attempt: Attempt) {
    guard attempt.answer.file?.size ?? 0 == 0 else { return }
    answer.body = RangedBody.checked(
      answer.body, head: answer.head, method: attempt.sent.request?.method)
  }

  @inline(never)
  private func refusal(_ refused: RefusedHead, body: BodyStream, in attempt: inout Attempt) async -> any Error
  {
    try? await attempt.answer.read(
      body, limit: RequestError.bodyLimit,
      within: limits(of: attempt, bound: dispatch.wire.limits.bodySize))
    sender.endTransfer(&attempt)
    guard let response = attempt.answer.response else { return refused.error }
    return await refused.validator.refusal(refused.error, of: response.shortened, context: attempt.context)
  }

  @inline(__always)
  private func limits(of attempt: borrowing Attempt, bound: Int?) -> Attempt.ReadingLimits {
    Attempt.ReadingLimits(
      bound: bound, signals: TransferSignals(dispatch.time, watch: attempt.clock.watch), meter: dispatch.meter
    )
  }
}

/// Cancels a body when the dispatch is cancelled or a time limit passes, until `end()`.
struct BodyWatch {
  private let signal: CancellationSignal
  private let handler: CancellationSignal.HandlerID

  /// Returns `nil` for a body in memory, because no transfer is running.
  @inline(__always)
  init?(_ body: BodyStream, signal: CancellationSignal) {
    if body.isWhole { return nil }
    self.signal = signal
    handler = signal.onCancel { body.cancel() }
  }

  func end() { signal.removeHandler(handler) }
}

private struct RefusedHead {
  let error: any Error
  let validator: any ResponseValidator
}
