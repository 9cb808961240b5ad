import Foundation

/// Builds, signs and sends the request of an attempt.
struct AttemptSender<R: Request>: Sendable {
  let dispatch: Dispatch<R>

  /// Sends the request, and follows redirects; returns the last response.
  @inline(never)
  func send(_ attempt: inout Attempt) async throws -> TransportResponse {
    try attempt.answer.destination?.check()
    if attempt.clock.watch != nil || !dispatch.accessories.isEmpty { try check(attempt) }
    try await dispatch.time.waitWhileSuspended(attempt.clock.watch)
    if let fallback = attempt.fallback { return try answer(by: fallback, in: &attempt) }
    let built = try await build(&attempt, observer: nil)
    var http = built
    try await prepare(&http, built: built, in: &attempt, observer: nil)
    attempt.sent.first = Attempt.First(http, key: dispatch.idempotency)
    var follower: RedirectFollower?
    while true {
      try await dispatch.time.waitWhileSuspended(attempt.clock.watch)
      // A separate `let`, because a call with side effects in its arguments would copy the wire.
      let transfer = Wire.Transfer(
        context: attempt.context, identified: attempt.signature.identified,
        signals: TransferSignals(dispatch.time, watch: attempt.clock.watch),
        counter: dispatch.wire.meter?.begin(http.body))
      let willSend = laterWillSend(attempt)
      let answer = try await dispatch.wire.answer(
        to: http, of: dispatch.request, for: transfer, through: &attempt.transferState, willSend: willSend)
      if dispatch.cookies != nil { takeCookies(of: answer, to: http, in: attempt) }
      guard answer.head.status.isFollowedRedirect,
        try await redirect(&http, after: answer, from: built, by: &follower, in: &attempt)
      else {
        if attempt.hops.fragment == nil, !attempt.signature.isOfLast { return answer }
        return try await passed(answer, to: http, in: &attempt)
      }
    }
  }

  /// Adds the fragment, if any, to the URL of the last response, and lets the authenticator see the response
  /// to a signed request.
  @inline(never)
  private func passed(
    _ answer: TransportResponse, to http: HTTPRequest, in attempt: inout Attempt
  ) async throws -> TransportResponse {
    var answer = answer
    if let fragment = attempt.hops.fragment {
      answer.head.url = URLParts.url(answer.head.url ?? http.url, fragment: fragment)
    }
    guard attempt.signature.isOfLast, let authenticator = dispatch.authenticator else { return answer }
    return try await AuthenticatorRound(sender: self, signer: dispatch.agent.signer(authenticator))
      .passed(answer, in: &attempt)
  }

  @inline(never)
  private func answer(by fallback: MockFallback, in attempt: inout Attempt) throws -> TransportResponse {
    (attempt.stage, attempt.sent.request) = (.transport, fallback.request)
    attempt.transferState.isMocked = true
    let answer = try fallback.answer()
    if dispatch.cookies != nil { takeCookies(of: answer, to: fallback.request, in: attempt) }
    return answer
  }

  // MARK: Preparation

  @inline(__always)
  func build(
    _ attempt: inout Attempt, observer: (any PreparationObserver)?
  ) async throws -> HTTPRequest {
    if let made = dispatch.agent.deferredUserAgent, !made.isKnown {
      try await wait(for: made, by: attempt.clock)
    }
    var http = try built(&attempt)
    if attempt.answer.destination != nil {
      let count = try attempt.answer.resume(&http, isExplanation: observer != nil)
      observer?.willResume(at: count)
    }
    observer?.didRun(.build, on: http)
    return http
  }

  /// Runs the stages from `filterRequest` to `authenticate`.
  ///
  /// With an observer, the function does not wait for rate limits and slots, and calls no accessory.
  @inline(__always)
  func prepare(
    _ http: inout HTTPRequest, built: HTTPRequest, in attempt: inout Attempt,
    observer: (any PreparationObserver)?
  ) async throws {
    attempt.stage = .filterRequest
    try await filterRequest(&http, built: built, in: &attempt, observer: observer)
    if observer == nil {
      let gate = OriginGate(dispatch: dispatch)
      if dispatch.agent.origins.isNeeded(for: dispatch.request) { try await gate.admit(http, in: &attempt) }
      if let busy = gate.takeFreeSlot(for: http.location, in: &attempt) {
        try await gate.waitForSlot(of: busy, in: &attempt)
      }
    }
    try await signAndAdmit(&http, in: &attempt, observer: observer)
    attempt.stage = .transport
  }

  @inline(never)
  private func wait(for made: DeferredUserAgent, by clock: AttemptClock) async throws {
    try await made.wait(
      for: dispatch.request, besides: dispatch.agent.configuration.headers, within: dispatch.time, by: clock)
  }

