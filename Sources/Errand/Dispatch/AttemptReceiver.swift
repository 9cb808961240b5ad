import Foundation

/// Validates, reads and filters the response of an attempt, between the transport and decoding.
struct AttemptReceiver<R: Request>: Sendable {
  let dispatch: Dispatch<R>

  private var sender: AttemptSender<R> {
    @inline(__always) get { AttemptSender(dispatch: dispatch) }
  }

  @inline(never)
  func watchBody(_ attempt: Attempt) -> BodyWatch? {
    guard let body = attempt.answer.received?.body else { return nil }
    return BodyWatch(body, signal: dispatch.time.signal(attempt.clock.watch))
  }

  @inline(__always)
  func head(_ attempt: Attempt) async throws {
    if let refused = try judgeHead(attempt) { throw await refusal(readingBody: refused, in: attempt) }
  }

  /// Reads and validates the body; with `isHandedOut`, the caller reads the body as a stream.
  @inline(__always)
  func body(_ attempt: Attempt, isHandedOut: Bool) async throws {
    if isHandedOut { return handOut(attempt) }
    if try readWhole(attempt) == false { try await read(attempt) }
    if let refused = try judgeWhole(attempt) { throw await refusal(refused, in: attempt) }
  }

  @inline(never)
  private func handOut(_ attempt: Attempt) {
    // A stream may take hours, so the result for the base URL is recorded after the head.
    if case .some = dispatch.agent.configuration.baseSelector {
      BaseStage(dispatch: dispatch).attemptDidStop(attempt, after: nil)
    }
    sender.endTransfer(attempt)
  }

  @inline(never)
  func response(_ attempt: Attempt) -> HTTPResponse {
    attempt.stage = .filterResponse
    return attempt.answer.response ?? HTTPResponse()
  }

  @inline(__always)
  func filter(_ response: inout HTTPResponse, in attempt: Attempt) async throws {
    try await dispatch.request.filterResponse(&response, context: attempt.context)
    if !dispatch.agent.hooks.isEmpty { try await filterByHooks(&response, in: attempt) }
    try store(&response, in: attempt)
  }

  // `inout`, so that the caller's frame needs no space for a copy.
  @inline(never)
  private func store(_ response: inout HTTPResponse, in attempt: Attempt) throws {
    response.link.dispatched = attempt.context.dispatched
    try sender.check(attempt)
    attempt.answer.response = response
  }

  /// Reads a body that is already in memory.
  ///
  /// Returns false if the body is not in memory, for a download, and during a suspension.
  @inline(never)
  private func readWhole(_ attempt: Attempt) throws -> Bool {
    attempt.stage = .transport
    guard let body = attempt.answer.body, body.isWhole, attempt.answer.destination == nil,
      dispatch.time.suspension?.isSuspended != true
    else { return false }
    if dispatch.time.suspension != nil { try sender.check(attempt) }
    try attempt.readWhole(body, within: limits(of: attempt, bound: dispatch.wire.limits.bodySize))
    return true
  }

  @inline(never)
  private func read(_ attempt: Attempt) async throws {
    guard let body = attempt.answer.body else { return }
    if let destination = attempt.answer.destination {
      try await attempt.write(
        body, to: destination, within: limits(of: attempt, bound: dispatch.wire.limits.streamSize))
    } else {
      try await attempt.read(
        body, limit: .max, within: limits(of: attempt, bound: dispatch.wire.limits.bodySize))
    }
  }

  @inline(never)
  private func filterByHooks(_ response: inout HTTPResponse, in attempt: Attempt) async throws {
    for hook in dispatch.agent.hooks {
      try sender.check(attempt)
      try await hook.filterResponse(&response, context: attempt.context)
    }
  }

  /// Validates the head.
  ///
  /// Returns a refusal whose validator needs the body, and throws other refusals.
  @inline(never)
  private func judgeHead(_ attempt: Attempt) throws -> RefusedResponse? {
    guard let answer = attempt.answer.received.take() else { return nil }
    var (response, body) = (answer.head, answer.body)
    if response.status == 206 { checkLength(of: &body, after: response, in: attempt) }
    attempt.answer.body = body
    if response.location == nil { response.location = attempt.sent.request?.location }
    response.link.dispatched = attempt.context.dispatched
    attempt.answer.response = response
    dispatch.meter?.accept(
      response, to: attempt.sent.request?.method, keptBytes: attempt.answer.keptByteCount(before: response))
    try sender.check(attempt)
    attempt.stage = .validate
    if response.status == 206 { try checkRange(of: response, in: attempt) }
    for validator in dispatch.request.validators {
      switch validator.judge(head: response, context: attempt.context) {
      case .accepted: continue
      case .refused(let error): throw error
      case .refusedWithBody(let error): return RefusedResponse(error: error, validator: validator)
      }
    }
    return nil
  }

  @inline(never)
  private func judgeWhole(_ attempt: Attempt) throws -> RefusedResponse? {
    dispatch.meter?.complete()
    sender.endTransfer(attempt)
    try sender.check(attempt)
    guard attempt.answer.destination == nil, let response = attempt.answer.response else { return nil }
    attempt.stage = .validate
    for validator in dispatch.request.validators {
      do {
        try validator.validate(response, context: attempt.context)
      } catch {
        return RefusedResponse(error: error, validator: validator)
      }
    }
    return nil
  }

  /// Cancels the body after a failure, because the transfer may still be running.
  @inline(never)
  func cancelBody(_ attempt: Attempt) {
    attempt.answer.body?.cancel()
    // After status 416, the kept bytes of a download are discarded, because the server refused the range.
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

  @inline(never)
  private func checkLength(of body: inout BodyStream, after head: HTTPResponse, in attempt: Attempt) {
    guard attempt.answer.file?.size ?? 0 == 0 else { return }
    body = RangedBody.checked(body, head: head, method: attempt.sent.request?.method)
  }

  @inline(never)
  private func refusal(readingBody refused: RefusedResponse, in attempt: Attempt) async -> any Error {
    if let body = attempt.answer.body {
      try? await attempt.read(
        body, limit: RequestError.bodyLimit,
        within: limits(of: attempt, bound: dispatch.wire.limits.bodySize))
    }
    sender.endTransfer(attempt)
    guard let response = attempt.answer.response else { return refused.error }
    return await refused.validator.refusal(refused.error, of: response.shortened, context: attempt.context)
  }

  @inline(never)
  private func refusal(_ refused: RefusedResponse, in attempt: Attempt) async -> any Error {
    guard let response = attempt.answer.response else { return refused.error }
    return await refused.validator.refusal(refused.error, of: response, context: attempt.context)
  }

  @inline(__always)
  private func limits(of attempt: Attempt, bound: Int?) -> Attempt.ReadingLimits {
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

private struct RefusedResponse {
  let error: any Error
  let validator: any ResponseValidator
}
