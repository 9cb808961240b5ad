/// Keeps the account of the attempts of a dispatch in its state, and tells the accessories of each attempt that has ended.
struct AttemptAccount<R: Request>: Sendable {
  let dispatch: Dispatch<R>

  /// The account of an attempt as a scope gets it.
  func report(on attempt: Attempt, after result: Outcome<Void>, in state: DispatchState) -> AttemptReport {
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
    report.follow(state.attempts.last)
    return report
  }

  /// Puts the attempt on the account, and tells the accessories of it.
  @inline(__always)
  func add(_ attempt: inout Attempt, as end: Attempt.End, to state: inout DispatchState) async {
    if let notifier = attempt.notifier.take() { await notifier.end() }
    note(&attempt, as: end, on: &state)
    if !dispatch.accessories.isEmpty { await tellDidStop(attempt.answer.response, on: &state) }
    // Nothing asks the attempt for it any more.
    state.response = attempt.answer.response.take()
  }

  /// Tells of the attempt that ended last, with the body that its report has lost.
  @inline(never)
  private func tellDidStop(_ response: HTTPResponse?, on state: inout DispatchState) async {
    guard var report = state.attempts.last else { return }
    report.response = response
    let context = dispatch.context(attempt: state.attempt)
    await dispatch.tell { await $0.attemptDidStop(report, context: context) }
    if !report.redirects.isEmpty { context.dispatched.forgetHops() }
  }

  /// Reads the attempt in place: it is large, and a copy of it dear.
  @inline(never)
  private func note(_ attempt: inout Attempt, as end: Attempt.End, on state: inout DispatchState) {
    state.attempts.append(
      attempt.report(
        end, since: dispatch.time.started, cache: verdict(of: attempt),
        link: RedactionSource(dispatched: dispatch.context.dispatched)))
    guard state.attempts.count > 1 else { return }
    // In place, and only where there is something to count: a report is large.
    let earlier = state.attempts[state.attempts.count - 2]
    state.attempts[state.attempts.count - 1].follow(earlier)
  }

  /// What the cache did for the attempt; `nil` where it was not asked.
  private func verdict(of attempt: borrowing Attempt) -> KeptVerdict? {
    guard let cache = dispatch.wire.cache, attempt.sent.first != nil, !attempt.transferState.isMocked else {
      return nil
    }
    return cache.verdict.map(KeptVerdict.init)
  }
}