  private func built(_ attempt: inout Attempt) throws -> HTTPRequest {
    var builder = builder(attempt.context)
    var http = try builder.build(dispatch.request)
    if builder.isUntrusted {
      (attempt.context.hasLeftOrigin, attempt.hops.withheld) = (true, builder.withheld)
    }
    if let fragment = builder.fragment { attempt.hops.fragment = fragment }
    try dispatch.idempotency?.add(to: &http)
    return http
  }

  @inline(__always)
  private func filterRequest(
    _ http: inout HTTPRequest, built: HTTPRequest, in attempt: inout Attempt,
    observer: (any PreparationObserver)?
  ) async throws {
    defer { attempt.sent.request = http }
    let hadLeft = attempt.context.hasLeftOrigin
    try await dispatch.request.filterRequest(&http, context: attempt.context)
    observer?.didRun(.filterRequest, on: http)
    if !dispatch.agent.hooks.isEmpty {
      try await filterByHooks(&http, built: built, in: &attempt, observer: observer)
    }
    try check(attempt)
    let withheld = try finalize(&http, built: built, context: attempt.context)
    attempt.context.hasLeftOrigin = hadLeft || withheld != nil
    attempt.hops.isMoved = withheld != nil
    if let withheld { for name in withheld { attempt.hops.withhold(name) } }
    observer?.didRun(.completion, on: http)
  }

  @inline(never)
  private func filterByHooks(
    _ http: inout HTTPRequest, built: HTTPRequest, in attempt: inout Attempt,
    observer: (any PreparationObserver)?
  ) async throws {
    let hadLeft = attempt.context.hasLeftOrigin
    for hook in dispatch.agent.hooks {
      try check(attempt)
      // `filterRequest` or an earlier hook may have moved the request to an untrusted origin.
      attempt.context.hasLeftOrigin =
        hadLeft
        || http.location != built.location
          && builder(attempt.context).isForeign(http.url, of: dispatch.request)
      try await hook.filterRequest(&http, context: attempt.context)
      observer?.didRun(.hook(hook), on: http)
    }
  }

  /// Completes and checks a request after hooks or the authenticator.
  ///
  /// - Returns: the names of withheld headers if the request was moved to an untrusted origin; otherwise
  ///   `nil`.
  @inline(__always)
  private func finalize(
    _ http: inout HTTPRequest, built: HTTPRequest, context: RequestContext
  ) throws -> [String]? {
    var builder = builder(context)
    try builder.finish(&http, of: dispatch.request, built: built)
    context.dispatched.note(http)
    return builder.isUntrusted ? builder.withheld : nil
  }

  /// Signs the request, then asks the circuit breaker, because the circuit may open during signing.
  @inline(__always)
  private func signAndAdmit(
    _ http: inout HTTPRequest, in attempt: inout Attempt, observer: (any PreparationObserver)?
  ) async throws {
    if dispatch.authenticator != nil || dispatch.cookies != nil || !dispatch.accessories.isEmpty {
      try await signInStages(&http, in: &attempt, observer: observer)
    } else if let admission = attempt.admission {
      try dispatch.agent.origins.enterCircuit(admission)
    }
  }

  @inline(never)
  private func addCookies(to http: inout HTTPRequest, in attempt: inout Attempt) {
    attempt.stage = .cookies
    let context = CookieContext(
      redirectedURLs: attempt.hops.redirects.map(\.from), isSafe: http.method.isSafe)
    dispatch.cookies?.add(to: &http.headers, for: http.url, context, now: dispatch.time.clock.date)
    attempt.context.dispatched.note(http)
    attempt.sent.request = http
  }

  @inline(never)
  private func signInStages(
    _ http: inout HTTPRequest, in attempt: inout Attempt, observer: (any PreparationObserver)?
  ) async throws {
    if dispatch.cookies != nil {
      addCookies(to: &http, in: &attempt)
      observer?.didRun(.cookies, on: http)
    }
    try await HeldSlotMark.holding(if: attempt.transferState.lease != nil) {
      if let authenticator = dispatch.authenticator {
        defer { attempt.sent.request = http }
        let isOffline = dispatch.wire.cache?.policy.sendsNothing == true
        try await sign(
          &http, by: authenticator, in: &attempt, renewsNothing: observer?.renewsNothing ?? isOffline)
        observer?.didRun(.authenticate(authenticator), on: http)
      }
      if observer != nil { return }
      if let admission = attempt.admission { try dispatch.agent.origins.enterCircuit(admission) }
      // With a cache, the closure of `laterWillSend` calls the accessories.
      if dispatch.wire.cache == nil { try await tellWillSend(http, in: attempt) }
    }
  }

