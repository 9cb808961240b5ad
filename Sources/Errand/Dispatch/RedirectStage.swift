import Foundation

struct RedirectStage<R: Request>: Sendable {
  let sender: AttemptSender<R>

  private var dispatch: Dispatch<R> { sender.dispatch }

  @inline(never)
  func follow(_ attempt: Attempt) async throws -> Bool {
    guard let answer = attempt.answer.received else { return false }
    let http = try sender.prepared(attempt)
    var follower =
      attempt.hops.follower?.follower
      ?? RedirectFollower(
        dispatch.redirectRules, from: attempt.sent.built ?? http, fragment: attempt.hops.fragment)
    guard let hop = try await hop(by: &follower, after: answer, to: http, in: attempt) else {
      return false
    }
    let isDrained = await RedirectFollower.drain(
      answer.body, unless: dispatch.time.signal(attempt.clock.watch))
    // `drain` cancels a long body. The cancelled transfer may take an additional slot until its connection is
    // closed. So the attempt returns its own slot, and takes a slot again below.
    if !isDrained { attempt.giveSlotBack() }
    try sender.check(attempt)
    attempt.hops.follower = Attempt.FollowerBox(follower)
    note(hop, after: http, in: attempt)
    attempt.sent.built = hop.request
    attempt.stage = .filterRequest
    try await HeldSlotMark.holding(if: attempt.transferState.lease != nil) {
      try await sender.filterRequest(attempt, observer: nil)
    }
    // The slot may have been returned above, or taken over by a shared transfer.
    if !isDrained || dispatch.wire.coalescing != .none, attempt.transferState.lease == nil,
      let busy = OriginGate(dispatch: dispatch).takeFreeSlot(attempt)
    {
      try await OriginGate(dispatch: dispatch).waitForSlot(of: busy, in: attempt)
    }
    try await sender.signAndAdmit(attempt, observer: nil)
    attempt.stage = .transport
    attempt.transferState.beginHop()
    return true
  }

  private func hop(
    by follower: inout RedirectFollower, after answer: TransportResponse, to http: HTTPRequest,
    in attempt: Attempt
  ) async throws -> RedirectFollower.Hop? {
    var head = answer.head
    head.url = head.url ?? http.url
    head.link.dispatched = attempt.context.dispatched
    attempt.answer.response = head
    do {
      let hop = try await HeldSlotMark.holding(if: attempt.transferState.lease != nil) {
        try await follower.next(
          after: head, to: http, of: dispatch.request, hooks: dispatch.agent.hooks, in: attempt.context
        ) {
          try sender.check(attempt)
        } prepare: { next in
          try prepare(&next, after: http, isMoved: attempt.hops.isMoved, context: attempt.context)
        } complete: { next, proposed in
          var builder = sender.builder(attempt.context)
          try builder.finish(&next, of: dispatch.request, built: proposed)
        }
      }
      if let hop { try sender.builder(attempt.context).judge(hop.request.url, of: dispatch.request) }
      return hop
    } catch {
      answer.body.cancel()
      throw error
    }
  }

  private func prepare(
    _ next: inout HTTPRequest, after http: HTTPRequest, isMoved: Bool, context: RequestContext
  ) throws {
    let (request, agent) = (dispatch.request, dispatch.agent)
    dispatch.idempotency?.remove(from: &next, after: http)
    // The next request is based on the request before `filterRequest`. If `filterRequest` moved the previous
    // request to an untrusted origin, the next request may still have sensitive headers of the agent.
    if isMoved {
      var builder = sender.builder(context)
      builder.withholdHeaders(from: &next, of: request, built: next)
    }
    // The body for a different origin must not contain the agent's parameters.
    guard !agent.configuration.parameters.isEmpty, !next.body.isEmpty, !Origin.same(next.url, http.url),
      request.customRequest == nil, request.body.isAutomatic
    else { return }
    do {
      next.body = try request.requestSerializer.fitting(next.headers["Content-Type"]).body(
        of: request.parameters
      ) {
        context.jsonCoding
      }
    } catch let refusal as Refusal {
      throw refusal
    } catch {
      // The body is encoded again, so the error has the kind of an error in the stage `build`.
      let failure = ErrorTranslation(error, at: .build)
      throw Refusal(failure.reason, kind: failure.kind, cause: failure.cause)
    }
  }

  private func note(_ hop: RedirectFollower.Hop, after http: HTTPRequest, in attempt: Attempt) {
    let next = hop.request
    let report = AttemptReport.Redirect(
      from: http.url, status: hop.status, to: URLParts.url(next.url, fragment: hop.fragment),
      method: next.method, followed: dispatch.time.now - dispatch.time.started,
      sent: SentRequest(request: http), link: next.link)
    let state = attempt.transferState
    let isShared = state.leavesOriginStateUnchanged || state.isReplacedByCache
    if attempt.hops.redirects.isEmpty { attempt.hops.isFirstAnswerOwn = !isShared }
    attempt.hops.redirects.append(report)
    if !dispatch.accessories.isEmpty { attempt.context.dispatched.note(report) }
    attempt.hops.fragment = hop.fragment
    attempt.admission?.follow(from: http.url, to: next.url, isShared: isShared)
    attempt.answer.response = nil
    guard hop.leavesOrigin else { return }
    attempt.context.hasLeftOrigin = true
    for name in hop.leftBehind { attempt.hops.withhold(name) }
  }
}
