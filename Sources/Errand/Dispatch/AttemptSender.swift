import Foundation

struct AttemptSender<R: Request>: Sendable {
  let dispatch: Dispatch<R>

  @inline(__always)
  func send(_ attempt: Attempt) async throws {
    try begin(attempt)
    if dispatch.time.suspension != nil { try await waitWhileSuspended(attempt) }
    if let fallback = attempt.fallback { return try answer(by: fallback, in: attempt) }
    try await prepare(attempt, observer: nil)
    try await exchange(attempt)
  }

  @inline(never)
  private func begin(_ attempt: Attempt) throws {
    try attempt.answer.destination?.check()
    if attempt.clock.watch != nil || !dispatch.accessories.isEmpty { try check(attempt) }
  }

  @inline(never)
  private func waitWhileSuspended(_ attempt: Attempt) async throws {
    try await dispatch.time.waitWhileSuspended(attempt.clock.watch)
  }

  /// Sends the request, and follows redirects.
  ///
  /// Not inlined, so that the frame of a waiting dispatch needs no space for the transport's request.
  @inline(never)
  private func exchange(_ attempt: Attempt) async throws {
    repeat {
      if dispatch.time.suspension != nil { try await waitWhileSuspended(attempt) }
      if sendsDirectly(attempt) {
        let sent = try transportRequest(attempt)
        attempt.answer.received = try await dispatch.wire.transport.send(sent)
      } else {
        try await answerByWire(attempt)
      }
    } while try await isRedirected(attempt)
    if attempt.hops.fragment != nil || attempt.signature.isOfLast { try await pass(attempt) }
  }

  /// Returns false if a hook, a mock, a `data:` URL, a cache or a shared transfer may supply the response.
  @inline(never)
  private func sendsDirectly(_ attempt: Attempt) -> Bool {
    guard dispatch.wire.cache == nil, dispatch.wire.coalescing == .none,
      let url = attempt.sent.request?.location.text
    else { return false }
    return !URLParts.isData(url) && !dispatch.wire.mayMock(dispatch.request)
      && dispatch.agent.tools.responders.isEmpty
  }

  @inline(never)
  private func transportRequest(_ attempt: Attempt) throws -> TransportRequest {
    let sent = dispatch.wire.transportRequest(
      try prepared(attempt), for: transfer(attempt), through: attempt.transferState)
    attempt.transferState.transferCount += 1
    return sent
  }

  @inline(never)
  private func answerByWire(_ attempt: Attempt) async throws {
    let http = try prepared(attempt)
    let responders = ResponderStage(sender: self)
    if let answer = try await responders.answer(to: http, in: attempt, willSend: laterWillSend(attempt)) {
      attempt.answer.received = answer
      return
    }
    let transfer = transfer(attempt)
    attempt.answer.received = try await dispatch.wire.answer(
      to: http, of: dispatch.request, for: transfer, through: &attempt.transferState,
      willSend: laterWillSend(attempt))
  }

  private func transfer(_ attempt: Attempt) -> Wire.Transfer {
    var counter: TransportRequest.Counter?
    if let meter = dispatch.wire.meter, let body = attempt.sent.request?.body { counter = meter.begin(body) }
    return Wire.Transfer(
      context: attempt.context, identified: attempt.signature.identified,
      signals: TransferSignals(dispatch.time, watch: attempt.clock.watch),
      counter: counter, connections: attempt.notifier?.connections)
  }

  /// Stores the response's cookies; returns true if a redirect is followed.
  @inline(__always)
  private func isRedirected(_ attempt: Attempt) async throws -> Bool {
    if dispatch.cookies != nil { takeCookies(in: attempt) }
    guard attempt.answer.received?.head.status.isFollowedRedirect == true else { return false }
    return try await RedirectStage(sender: self).follow(attempt)
  }

  private func built(_ attempt: Attempt) throws -> HTTPRequest {
    guard let http = attempt.sent.built else { throw Refusal("no request was built", kind: .encoding) }
    return http
  }

  func prepared(_ attempt: Attempt) throws -> HTTPRequest {
    guard let http = attempt.sent.request else {
      throw Refusal("no request was prepared", kind: .encoding)
    }
    return http
  }