  private func tellWillSend(_ http: HTTPRequest, in attempt: Attempt) async throws {
    guard !dispatch.accessories.isEmpty else { return }
    for accessory in dispatch.accessories {
      await accessory.attemptWillSend(http, context: attempt.context)
    }
    if !attempt.hops.redirects.isEmpty { attempt.context.dispatched.forgetHops() }
    try check(attempt)
  }

  /// Returns a closure that calls the accessories; `nil` without a cache, and without accessories.
  private func laterWillSend(_ attempt: Attempt) -> Wire.WillSend? {
    guard dispatch.wire.cache != nil, !dispatch.accessories.isEmpty else { return nil }
    let hasSlot = attempt.transferState.lease != nil
    return { http in
      try await HeldSlotMark.holding(if: hasSlot) { try await tellWillSend(http, in: attempt) }
    }
  }

  private func sign(
    _ http: inout HTTPRequest, by authenticator: any Authenticator, in attempt: inout Attempt,
    renewsNothing: Bool
  ) async throws {
    (attempt.signature.isOfLast, attempt.signature.identified) = (false, nil)
    guard !URLParts.isData(http.url.absoluteString) else { return }
    let signer = dispatch.agent.signer(authenticator)
    guard
      signer.maySign(
        http.url, of: dispatch.request, after: attempt.signature,
        isRedirected: !attempt.hops.redirects.isEmpty, in: attempt.context)
    else { return attempt.hops.withhold(signer.name) }
    attempt.stage = .authenticate
    let context = attempt.context
    attempt.signature = try await signer.sign(
      &http, in: context, within: dispatch.time, clock: &attempt.clock,
      asksIdentity: dispatch.wire.asksIdentity,
      round: attempt.signature.round, isExplanation: renewsNothing
    ) { _ = try finalize(&$0, built: $1, context: context) }
  }

  // MARK: Hops

  @inline(never)
  private func takeCookies(of answer: TransportResponse, to http: HTTPRequest, in attempt: Attempt) {
    let fields = attempt.transferState.serverHeaders ?? answer.head.headers
    dispatch.cookies?.take(fields, from: http.url, now: dispatch.time.clock.date)
  }

  @inline(never)
  private func redirect(
    _ http: inout HTTPRequest, after answer: TransportResponse, from built: HTTPRequest,
    by follower: inout RedirectFollower?, in attempt: inout Attempt
  ) async throws -> Bool {
    var activeFollower =
      follower ?? RedirectFollower(dispatch.redirectRules, from: built, fragment: attempt.hops.fragment)
    guard let hop = try await hop(by: &activeFollower, after: answer, to: http, in: &attempt) else {
      return false
    }
    let isDrained = await RedirectFollower.drain(
      answer.body, unless: dispatch.time.signal(attempt.clock.watch))
    // `drain` cancels a long body. The cancelled transfer may take an additional slot until its connection is
    // closed. So the attempt returns its own slot, and takes a slot again below.
    if !isDrained { attempt.giveSlotBack() }
    try check(attempt)
    follower = activeFollower
    note(hop, after: http, in: &attempt)
    http = hop.request
    attempt.stage = .filterRequest
    try await HeldSlotMark.holding(if: attempt.transferState.lease != nil) {
      try await filterRequest(&http, built: hop.request, in: &attempt, observer: nil)
    }
    // The attempt needs a new slot after returning its slot above, or after a shared transfer took over the
    // slot.
    if !isDrained || dispatch.wire.coalescing != .none, attempt.transferState.lease == nil,
      let busy = OriginGate(dispatch: dispatch).takeFreeSlot(
        for: .parsed(attempt.hops.redirects[0].from), in: &attempt)
    {
      try await OriginGate(dispatch: dispatch).waitForSlot(of: busy, in: &attempt)
    }
    try await signAndAdmit(&http, in: &attempt, observer: nil)
    attempt.stage = .transport
    attempt.transferState.beginHop()
    return true
  }

