import Foundation

extension Dispatch {
  /// Makes attempts until one succeeds, none is to follow, or the dispatch is cancelled.
  @inline(__always)
  func attempts(_ ledger: inout Ledger) async -> Outcome<R.Response> {
    if request.isSerial, let outcome: Outcome<R.Response> = await waitForTurn(&ledger) { return outcome }
    var fallback: MockFallback?
    while !isCancelled {
      ledger.attempt += 1
      // Nobody has had time before the first one.
      let start = ledger.attempt == 1 && accessories.isEmpty && ledger.turn == nil ? started : now
      var attempt = Attempt(number: ledger.attempt, started: start)
      let context = context(attempt: ledger.attempt)
      for accessory in accessories { await accessory.attemptWillStart(context) }

      attempt.watch = watch(attemptFrom: attempt.started)
      attempt.fallback = fallback
      attempt.wantsFreshConnection = ledger.wantsFreshConnection
      let result = await outcome(of: &attempt, context)
      // Before the slot goes to another.
      if attempt.pass != nil { settle(&attempt, result) }
      close(&attempt, &ledger)
      guard case .failure = result else {
        await end(&attempt, result.isCancelled ? .cancelled : .success, &ledger)
        return result
      }
      if let result = await conclude(result, of: &attempt, &fallback, &ledger) { return result }
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

  /// Ends a failed attempt: gives the outcome that stands, or `nil` after the wait for another attempt.
  ///
  /// Like all that failures take, it is no part of the line that every dispatch goes: its frame would be larger for all.
  @inline(never)
  func conclude<Value>(
    _ result: Outcome<Value>, of attempt: inout Attempt, _ fallback: inout MockFallback?,
    _ ledger: inout Ledger
  ) async -> Outcome<Value>? {
    guard case .failure(var error) = result else { return result }
    let verdict =
      if let authenticator {
        await retry(after: &error, of: &attempt, by: authenticator, &ledger)
      } else {
        await retry(after: &error, &attempt, &ledger)
      }
    await end(&attempt, .failure(error, verdict), &ledger)
    if case .follows(let retry) = verdict {
      ledger.stage = .retry
      ledger.wantsFreshConnection = error.kind == .timedOut || error.kind == .connectionLost
      await wait(retry.wait)
      if isCancelled { returnBudget(of: &attempt) }
      return nil
    }
    fallback = await self.fallback(for: error, of: &attempt, ledger)
    return fallback != nil ? nil : isCancelled ? .cancelled : .failure(error)
  }

  /// How an attempt ends that threw.
  @inline(never)
  func outcome<Value>(of thrown: any Error, in attempt: inout Attempt) -> Outcome<Value> {
    noticeTask()
    return isCancelled ? .cancelled : .failure(requestError(attempt.watch?.expiry ?? thrown, attempt))
  }

  @inline(__always)
  private func outcome(of attempt: inout Attempt, _ context: RequestContext) async -> Outcome<R.Response> {
    do {
      let value = try await value(of: &attempt, context)
      return isCancelled ? .cancelled : .success(value)
    } catch {
      return outcome(of: error, in: &attempt)
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
    if attempt.watch != nil || !accessories.isEmpty { try check(attempt.watch) }
    try await rest(attempt.watch)
    if let fallback = attempt.fallback {
      (attempt.stage, attempt.request, attempt.isMocked) = (.transport, fallback.request, true)
      return try fallback.answer()
    }
    if let made = agent.madeUserAgent, !made.isKnown { try await waitForUserAgent(made, attempt.watch) }
    let built = try build(&attempt, &context)

    attempt.stage = .filterRequest
    var http = built
    try await filterRequest(&http, built: built, &attempt, context)
    if isGuarded { try await takeTurn(http, &attempt) }
    if let busy = takeFreeSlot(for: http.url, &attempt) { try await waitForSlot(of: busy, &attempt) }

    try await seal(&http, &attempt, context)
    attempt.stage = .transport
    attempt.first = Attempt.First(http, idempotency)
    return try await follow(built, sent: http, &attempt, &context)
  }

  @inline(__always)
  func end(_ attempt: inout Attempt, _ verdict: Attempt.Verdict, _ ledger: inout Ledger) async {
    note(&attempt, verdict, &ledger)
    if !accessories.isEmpty { await tellDidStop(&attempt, &ledger) }
  }

  private func tellDidStop(_ attempt: inout Attempt, _ ledger: inout Ledger) async {
    guard var report = ledger.attempts.last else { return }
    report.response = attempt.response
    let context = context(attempt: ledger.attempt)
    for accessory in accessories { await accessory.attemptDidStop(report, context: context) }
  }

  /// Puts the attempt on the account, without its body: a dispatch may make very many.
  @inline(never)
  private func note(_ attempt: inout Attempt, _ verdict: Attempt.Verdict, _ ledger: inout Ledger) {
    var report = attempt.report(verdict, of: self)
    report.response?.body = Data()
    if case .failure(var error) = report.outcome {
      error.response?.body = Data()
      report.outcome = .failure(error)
    }
    ledger.attempts.append(report)
  }
}
