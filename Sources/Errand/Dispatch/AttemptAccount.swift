/// Records the attempts of a dispatch in its ``DispatchState``.
struct AttemptAccount<R: Request>: Sendable {
  let dispatch: Dispatch<R>

  /// Returns the report of an attempt for the agent's hooks of type ``AttemptScope``.
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
    report.continueCount(after: state.attempts.last)
    return report
  }

  @inline(__always)
  func add(_ attempt: inout Attempt, as end: Attempt.End, to state: inout DispatchState) async {
    if let notifier = attempt.notifier.take() { await notifier.end() }
    if case .success = end, let cache = dispatch.wire.cache { await cache.accept() }
    note(&attempt, as: end, on: &state)
    if !dispatch.accessories.isEmpty { await tellDidStop(attempt, on: &state) }
    state.response = attempt.answer.response.take()
  }

  @inline(never)
  private func tellDidStop(_ attempt: Attempt, on state: inout DispatchState) async {
    guard var report = state.attempts.last else { return }
    report.response = attempt.answer.response
    let context = attempt.context
    await dispatch.tell { await $0.attemptDidStop(report, context: context) }
    if !report.redirects.isEmpty { context.dispatched.forgetHops() }
  }

  @inline(never)
  private func note(_ attempt: inout Attempt, as end: Attempt.End, on state: inout DispatchState) {
    state.attempts.append(
      attempt.takeReport(
        end, since: dispatch.time.started, cache: verdict(of: attempt),
        link: RedactionSource(dispatched: dispatch.context.dispatched)))
    guard state.attempts.count > 1 else { return }
    let earlier = state.attempts[state.attempts.count - 2]
    state.attempts[state.attempts.count - 1].continueCount(after: earlier)
  }

  private func verdict(of attempt: borrowing Attempt) -> VerdictBox? {
    guard let cache = dispatch.wire.cache, attempt.sent.first != nil, !attempt.transferState.isMocked else {
      return nil
    }
    return cache.verdict.map(VerdictBox.init)
  }
}
