import Foundation

/// How one attempt is made, stage by stage: from the parts of a request to the response that is decoded.
///
/// What changes on the way is in the ``Attempt``. The steps are inlined into the line that ``Dispatch/run(_:completion:)`` is: a
/// call of an asynchronous function costs more than most of them do.
struct AttemptRunner<R: Request>: Sendable {
  let dispatch: Dispatch<R>

  // MARK: The way out

  /// The stages up to the head of the answer.
  @inline(__always)
  func answer(_ attempt: inout Attempt) async throws -> TransportResponse {
    if attempt.clock.watch != nil || !dispatch.accessories.isEmpty { try check(attempt) }
    try await dispatch.time.rest(attempt.clock.watch)
    if let fallback = attempt.fallback {
      (attempt.stage, attempt.sent.request, attempt.passage.isMocked) = (.transport, fallback.request, true)
      return try fallback.answer()
    }
    if let made = dispatch.agent.madeUserAgent, !made.isKnown { try await wait(for: made, by: attempt.clock) }
    let built = try build(&attempt)

    attempt.stage = .filterRequest
    var http = built
    try await filterRequest(&http, built: built, in: &attempt)
    if dispatch.agent.origins.isNeeded(for: dispatch.request) { try await admit(http, in: &attempt) }
    if let busy = takeFreeSlot(for: http.url, in: &attempt) { try await waitForSlot(of: busy, in: &attempt) }

    try await seal(&http, in: &attempt)
    attempt.stage = .transport
    attempt.sent.first = Attempt.First(http, key: dispatch.idempotency)
    let answer = try await follow(built, sent: http, in: &attempt)
    guard attempt.signature.isOfLast, let authenticator = dispatch.authenticator else { return answer }
    return try await AuthenticatorRound(runner: self, signer: dispatch.agent.signer(authenticator))
      .passed(answer, in: &attempt)
  }

  @inline(never)
  func wait(for made: MadeUserAgent, by clock: AttemptClock) async throws {
    try await made.wait(
      for: dispatch.request, besides: dispatch.agent.configuration.headers, within: dispatch.time, by: clock)
  }

  func build(_ attempt: inout Attempt) throws -> HTTPRequest {
    var builder = builder(attempt.context)
    var http = try builder.build(dispatch.request)
    if builder.isElsewhere {
      (attempt.context.hasLeftOrigin, attempt.hops.withheld) = (true, builder.withheld)
    }
    if let fragment = builder.fragment { attempt.hops.fragment = fragment }
    try dispatch.idempotency?.add(to: &http)
    if attempt.answer.destination != nil { try attempt.answer.resume(&http) }
    return http
  }

  /// The hooks' turn, then the last check: what is sent is what the attempt remembers.
  @inline(__always)
  private func filterRequest(
    _ http: inout HTTPRequest, built: HTTPRequest, in attempt: inout Attempt
  ) async throws {
    defer { attempt.sent.request = http }
    try await dispatch.request.filterRequest(&http, context: attempt.context)
    for hook in dispatch.agent.hooks {
      try check(attempt)
      try await hook.filterRequest(&http, context: attempt.context)
    }
    try check(attempt)
    try complete(&http, built: built, context: attempt.context)
  }

  /// Completes a request that others have changed, and remembers it; throws when it may not be sent.
  @inline(__always)
  func complete(_ http: inout HTTPRequest, built: HTTPRequest, context: RequestContext) throws {
    try builder(context).finish(&http, of: dispatch.request, built: built)
    context.dispatched.note(http)
  }

  /// Asks for the origin's leave, and waits for it.
  private func admit(_ http: HTTPRequest, in attempt: inout Attempt) async throws {
    guard let origin = Origin(http.url) else { return }
    attempt.stage = .throttle
    let admission = Admission(OriginKey(origin: origin, overrideNumber: dispatch.entry.overrideNumber))
    attempt.admission = admission
    let waitedBefore = attempt.clock.throttleWait
    try await dispatch.agent.origins.admit(
      admission, of: dispatch.request, isFirst: attempt.number == 1, within: dispatch.time,
      clock: &attempt.clock
    ) {
      note(.waiting(.throttle))
    }
    if attempt.clock.throttleWait > waitedBefore { note(.running) }
  }

