import Foundation

extension Dispatch {
  /// Asked for by redirects only.
  private var redirects: RedirectRules {
    RedirectRules(
      limit: request.redirectPolicy.limit ?? agent.configuration.redirectPolicy.limit
        ?? RedirectPolicy.standardLimit,
      redaction: self.context.dispatched.confidential)
  }

  /// Sends the request and follows the redirects of its answers: gives the first answer that is not followed.
  ///
  /// - Parameters:
  ///   - built: the request before its `filterRequest` hooks, where each hop begins.
  ///   - http: the same after them.
  @inline(__always)
  func follow(
    _ built: HTTPRequest, sent http: HTTPRequest, _ attempt: inout Attempt, _ context: inout RequestContext
  ) async throws -> TransportResponse {
    var http = http
    var trail: RedirectTrail?
    while true {
      try await rest(attempt.watch)
      let answer = try await transport(http, &attempt, context)
      guard answer.head.status.isFollowedRedirect,
        try await redirect(&http, after: answer, built, &trail, &attempt, &context)
      else { return answer }
    }
  }

  /// Makes the next hop ready to be sent; `false` when the answer is not followed.
  @inline(never)
  private func redirect(
    _ http: inout HTTPRequest, after answer: TransportResponse, _ built: HTTPRequest,
    _ trail: inout RedirectTrail?, _ attempt: inout Attempt, _ context: inout RequestContext
  ) async throws -> Bool {
    let way = trail ?? RedirectTrail(built)
    guard let target = redirects.target(of: answer.head, to: http.url),
      let next = try await SlotHold.holding(
        &attempt, { try await hop(to: target, after: answer, http, way, &$0, context) })
    else { return false }
    await drain(answer.body, attempt.watch)
    try check(attempt.watch)
    attempt.redirects.append(
      RedirectReport(
        from: http.url, status: answer.head.status, to: next.url, method: next.method, link: next.link))
    if let pass = attempt.pass, !attempt.isLastHopShared, Origin(http.url) == pass.origin {
      attempt.hasOwnAnswer = true
    }
    attempt.response = nil
    if !Origin.same(http.url, next.url) {
      context.hasLeftOrigin = true
      RedirectRules.leftBehind(way.built.headers, next.headers).forEach { attempt.withhold($0) }
    }
    trail = way.following(next)
    http = next
    attempt.stage = .filterRequest
    try await SlotHold.holding(&attempt) { try await filterRequest(&http, built: next, &$0, context) }
    // That of the first hop went with the transfer which it shared.
    if coalescing != .none, attempt.slot == nil,
      let busy = takeFreeSlot(for: attempt.redirects[0].from, &attempt)
    {
      try await waitForSlot(of: busy, &attempt)
    }
    try await seal(&http, &attempt, context)
    attempt.stage = .transport
    attempt.isLastHopShared = false
    return true
  }

  /// The request of the next hop, before its `filterRequest` hooks; `nil` when the answer is not followed.
  private func hop(
    to target: URL, after answer: TransportResponse, _ http: HTTPRequest, _ trail: RedirectTrail,
    _ attempt: inout Attempt, _ context: RequestContext
  ) async throws -> HTTPRequest? {
    let redirects = redirects
    var head = answer.head
    head.url = head.url ?? http.url
    head.link.dispatched = self.context.dispatched
    attempt.response = head
    do {
      var proposed = redirects.next(after: head.status, trail.built, sent: http, to: target)
      idempotency?.remove(from: &proposed, after: http)
      try leaveParameters(behind: http, in: &proposed)
      var next = proposed
      guard try await decision(on: &next, head, attempt.watch, context) == .follow else { return nil }
      if !Origin.same(next.url, target), !Origin.same(next.url, http.url) {
        redirects.leaveBehind(proposed.headers, in: &next.headers)
      }
      try RequestBuilder(agent: agent, context: context, substitute: substitute)
        .finish(&next, built: proposed)
      try redirects.check(next, after: head.status, from: http.url, trail)
      return next
    } catch {
      answer.body.cancel()
      throw error
    }
  }

  /// Makes the body anew without the agent's parameters, where it goes to another origin than it went to.
  private func leaveParameters(behind http: HTTPRequest, in next: inout HTTPRequest) throws {
    guard !agent.configuration.parameters.isEmpty, !next.body.isEmpty, !Origin.same(next.url, http.url),
      request.customRequest == nil, request.body.isAutomatic
    else { return }
    next.body = try request.requestSerializer.body(of: request.parameters)
  }

  /// Asks the request, then the agent's hooks; the first that stops it is the last that is asked.
  private func decision(
    on next: inout HTTPRequest, _ head: HTTPResponse, _ watch: AttemptWatch?, _ context: RequestContext
  ) async throws -> RedirectDecision {
    do {
      var decision = try await request.redirectDecision(to: &next, from: head, context: context)
      for hook in agent.hooks where decision == .follow {
        try check(watch)
        decision = try await hook.redirectDecision(to: &next, from: head, context: context)
      }
      try check(watch)
      return decision
    } catch {
      throw HookFailure(hook: "redirectDecision", cause: error)
    }
  }

  /// Reads the body of a redirect, which nobody wants, so that its connection can be used again; gives a long one up.
  private func drain(_ body: BodyStream, _ watch: AttemptWatch?) async {
    let signal = watch?.signal ?? cancellation
    let ending = signal.onCancel { body.cancel() }
    defer { signal.removeHandler(ending) }
    var rest = RequestError.bodyLimit
    var chunks = body.makeAsyncIterator()
    while rest > 0, let chunk = try? await chunks.next() { rest -= chunk.count }
    if rest <= 0 { body.cancel() }
  }
}
