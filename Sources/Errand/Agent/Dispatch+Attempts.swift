extension Dispatch {
  /// Makes attempts until one succeeds, none is to follow, or the dispatch is cancelled.
  @inline(__always)
  func attempts(_ ledger: inout Ledger) async -> Outcome<R.Response> {
    if request.isSerial, let failure = await waitForTurn(&ledger) { return .failure(failure) }
    var fallback: MockFallback?
    while !isCancelled {
      ledger.attempt += 1
      // Nobody has had time before the first one.
      let start = ledger.attempt == 1 && accessories.isEmpty && ledger.turn == nil ? started : now
      var attempt = Attempt(number: ledger.attempt, started: start)
      let context = context(ledger)
      for accessory in accessories { await accessory.attemptWillStart(context) }

      attempt.watch = watch(attemptFrom: attempt.started)
      attempt.fallback = fallback
      let result = await outcome(of: &attempt, context)
      close(&attempt, &ledger)
      if attempt.pass != nil { settle(attempt, failure: result.error) }
      guard case .failure(let error) = result else {
        await end(attempt, result.isCancelled ? .cancelled : .success, &ledger)
        return result
      }
      if let failure = await failure(error, of: attempt, &ledger) {
        fallback = await self.fallback(for: failure, of: attempt, ledger)
        if fallback == nil { return isCancelled ? .cancelled : .failure(failure) }
      }
    }
    return .cancelled
  }

  /// Notes how far the attempt came, stops watching its time, and gives its slot back.
  @inline(__always)
  func close(_ attempt: inout Attempt, _ ledger: inout Ledger) {
    attempt.watch?.stop()
    giveSlotBack(&attempt)
    attempt.elapsed = now - attempt.started
    ledger.stage = attempt.stage
    ledger.response = attempt.response
  }

  /// Ends a failed attempt: gives the failure that stands, or `nil` after the wait for another attempt.
  func failure(
    _ error: RequestError, of attempt: Attempt, _ ledger: inout Ledger
  ) async -> RequestError? {
    var (error, attempt) = (error, attempt)
    let verdict =
      if let authenticator {
        await retry(after: &error, of: &attempt, by: authenticator, &ledger)
      } else {
        await retry(after: &error, attempt, &ledger)
      }
    await end(attempt, .failure(error, verdict), &ledger)
    guard case .follows(let retry) = verdict else { return error }
    ledger.stage = .retry
    await wait(retry.wait)
    return nil
  }

  @inline(__always)
  private func outcome(of attempt: inout Attempt, _ context: RequestContext) async -> Outcome<R.Response> {
    do {
      let value = try await value(of: &attempt, context)
      return isCancelled ? .cancelled : .success(value)
    } catch {
      noticeTask()
      if isCancelled { return .cancelled }
      return .failure(requestError(attempt.watch?.expiry ?? error, attempt))
    }
  }

  /// One attempt, stage by stage.
  @inline(__always)
  private func value(of attempt: inout Attempt, _ context: RequestContext) async throws -> R.Response {
    var context = context
    let answer = try await answer(to: &attempt, &context)
    var response = try await receive(answer, &attempt, context)

    attempt.stage = .filterResponse
    try await filterResponse(&response, attempt, context)
    attempt.response = response

    attempt.stage = .decode
    return try await request.responseSerializer.serialize(response, context: context)
  }

  /// The stages up to the head of the answer.
  @inline(__always)
  func answer(to attempt: inout Attempt, _ context: inout RequestContext) async throws -> TransportResponse {
    if attempt.watch != nil || !accessories.isEmpty { try check(attempt) }
    try await rest(attempt)
    if let fallback = attempt.fallback {
      (attempt.stage, attempt.request, attempt.isMocked) = (.transport, fallback.request, true)
      return try fallback.answer()
    }
    let built = try build(context)

    attempt.stage = .filterRequest
    var http = built
    try await filterRequest(&http, built: built, &attempt, context)
    if isGuarded { try await takeTurn(http, &attempt) }
    if let busy = takeFreeSlot(for: http.url, &attempt) { try await waitForSlot(of: busy, &attempt) }
    if attempt.pass != nil { try enterCircuit(&attempt) }

    try await seal(&http, &attempt, context)
    attempt.stage = .transport
    attempt.first = Attempt.First(http, idempotency)
    return try await follow(built, sent: http, &attempt, &context)
  }

  @inline(__always)
  func end(_ attempt: consuming Attempt, _ verdict: Attempt.Verdict, _ ledger: inout Ledger) async {
    let report = attempt.report(verdict, of: self)
    for accessory in accessories { await accessory.attemptDidStop(report, context: context(ledger)) }
    ledger.end(report)
  }
}