  /// Notes how far the dispatch is, for whoever lists them.
  private func note(_ state: LiveDispatch.State) {
    dispatch.agent.inFlight.note(state, of: dispatch.entry)
  }

  /// Takes a slot of the origin that the attempt is for, if one is free.
  ///
  /// It is that of the first URL of the attempt: a redirect keeps it, wherever it leads.
  ///
  /// - Returns: the origin whose slot is to be waited for; `nil` where there is nothing to wait for.
  @inline(__always)
  private func takeFreeSlot(for url: URL, in attempt: inout Attempt) -> OriginNumber? {
    attempt.stage = .hostSlot
    guard let origin = OriginNumber(of: url) else { return nil }
    let suspension = dispatch.time.suspension
    if suspension == nil || suspension?.isSuspended == false {
      attempt.passage.lease = dispatch.agent.slots.take(origin, isExempt: dispatch.wire.priority.isExempt)
    }
    return attempt.passage.lease == nil ? origin : nil
  }

  /// Waits until the origin has a slot, and its server wants to be asked.
  @inline(never)
  private func waitForSlot(of origin: OriginNumber, in attempt: inout Attempt) async throws {
    let slots = dispatch.agent.slots
    defer { note(.running) }
    repeat {
      note(.waiting(.hostSlot))
      attempt.passage.lease = try await slots.enter(
        origin, priority: dispatch.wire.priority, within: dispatch.time, clock: &attempt.clock)
    } while try await hasWaitedForServer(&attempt)
    // Before credentials are fetched for nothing.
    if let admission = attempt.admission { try dispatch.agent.origins.checkCircuit(admission) }
  }

  /// Whether the server has said, since the attempt took its turn, that it wants nothing for now.
  ///
  /// Then slot and turn have gone back, and the attempt has waited for another turn.
  private func hasWaitedForServer(_ attempt: inout Attempt) async throws -> Bool {
    let origins = dispatch.agent.origins
    guard let admission = attempt.admission, origins.isHeldUp(admission) else { return false }
    giveSlotBack(&attempt)
    attempt.stage = .throttle
    try await origins.waitAgain(admission, within: dispatch.time, clock: &attempt.clock) {
      note(.waiting(.throttle))
    }
    attempt.stage = .hostSlot
    return true
  }

  /// The cookies for the place it goes to now, besides those it has.
  @inline(never)
  func addCookies(to http: inout HTTPRequest, in attempt: inout Attempt) {
    let context = CookieContext(way: attempt.hops.redirects.map(\.from), isSafe: http.method.isSafe)
    dispatch.cookies?.add(to: &http.headers, for: http.url, context, now: dispatch.time.clock.date)
    attempt.context.dispatched.note(http)
    attempt.sent.request = http
  }

  /// Keeps what an answer sets, whatever becomes of it.
  @inline(never)
  private func takeCookies(
    of answer: TransportResponse, sentOnTheWire sent: HTTPHeaders?, to http: HTTPRequest
  ) {
    dispatch.cookies?.take(sent ?? answer.head.headers, from: http.url, now: dispatch.time.clock.date)
  }

  /// The turn of the cookies, then the authenticator's, after the waits for others, then the circuit's, which its wait may have opened, then the
  /// accessories', where no cache may answer: what they see is sent.
  @inline(__always)
  private func seal(_ http: inout HTTPRequest, in attempt: inout Attempt) async throws {
    if dispatch.cookies != nil { addCookies(to: &http, in: &attempt) }
    if dispatch.authenticator != nil || !dispatch.accessories.isEmpty {
      try await sealAsAsked(&http, in: &attempt)
    } else if let admission = attempt.admission {
      try dispatch.agent.origins.enterCircuit(admission)
    }
  }

