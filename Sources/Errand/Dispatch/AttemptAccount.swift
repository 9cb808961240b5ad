/// Records the attempts of a dispatch in its ``DispatchState``.
struct AttemptAccount<R: Request>: Sendable {
  let dispatch: Dispatch<R>

  /// Returns the report for the agent's hooks of type ``AttemptScope``.
  func report(on attempt: Attempt, after result: Outcome<Void>, in state: DispatchState) -> AttemptReport {
    let end: Attempt.End =
      switch result {
      case .success: .success
      case .cancelled: .cancelled
      case .failure(let error): .failure(error, .cancelled)
      }
    var report = attempt.report(
      end, since: dispatch.time.started, cache: verdict(of: attempt),
      link: RedactionSource(dispatched: dispatch.context.dispatched), isLast: false)
    report.elapsed = dispatch.time.now - attempt.clock.started - attempt.clock.renewalWait
    report.noRetryReason = nil
    report.continueCount(after: state.attempts.last)
    return report
  }

  func attempts(in state: DispatchState) -> [AttemptReport] {
    guard let attempt = state.unreported else { return state.attempts }
    var report = attempt.report(
      .success, since: dispatch.time.started, cache: verdict(of: attempt),
      link: RedactionSource(dispatched: dispatch.context.dispatched), isLast: false)
    report.continueCount(after: state.attempts.last)
    return state.attempts + [report]
  }

  @inline(__always)
  func add(_ attempt: Attempt, as end: Attempt.End, to state: inout DispatchState) async {
    if attempt.notifier != nil || dispatch.wire.cache != nil || !dispatch.accessories.isEmpty {
      await addAndTell(attempt, as: end, to: &state)
    } else if case .success = end {
      state.unreported = attempt
    } else {
      note(attempt, as: end, on: &state)
      moveResponse(of: attempt, to: &state)
    }
  }

  /// Adds the attempt of a stream, under the deadline of the dispatch.
  ///
  /// The reader of the stream may have a different deadline.
  @inline(never)
  func addInDeadline(_ attempt: Attempt, as end: Attempt.End, to state: inout DispatchState) async {
    guard dispatch.time.passesDeadlineOn else { return await add(attempt, as: end, to: &state) }
    await AmbientDeadline.$current.withValue(dispatch.time.passedDeadline) {
      await add(attempt, as: end, to: &state)
    }
  }

  @inline(never)
  private func moveResponse(of attempt: Attempt, to state: inout DispatchState) {
    state.response = attempt.answer.response.take()
  }

  @inline(never)
  private func addAndTell(_ attempt: Attempt, as end: Attempt.End, to state: inout DispatchState) async {
    if let notifier = attempt.notifier.take() { await notifier.end() }
    if case .success = end, let cache = dispatch.wire.cache { await cache.accept() }
    note(attempt, as: end, on: &state)
    defer { moveResponse(of: attempt, to: &state) }
    guard !dispatch.accessories.isEmpty, var report = state.attempts.last else { return }
    report.response = attempt.answer.response
    let context = attempt.context
    await dispatch.tell { await $0.attemptDidStop(report, context: context) }
    if !report.redirects.isEmpty { context.dispatched.forgetHops() }
  }

  @inline(never)
  private func note(_ attempt: Attempt, as end: Attempt.End, on state: inout DispatchState) {
    state.attempts.append(
      attempt.report(
        end, since: dispatch.time.started, cache: verdict(of: attempt),
        link: RedactionSource(dispatched: dispatch.context.dispatched), isLast: true))
    guard state.attempts.count > 1 else { return }
    let earlier = state.attempts[state.attempts.count - 2]
    state.attempts[state.attempts.count - 1].continueCount(after: earlier)
  }

  private func verdict(of attempt: Attempt) -> VerdictBox? {
    guard let cache = dispatch.wire.cache, attempt.sent.first != nil, !attempt.transferState.replacesServer
    else {
      return nil
    }
    return cache.verdict.map(VerdictBox.init)
  }
}