  @inline(never)
  private func pass(_ attempt: Attempt) async throws {
    guard var answer = attempt.answer.received else { return }
    if let fragment = attempt.hops.fragment, let url = answer.head.url ?? attempt.sent.request?.url {
      answer.head.url = URLParts.url(url, fragment: fragment)
    }
    if attempt.signature.isOfLast, let authenticator = dispatch.authenticator {
      answer = try await AuthenticatorRound(sender: self, signer: dispatch.agent.signer(authenticator))
        .passed(answer, in: attempt)
    }
    attempt.answer.received = answer
  }

  @inline(never)
  private func answer(by fallback: MockFallback, in attempt: Attempt) throws {
    (attempt.stage, attempt.sent.request) = (.transport, fallback.request)
    attempt.transferState.isMocked = true
    attempt.answer.received = try fallback.answer()
    if dispatch.cookies != nil { takeCookies(in: attempt) }
  }

  // MARK: Preparation

  /// Builds, filters and signs the request.
  ///
  /// With an observer, waits for no rate limit or slot, and calls no accessory.
  @inline(__always)
  func prepare(_ attempt: Attempt, observer: (any PreparationObserver)?) async throws {
    if let made = dispatch.agent.deferredUserAgent, !made.isKnown {
      try await wait(for: made, by: attempt.clock)
    }
    try makeRequest(attempt, observer: observer)
    attempt.stage = .filterRequest
    try await filterRequest(attempt, observer: observer)
    if observer == nil {
      let gate = OriginGate(dispatch: dispatch)
      if let admission = try gate.admit(attempt) { try await gate.waitForRate(of: admission, in: attempt) }
      if let busy = gate.takeFreeSlot(attempt) { try await gate.waitForSlot(of: busy, in: attempt) }
    }
    try await signAndAdmit(attempt, observer: observer)
    beginTransport(attempt)
  }

  @inline(never)
  private func beginTransport(_ attempt: Attempt) {
    attempt.stage = .transport
    if dispatch.agent.slots.isAdaptive { attempt.clock.sent = dispatch.time.now }
    attempt.sent.noteFirst(key: dispatch.idempotency)
  }

  @inline(never)
  private func wait(for made: DeferredUserAgent, by clock: AttemptClock) async throws {
    try await made.wait(
      for: dispatch.request, besides: dispatch.agent.configuration.headers, within: dispatch.time, by: clock)
  }

  @inline(never)
  private func makeRequest(_ attempt: Attempt, observer: (any PreparationObserver)?) throws {
    var builder = builder(attempt.context)
    if case .some = dispatch.agent.configuration.baseSelector {
      builder.selectedBase = BaseStage(dispatch: dispatch).selectBase(
        in: attempt.context, isExplanation: observer != nil)
    }
    var http = try builder.build(dispatch.request)
    if builder.isUntrusted {
      (attempt.context.hasLeftOrigin, attempt.hops.withheld) = (true, builder.withheld)
    }
    if let fragment = builder.fragment { attempt.hops.fragment = fragment }
    try dispatch.idempotency?.add(to: &http)
    if attempt.answer.destination != nil {
      let count = try attempt.answer.resume(&http, isExplanation: observer != nil)
      observer?.willResume(at: count)
    }
    observer?.didRun(.build, on: http)
    attempt.sent.built = http
  }

  @inline(__always)
  func filterRequest(_ attempt: Attempt, observer: (any PreparationObserver)?) async throws {
    var http = try built(attempt)
    let hadLeft = attempt.context.hasLeftOrigin
    do {
      try await dispatch.request.filterRequest(&http, context: attempt.context)
      if observer != nil || !dispatch.agent.hooks.isEmpty {
        try await filterByHooks(&http, in: attempt, observer: observer)
      }
      try complete(&http, in: attempt, hadLeft: hadLeft)
    } catch {
      store(&http, in: attempt)
      throw error
    }
    store(&http, in: attempt)
    if let observer { observeCompletion(of: attempt, by: observer) }
  }

  // `inout`, so that the caller's frame needs no space for a copy.
  @inline(never)
  private func store(_ http: inout HTTPRequest, in attempt: Attempt) { attempt.sent.request = http }

  @inline(never)
  private func observeCompletion(of attempt: Attempt, by observer: any PreparationObserver) {
    if let http = attempt.sent.request { observer.didRun(.completion, on: http) }
  }