  @inline(never)
  private func sealAsAsked(_ http: inout HTTPRequest, in attempt: inout Attempt) async throws {
    try await SlotHold.holding(if: attempt.passage.lease != nil) {
      if let authenticator = dispatch.authenticator {
        defer { attempt.sent.request = http }
        // Where nothing is sent, nothing is renewed for it.
        let isOffline = dispatch.wire.cache?.policy.sendsNothing == true
        try await sign(&http, by: authenticator, in: &attempt, isExplanation: isOffline)
      }
      if let admission = attempt.admission { try dispatch.agent.origins.enterCircuit(admission) }
      // A cache may answer: then it is told when the server is asked.
      if dispatch.wire.cache == nil { try await tellWillSend(http, in: attempt) }
    }
  }

  /// Tells the accessories what goes to the transport.
  private func tellWillSend(_ http: HTTPRequest, in attempt: Attempt) async throws {
    guard !dispatch.accessories.isEmpty else { return }
    for accessory in dispatch.accessories {
      await accessory.attemptWillSend(http, context: attempt.context)
    }
    if !attempt.hops.redirects.isEmpty { attempt.context.dispatched.forgetHops() }
    try check(attempt)
  }

  /// The same for an attempt that a cache may answer; `nil` where there is nobody to tell, or everybody was told.
  private func laterWillSend(_ attempt: Attempt) -> Wire.WillSend? {
    guard dispatch.wire.cache != nil, !dispatch.accessories.isEmpty else { return nil }
    let hasSlot = attempt.passage.lease != nil
    return { http in
      try await SlotHold.holding(if: hasSlot) { try await tellWillSend(http, in: attempt) }
    }
  }