  /// Returns the hop to the target of a redirect; `nil`: the redirect is not followed.
  private func hop(
    by follower: inout RedirectFollower, after answer: TransportResponse, to http: HTTPRequest,
    in attempt: inout Attempt
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
          try check(attempt)
        } prepare: { next in
          try prepare(&next, after: http, isMoved: attempt.hops.isMoved, context: attempt.context)
        } complete: { next, proposed in
          var builder = builder(attempt.context)
          try builder.finish(&next, of: dispatch.request, built: proposed)
        }
      }
      if let hop { try builder(attempt.context).judge(hop.request.url, of: dispatch.request) }
      return hop
    } catch {
      answer.body.cancel()
      throw error
    }
  }

  /// Prepares the request to the target of a redirect.
  ///
  /// The body for a different origin must not contain the agent's parameters.
  private func prepare(
    _ next: inout HTTPRequest, after http: HTTPRequest, isMoved: Bool, context: RequestContext
  ) throws {
    let (request, agent) = (dispatch.request, dispatch.agent)
    dispatch.idempotency?.remove(from: &next, after: http)
    // The next request is made from the request before the `filterRequest` hooks, and may have the agent's
    // headers. After a move to an untrusted origin by a hook, such headers may have to be removed here too.
    if isMoved {
      var builder = builder(context)
      builder.withholdHeaders(from: &next, of: request, built: next)
    }
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

  private func note(_ hop: RedirectFollower.Hop, after http: HTTPRequest, in attempt: inout Attempt) {
    let next = hop.request
    let report = AttemptReport.Redirect(
      from: http.url, status: hop.status, to: URLParts.url(next.url, fragment: hop.fragment),
      method: next.method, followed: dispatch.time.now - dispatch.time.started,
      sent: SentRequest(request: http), link: next.link)
    attempt.hops.redirects.append(report)
    if !dispatch.accessories.isEmpty { attempt.context.dispatched.note(report) }
    attempt.hops.fragment = hop.fragment
    let state = attempt.transferState
    attempt.admission?.follow(
      from: http.url, to: next.url, isShared: state.leavesOriginStateUnchanged || state.isReplacedByCache)
    attempt.answer.response = nil
    guard hop.leavesOrigin else { return }
    attempt.context.hasLeftOrigin = true
    for name in hop.leftBehind { attempt.hops.withhold(name) }
  }

  // MARK: End

  @inline(never)
  func outcome<Value>(of thrown: any Error, in attempt: inout Attempt) -> Outcome<Value> {
    dispatch.time.noticeTask()
    if thrown is CircuitBreaker.Open { attempt.stage = .throttle }
    return dispatch.time.isCancelled
      ? .cancelled : .failure(error(attempt.clock.expiry ?? thrown, in: attempt))
  }

  func error(_ thrown: any Error, in attempt: Attempt) -> RequestError {
    let time = dispatch.time
    return ErrorTranslation(thrown, at: attempt.stage).error(
      of: attempt, elapsed: time.now - time.started, attempt.context.dispatched)
  }

  @inline(__always)
  func close<Value>(_ attempt: inout Attempt, after outcome: Outcome<Value>) {
    // If the attempt still holds a slot, the origin's state changes before the release, so that the next
    // holder sees the change.
    if attempt.admission != nil { updateOrigin(&attempt, after: outcome) }
    attempt.clock.stop()
    attempt.giveSlotBack()
    // Closes the partial file, so that a later attempt can open and resume the file.
    attempt.answer.file?.cancel()
    attempt.clock.elapsed = dispatch.time.now - attempt.clock.started - attempt.clock.renewalWait
  }

  @inline(__always)
  func check(_ attempt: Attempt) throws { try dispatch.time.check(attempt.clock.watch) }

  /// Updates the state of the origin, then releases the slot, if any, before the end of the attempt.
  @inline(__always)
  func endTransfer(_ attempt: inout Attempt) {
    if attempt.admission != nil { updateOrigin(&attempt, after: Outcome.success(())) }
    attempt.giveSlotBack()
  }

  @inline(never)
  private func updateOrigin<Value>(_ attempt: inout Attempt, after outcome: Outcome<Value>) {
    guard let admission = attempt.admission else { return }
    if attempt.transferState.hasPassedMock {
      attempt.transferState.hasPassedMock = false
      if attempt.number == 1 { dispatch.agent.origins.count(admission, of: dispatch.request) }
    }
    let state = attempt.transferState
    dispatch.agent.origins.settle(
      admission,
      with: OriginGuard.End(
        wasSent: state.transferCount > 0, isShared: state.leavesOriginStateUnchanged,
        isReplaced: state.isReplacedByCache, isCancelled: dispatch.time.isCancelled,
        response: serverResponse(in: attempt), failure: outcome.error))
  }

  /// Returns the server's response to the last request, even if the cache updated or replaced the response.
  private func serverResponse(in attempt: Attempt) -> HTTPResponse? {
    guard let headers = attempt.transferState.serverHeaders else { return attempt.answer.response }
    return attempt.transferState.serverStatus.map { HTTPResponse(status: $0, headers: headers) }
  }

  @inline(__always)
  private func builder(_ context: RequestContext) -> RequestBuilder {
    RequestBuilder(settings: dispatch.agent.building, context: context, substitute: dispatch.wire.substitute)
  }
}