  @inline(never)
  private func filterByHooks(
    _ http: inout HTTPRequest, in attempt: Attempt, observer: (any PreparationObserver)?
  ) async throws {
    observer?.didRun(.filterRequest, on: http)
    let (hadLeft, built) = (attempt.context.hasLeftOrigin, attempt.sent.built?.location)
    for hook in dispatch.agent.hooks {
      try check(attempt)
      // `filterRequest` or an earlier hook may have moved the request to an untrusted origin.
      attempt.context.hasLeftOrigin =
        hadLeft
        || http.location != built
          && builder(attempt.context).isForeign(http.url, of: dispatch.request)
      try await hook.filterRequest(&http, context: attempt.context)
      observer?.didRun(.hook(hook), on: http)
    }
  }

  @inline(never)
  private func complete(_ http: inout HTTPRequest, in attempt: Attempt, hadLeft: Bool) throws {
    try check(attempt)
    // Moved out and back, because a copy of the request is slow.
    let built = attempt.sent.built.take()
    defer { attempt.sent.built = built }
    let withheld = try finalize(&http, built: built, context: attempt.context)
    attempt.context.hasLeftOrigin = hadLeft || withheld != nil
    attempt.hops.isMoved = withheld != nil
    if let withheld { for name in withheld { attempt.hops.withhold(name) } }
  }

  /// Checks and completes the request.
  ///
  /// Returns the names of withheld headers if the request was moved to an untrusted origin; otherwise `nil`.
  @inline(__always)
  private func finalize(
    _ http: inout HTTPRequest, built: HTTPRequest?, context: RequestContext
  ) throws -> [String]? {
    var builder = builder(context)
    try builder.finish(&http, of: dispatch.request, built: built)
    context.dispatched.note(http)
    return builder.isUntrusted ? builder.withheld : nil
  }

  /// Signs the request, and then asks the circuit breaker, because the circuit may open during signing.
  @inline(__always)
  func signAndAdmit(_ attempt: Attempt, observer: (any PreparationObserver)?) async throws {
    if dispatch.time.passesDeadlineOn { try tellDeadline(attempt, observer: observer) }
    if dispatch.authenticator != nil || dispatch.cookies != nil || !dispatch.accessories.isEmpty {
      try await signInStages(attempt, observer: observer)
    } else if let admission = attempt.admission {
      try dispatch.agent.origins.enterCircuit(admission)
    }
  }

  /// Adds the time until the deadline to the headers, for the server.
  ///
  /// An observer that renews credentials belongs to a background transfer. A background transfer gets no
  /// header, because the system may start the transfer after the deadline.
  @inline(never)
  private func tellDeadline(_ attempt: Attempt, observer: (any PreparationObserver)?) throws {
    attempt.transferState.deadlineField = nil
    guard observer?.renewsNothing ?? true, !attempt.context.hasLeftOrigin,
      let deadline = dispatch.time.passedDeadline,
      let propagator = dispatch.agent.configuration.deadlinePropagator
    else { return }
    let unsent = try prepared(attempt)
    var http = unsent
    attempt.transferState.deadlineField = propagator.write(
      max(deadline.remaining, .zero), to: &http.headers)
    _ = try finalize(&http, built: unsent, context: attempt.context)
    attempt.sent.request = http
    observer?.didRun(.deadline, on: http)
  }

  @inline(never)
  private func addCookies(to http: inout HTTPRequest, in attempt: Attempt) {
    attempt.stage = .cookies
    let context = CookieContext(
      redirectedURLs: attempt.hops.redirects.map(\.from), isSafe: http.method.isSafe)
    dispatch.cookies?.add(to: &http.headers, for: http.url, context, now: dispatch.time.clock.date)
    attempt.context.dispatched.note(http)
    attempt.sent.request = http
  }

