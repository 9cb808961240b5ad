import Foundation

/// Lets the authenticator inspect a response and renew credentials, before the validators run.
struct AuthenticatorRound<R: Request>: Sendable {
  let sender: AttemptSender<R>
  let signer: Signer

  private var dispatch: Dispatch<R> { sender.dispatch }

  /// Returns the response, unless the authenticator renews the credentials.
  ///
  /// After a renewal, throws an error, so that an attempt with the new credentials can follow. A failed
  /// renewal and a cancellation throw too.
  @inline(never)
  func passed(_ answer: TransportResponse, in attempt: Attempt) async throws -> TransportResponse {
    var head = answer.head
    head.url = head.url ?? attempt.sent.request?.url
    head.link.dispatched = attempt.context.dispatched
    let (context, round) = (attempt.context, attempt.signature.round)
    let signal = dispatch.time.signal(attempt.clock.watch)
    let isRefusal = await HeldSlotMark.holding(if: attempt.transferState.lease != nil) {
      await signer.isRefusal(head, round: round, in: context, cancellation: signal)
    }
    guard isRefusal, round < signer.maximumRounds, attempt.sent.first?.isReplayable == true,
      dispatch.wire.cache?.policy.sendsNothing != true
    else { return answer }
    do {
      return try await renewed(after: answer, head: head, in: attempt)
    } catch {
      answer.body.cancel()
      throw error
    }
  }

  private func renewed(
    after answer: TransportResponse, head: HTTPResponse, in attempt: Attempt
  ) async throws -> TransportResponse {
    let signal = dispatch.time.signal(attempt.clock.watch)
    let ending = signal.onCancel { [body = answer.body] in body.cancel() }
    let start = await BodyStart(answer.body, limit: RequestError.bodyLimit)
    signal.removeHandler(ending)
    try sender.check(attempt)
    var response = head
    (response.body, response.trailers) = (start.data, start.summary.trailers)
    (attempt.answer.response, attempt.answer.isBodyRead) = (response, true)
    if start.isEnded { sender.endTransfer(attempt) }

    attempt.stage = .validate
    let refusal = Refusal("status \(head.status) asks for other credentials", kind: .status)
    let (failure, context) = (sender.error(refusal, in: attempt), attempt.context)
    let round = attempt.signature.round
    (attempt.stage, attempt.signature.isAsked) = (.authenticate, true)
    // The attempt's time limit does not apply to a renewal, but the deadline of the dispatch does.
    let begun = dispatch.time.pause(&attempt.clock)
    do {
      defer { attempt.clock.addRenewal(dispatch.time.now - begun) }
      attempt.signature.isRenewed = try await HeldSlotMark.holding(if: attempt.transferState.lease != nil) {
        try await signer.renew(after: failure, round: round, in: context, within: dispatch.time)
      }
    }
    guard attempt.signature.isRenewed else {
      dispatch.time.resume(&attempt.clock)
      attempt.stage = .transport
      return TransportResponse(head: answer.head, body: BodyStream(start))
    }
    attempt.stage = .validate
    attempt.answer.readBody = answer.body
    dispatch.meter?.accept(head, to: attempt.sent.request?.method)
    dispatch.meter?.noteRead(start.data.count)
    throw refusal
  }
}
