/// Records the attempts of a dispatch in its ledger, and calls the accessories after each attempt.
struct AttemptAccount<R: Request>: Sendable {
  let dispatch: Dispatch<R>

  /// Returns the report of an attempt for the agent's scopes.
  func report(on attempt: Attempt, after result: Outcome<Void>, in ledger: Ledger) -> AttemptReport {
    let end: Attempt.End =
      switch result {
      case .success: .success
      case .cancelled: .cancelled
      case .failure(let error): .failure(error, .cancelled)
      }
    var report = attempt.report(
      end, since: dispatch.time.started, cache: verdict(of: attempt),
      link: RedactionSource(dispatched: dispatch.context.dispatched))
    report.elapsed = dispatch.time.now - attempt.clock.started - attempt.clock.renewalWait
    report.noRetryReason = nil
    report.follow(ledger.attempts.last)
    return report
  }

  /// Adds the attempt to the ledger, and calls the accessories.
  @inline(__always)
  func add(_ attempt: inout Attempt, as end: Attempt.End, to ledger: inout Ledger) async {
    if let teller = attempt.teller.take() { await teller.end() }
    note(&attempt, as: end, on: &ledger)
    if !dispatch.accessories.isEmpty { await tellDidStop(attempt.answer.response, on: &ledger) }
    // The attempt no longer needs its response.
    ledger.response = attempt.answer.response.take()
  }

  /// Calls the accessories with the last report, and adds the body that the report in the ledger lacks.
  @inline(never)
  private func tellDidStop(_ response: HTTPResponse?, on ledger: inout Ledger) async {
    guard var report = ledger.attempts.last else { return }
    report.response = response
    let context = dispatch.context(attempt: ledger.attempt)
    await dispatch.tell { await $0.attemptDidStop(report, context: context) }
    if !report.redirects.isEmpty { context.dispatched.forgetHops() }
  }

  /// Appends the report; reads the attempt in place, because a copy of an attempt is costly.
  @inline(never)
  private func note(_ attempt: inout Attempt, as end: Attempt.End, on ledger: inout Ledger) {
    ledger.attempts.append(
      attempt.report(
        end, since: dispatch.time.started, cache: verdict(of: attempt),
        link: RedactionSource(dispatched: dispatch.context.dispatched)))
    guard ledger.attempts.count > 1 else { return }
    // The report is mutated in place, because a report is large.
    let earlier = ledger.attempts[ledger.attempts.count - 2]
    ledger.attempts[ledger.attempts.count - 1].follow(earlier)
  }

  /// Returns the verdict of the cache; `nil`: the cache was not asked.
  private func verdict(of attempt: borrowing Attempt) -> KeptVerdict? {
    guard let cache = dispatch.wire.cache, attempt.sent.first != nil, !attempt.passage.isMocked else {
      return nil
    }
    return cache.verdict.map(KeptVerdict.init)
  }
}