  @inline(never)
  private func signInStages(_ attempt: Attempt, observer: (any PreparationObserver)?) async throws {
    var http = try prepared(attempt)
    if dispatch.cookies != nil {
      addCookies(to: &http, in: attempt)
      observer?.didRun(.cookies, on: http)
    }
    try await HeldSlotMark.holding(if: attempt.transferState.lease != nil) {
      if let authenticator = dispatch.authenticator {
        defer { attempt.sent.request = http }
        let isOffline = dispatch.wire.cache?.policy.sendsNothing == true
        try await sign(
          &http, by: authenticator, in: attempt, renewsNothing: observer?.renewsNothing ?? isOffline)
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

  /// Returns a closure that calls the accessories after the cache lookup, because a hit sends no request.
  ///
  /// Returns `nil` without a cache or accessories.
  private func laterWillSend(_ attempt: Attempt) -> Wire.WillSend? {
    guard dispatch.wire.cache != nil, !dispatch.accessories.isEmpty else { return nil }
    let hasSlot = attempt.transferState.lease != nil
    return { http in
      try await HeldSlotMark.holding(if: hasSlot) { try await tellWillSend(http, in: attempt) }
    }
  }

  private func sign(
    _ http: inout HTTPRequest, by authenticator: any Authenticator, in attempt: Attempt,
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

  // MARK: Cookies

  @inline(never)
  private func takeCookies(in attempt: Attempt) {
    guard let url = attempt.sent.request?.url, let answer = attempt.answer.received else { return }
    let fields = attempt.transferState.serverHeaders ?? answer.head.headers
    dispatch.cookies?.take(fields, from: url, now: dispatch.time.clock.date)
  }

  // MARK: End

  @inline(never)
  func outcome<Value>(of thrown: any Error, in attempt: Attempt) -> Outcome<Value> {
    dispatch.time.noticeTask()
    if thrown is CircuitBreaker.Open { attempt.stage = .throttle }
    return dispatch.time.isCancelled
      ? .cancelled : .failure(error(attempt.clock.expiry ?? thrown, in: attempt))
  }

  func error(_ thrown: any Error, in attempt: Attempt) -> RequestError {
    error(thrown, at: attempt.stage, in: attempt)
  }

  func error(_ thrown: any Error, at stage: Stage, in attempt: Attempt) -> RequestError {
    let time = dispatch.time
    return ErrorTranslation(thrown, at: stage).error(
      of: attempt, at: stage, elapsed: time.now - time.started, attempt.context.dispatched)
  }

  @inline(never)
  func close(_ attempt: Attempt) {
    attempt.clock.stop()
    attempt.giveSlotBack()
    // Closes the partial file, so that a later attempt can open and resume the file.
    attempt.answer.file?.cancel()
    attempt.clock.elapsed = dispatch.time.now - attempt.clock.started - attempt.clock.renewalWait
    if case .some = dispatch.agent.configuration.hedger {
      LoadRecorder(dispatch: dispatch).recordHedge(of: attempt)
    }
  }

  @inline(__always)
  func check(_ attempt: Attempt) throws { try dispatch.time.check(attempt.clock.watch) }

  /// Updates the origin's state, and then releases the slot, if the attempt holds a slot.
  @inline(__always)
  func endTransfer(_ attempt: Attempt) {
    if hasOriginState(attempt) { updateOrigin(attempt, after: nil) }
    attempt.giveSlotBack()
  }

  /// Returns true if the end of the attempt may change the state of the origin.
  @inline(__always)
  func hasOriginState(_ attempt: Attempt) -> Bool {
    attempt.admission != nil || dispatch.agent.slots.isAdaptive
  }

  @inline(never)
  func updateOrigin(_ attempt: Attempt, after failure: RequestError?) {
    if dispatch.agent.slots.isAdaptive {
      LoadRecorder(dispatch: dispatch).recordLatency(of: attempt, after: failure)
    }
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
        response: serverResponse(in: attempt), failure: failure))
  }

  /// Returns the response of the attempt.
  ///
  /// If a cache or a hook took part, returns only the status and headers of the server, if any. `nil`: the
  /// server sent no response.
  func serverResponse(in attempt: Attempt) -> HTTPResponse? {
    guard let headers = attempt.transferState.serverHeaders else { return attempt.answer.response }
    return attempt.transferState.serverStatus.map { HTTPResponse(status: $0, headers: headers) }
  }

  @inline(__always)
  func builder(_ context: RequestContext) -> RequestBuilder {
    RequestBuilder(settings: dispatch.agent.building, context: context, substitute: dispatch.wire.substitute)
  }
}