  /// Lets the authenticator sign the request; leaves one to an origin that may not have credentials alone.
  func sign(
    _ http: inout HTTPRequest, by authenticator: any Authenticator, in attempt: inout Attempt,
    isExplanation: Bool = false
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
      round: attempt.signature.round, isExplanation: isExplanation
    ) { try complete(&$0, built: $1, context: context) }
  }

  /// Sends the request and follows the redirects of its answers: gives the first answer that is not followed.
  ///
  /// - Parameters:
  ///   - built: the request before its `filterRequest` hooks, where each hop begins.
  ///   - first: the same after them.
  @inline(never)
  private func follow(
    _ built: HTTPRequest, sent first: HTTPRequest, in attempt: inout Attempt
  ) async throws -> TransportResponse {
    var http = first
    var follower: RedirectFollower?
    while true {
      try await dispatch.time.rest(attempt.clock.watch)
      // Before the call: a call whose arguments have effects copies the wire.
      let transfer = Wire.Transfer(
        context: attempt.context, identified: attempt.signature.identified,
        signals: TransferSignals(dispatch.time, watch: attempt.clock.watch),
        counter: dispatch.wire.meter?.begin(http.body))
      let willSend = laterWillSend(attempt)
      var answer = try await dispatch.wire.answer(
        to: http, of: dispatch.request, for: transfer, through: &attempt.passage, willSend: willSend)
      if dispatch.cookies != nil {
        takeCookies(
          of: answer, sentOnTheWire: attempt.passage.fieldsOnTheWire, to: http)
      }
      guard answer.head.status.isFollowedRedirect,
        try await redirect(&http, after: answer, from: built, by: &follower, in: &attempt)
      else {
        if let fragment = attempt.hops.fragment {
          answer.head.url = URLParts.url(answer.head.url ?? http.url, fragment: fragment)
        }
        return answer
      }
    }
  }

  /// Makes the next hop ready to be sent; `false` when the answer is not followed.
  @inline(never)
  private func redirect(
    _ http: inout HTTPRequest, after answer: TransportResponse, from built: HTTPRequest,
    by follower: inout RedirectFollower?, in attempt: inout Attempt
  ) async throws -> Bool {
    var way =
      follower ?? RedirectFollower(dispatch.redirectRules, from: built, fragment: attempt.hops.fragment)
    guard let hop = try await hop(of: &way, after: answer, to: http, in: &attempt) else { return false }
    let isDrained = await RedirectFollower.drain(
      answer.body, unless: dispatch.time.signal(attempt.clock.watch))
    // Its connection is being closed, and counts until then.
    if !isDrained { giveSlotBack(&attempt) }
    try check(attempt)
    follower = way
    note(hop, after: http, in: &attempt)
    http = hop.request
    attempt.stage = .filterRequest
    try await SlotHold.holding(if: attempt.passage.lease != nil) {
      try await filterRequest(&http, built: hop.request, in: &attempt)
    }
    // That of the hop before went with the transfer which it shared, or gave up.
    if !isDrained || dispatch.wire.coalescing != .none, attempt.passage.lease == nil,
      let busy = takeFreeSlot(for: attempt.hops.redirects[0].from, in: &attempt)
    {
      try await waitForSlot(of: busy, in: &attempt)
    }
    try await seal(&http, in: &attempt)
    attempt.stage = .transport
    (attempt.passage.isLastHopShared, attempt.passage.isAnsweredByCache) = (false, false)
    return true
  }

  /// The next hop, before its `filterRequest` hooks; `nil` when the answer is not followed.
  private func hop(
    of way: inout RedirectFollower, after answer: TransportResponse, to http: HTTPRequest,
    in attempt: inout Attempt
  ) async throws -> RedirectFollower.Hop? {
    var head = answer.head
    head.url = head.url ?? http.url
    head.link.dispatched = attempt.context.dispatched
    attempt.answer.response = head
    do {
      let hop = try await SlotHold.holding(if: attempt.passage.lease != nil) {
        try await way.next(
          after: head, to: http, of: dispatch.request, hooks: dispatch.agent.hooks, in: attempt.context
        ) {
          try check(attempt)
        } prepare: { next in
          try prepare(&next, after: http, context: attempt.context)
        } complete: { next, proposed in
          try builder(attempt.context).finish(&next, of: dispatch.request, built: proposed)
        }
      }
      if let hop { try builder(attempt.context).judge(hop.request.url, of: dispatch.request) }
      return hop
    } catch {
      answer.body.cancel()
      throw error
    }
  }

  /// Takes off the key of what was asked for, and makes the body anew without the agent's parameters, where a redirect goes
  /// to another origin than it came from.
  private func prepare(_ next: inout HTTPRequest, after http: HTTPRequest, context: RequestContext) throws {
    let (request, agent) = (dispatch.request, dispatch.agent)
    dispatch.idempotency?.remove(from: &next, after: http)
    guard !agent.configuration.parameters.isEmpty, !next.body.isEmpty, !Origin.same(next.url, http.url),
      request.customRequest == nil, request.body.isAutomatic
    else { return }
    next.body = try request.requestSerializer.fitting(next.headers["Content-Type"]).body(
      of: request.parameters
    ) {
      context.jsonCoding
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
    attempt.admission?.follow(from: http.url, to: next.url, isShared: attempt.passage.tellsNothingOfServer)
    attempt.answer.response = nil
    guard hop.leavesOrigin else { return }
    attempt.context.hasLeftOrigin = true
    for name in hop.leftBehind { attempt.hops.withhold(name) }
  }

  // MARK: The way back

  /// Judges the head, reads the body as far as it is wanted, and judges the whole; then the hooks have it.
  ///
  /// One for a file is written there while it comes, and judged by its head.
  @inline(never)
  func receive(_ answer: TransportResponse, in attempt: inout Attempt) async throws -> HTTPResponse {
    var response: HTTPResponse
    do {
      response = try await accept(answer, in: &attempt)
    } catch {
      // A cancellation may be noticed here before the transfer hears of it, whose connection counts until it is closed.
      answer.body.cancel()
      throw error
    }
    attempt.stage = .filterResponse
    try await filterResponse(&response, in: attempt)
    attempt.answer.response = response
    return response
  }

  /// Refuses a part where nobody asked for one, as it would be taken for the whole (RFC 9110 section 15.3.7).
  @inline(never)
  private func checkRange(of head: HTTPResponse, body: BodyStream, in attempt: Attempt) throws {
    guard attempt.sent.request?.headers.contains("Range") == false,
      ContentRange(of: head)?.isWhole != true
    else { return }
    body.cancel()
    let field = head.headers["Content-Range"] ?? "none"
    throw Refusal("the server sent a range, \(field), and was asked for the whole", kind: .invalidResponse)
  }

  @inline(__always)
  private func accept(_ answer: TransportResponse, in attempt: inout Attempt) async throws -> HTTPResponse {
    let signal = dispatch.time.signal(attempt.clock.watch)
    let ending = answer.body.isWhole ? nil : signal.onCancel { [body = answer.body] in body.cancel() }
    defer { ending.map(signal.removeHandler) }
    let validators = dispatch.request.validators
    try await judge(answer, by: validators, in: &attempt)

    attempt.stage = .transport
    let destination = attempt.answer.destination
    if let destination {
      try await attempt.answer.write(
        answer.body, to: destination,
        within: limits(of: attempt, bound: dispatch.wire.limits.streamSize))
    } else {
      try await attempt.answer.read(
        answer.body, limit: .max, within: limits(of: attempt, bound: dispatch.wire.limits.bodySize))
    }
    dispatch.meter?.complete()
    endTransfer(&attempt)
    try check(attempt)

    let response = attempt.answer.response ?? answer.head
    if destination != nil { return response }
    attempt.stage = .validate
    for validator in validators {
      do {
        try validator.validate(response, context: attempt.context)
      } catch {
        throw await validator.refusal(error, of: response, context: attempt.context)
      }
    }
    return response
  }

  @inline(__always)
  private func limits(of attempt: borrowing Attempt, bound: Int?) -> Attempt.ReadingLimits {
    Attempt.ReadingLimits(
      bound: bound, signals: TransferSignals(dispatch.time, watch: attempt.clock.watch), meter: dispatch.meter
    )
  }

  /// Judges the head of an answer whose body is handed on; then the hooks have it, without a body.
  func receiveHead(_ answer: TransportResponse, in attempt: inout Attempt) async throws -> HTTPResponse {
    let signal = dispatch.time.signal(attempt.clock.watch)
    let ending = signal.onCancel { answer.body.cancel() }
    defer { signal.removeHandler(ending) }
    do {
      try await judge(answer, by: dispatch.request.validators, in: &attempt)
      // When the rest is read is the reader's affair.
      endTransfer(&attempt)

      attempt.stage = .filterResponse
      var head = attempt.answer.response ?? answer.head
      try await filterResponse(&head, in: attempt)
      head.body = Data()
      attempt.answer.response = head

      attempt.stage = .transport
      return head
    } catch {
      answer.body.cancel()
      throw error
    }
  }

  /// Lets the validators judge the head; the body of a refused one is read as far as its error wants it.
  @inline(__always)
  private func judge(
    _ answer: TransportResponse, by validators: [any ResponseValidator], in attempt: inout Attempt
  ) async throws {
    var response = answer.head
    response.url = response.url ?? attempt.sent.request?.url
    response.link.dispatched = attempt.context.dispatched
    attempt.answer.response = response
    dispatch.meter?.accept(
      response, to: attempt.sent.request?.method, there: attempt.answer.countThere(before: response))
    try check(attempt)

    attempt.stage = .validate
    if response.status == 206 { try checkRange(of: response, body: answer.body, in: attempt) }
    for validator in validators {
      switch validator.judge(head: response, context: attempt.context) {
      case .accepted: continue
      case .refused(let error):
        answer.body.cancel()
        throw error
      case .refusedWithBody(let error):
        throw await refusal(error, by: validator, body: answer.body, in: &attempt)
      }
    }
  }

  /// What a validator makes of a refusal with the body.
  @inline(never)
  private func refusal(
    _ error: any Error, by validator: any ResponseValidator, body: BodyStream, in attempt: inout Attempt
  ) async -> any Error {
    try? await attempt.answer.read(
      body, limit: RequestError.bodyLimit,
      within: limits(of: attempt, bound: dispatch.wire.limits.bodySize))
    endTransfer(&attempt)
    guard let response = attempt.answer.response else { return error }
    return await validator.refusal(error, of: response, context: attempt.context)
  }

  @inline(__always)
  private func filterResponse(_ response: inout HTTPResponse, in attempt: Attempt) async throws {
    try await dispatch.request.filterResponse(&response, context: attempt.context)
    for hook in dispatch.agent.hooks {
      try check(attempt)
      try await hook.filterResponse(&response, context: attempt.context)
    }
    response.link.dispatched = attempt.context.dispatched
    try check(attempt)
  }

  // MARK: The end

  /// How the attempt ends when a stage throws.
  @inline(never)
  func outcome<Value>(of thrown: any Error, in attempt: inout Attempt) -> Outcome<Value> {
    dispatch.time.noticeTask()
    if thrown is CircuitBreaker.Open { attempt.stage = .throttle }
    return dispatch.time.isCancelled
      ? .cancelled : .failure(error(attempt.clock.expiry ?? thrown, in: attempt))
  }

  /// Makes the one error a caller sees of whatever a stage threw.
  func error(_ thrown: any Error, in attempt: Attempt) -> RequestError {
    let time = dispatch.time
    return Thrown(thrown, at: attempt.stage).error(
      of: attempt, elapsed: time.now - time.started, attempt.context.dispatched)
  }

  /// Stops watching the attempt's time, and gives back what it holds of its origin: the origin's state is told first, so
  /// that who gets the slot knows of it.
  @inline(__always)
  func close<Value>(_ attempt: inout Attempt, after outcome: Outcome<Value>) {
    if attempt.admission != nil { settle(&attempt, after: outcome) }
    attempt.clock.stop()
    giveSlotBack(&attempt)
    // Another attempt may go on with it.
    attempt.answer.file?.giveUp()
    attempt.clock.elapsed = dispatch.time.now - attempt.clock.started - attempt.clock.renewalWait
  }

  /// Ends the attempt when the dispatch was cancelled or its time is up.
  @inline(__always)
  func check(_ attempt: Attempt) throws { try dispatch.time.check(attempt.clock.watch) }

  /// Ends what the transfer holds of its origin, as soon as nothing more is wanted of it: what follows concerns this dispatch alone.
  @inline(__always)
  func endTransfer(_ attempt: inout Attempt) {
    if attempt.admission != nil { settle(&attempt, after: Outcome.success(())) }
    giveSlotBack(&attempt)
  }

  /// Takes the attempt in place, as what waits would have room for a copy of it.
  @inline(never)
  private func settle<Value>(_ attempt: inout Attempt, after outcome: Outcome<Value>) {
    guard let admission = attempt.admission else { return }
    dispatch.agent.origins.settle(
      admission,
      with: OriginGuard.End(
        wasSent: attempt.sent.first != nil, isShared: attempt.passage.tellsNothingOfServer,
        isCancelled: dispatch.time.isCancelled, response: attempt.answer.response, failure: outcome.error))
  }

  @inline(__always)
  private func giveSlotBack(_ attempt: inout Attempt) {
    guard let lease = attempt.passage.lease else { return }
    attempt.passage.lease = nil
    lease.end()
  }

  @inline(__always)
  private func builder(_ context: RequestContext) -> RequestBuilder {
    RequestBuilder(settings: dispatch.agent.building, context: context, substitute: dispatch.wire.substitute)
  }
}
