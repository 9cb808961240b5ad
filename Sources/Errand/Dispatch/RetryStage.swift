/// The stage `retry` of a dispatch: the decision about another attempt after a failure.
struct RetryStage<R: Request>: Sendable {
  let dispatch: Dispatch<R>

  private var time: TimeLimits { dispatch.time }

  /// Decides about a retry; returns the outcome, or `nil` if the caller may make a further attempt.
  @inline(never)
  func conclude<Value>(
    _ result: Outcome<Value>, of attempt: Attempt, fallback: inout MockFallback?,
    on state: inout DispatchState
  ) async -> Outcome<Value>? {
    guard let failure = FailedAttempt(result) else { return result }
    if let retry = await decide(after: failure, of: attempt, on: &state) {
      await wait(for: retry, after: failure, of: attempt, on: &state)
      return nil
    }
    fallback = await askMock(after: failure, of: attempt, on: &state)
    return fallback != nil ? nil : time.cancellation.isCancelled ? .cancelled : failure.outcome()
  }

  @inline(never)
  private func decide(
    after failure: FailedAttempt, of attempt: Attempt, on state: inout DispatchState
  ) async -> AttemptReport.Retry? {
    if let cache = dispatch.wire.cache {
      await cache.forget(
        after: failure.error.stage, isSuccess: failure.error.response?.status.isSuccess == true)
    }
    let verdict = await verdict(on: &failure.error, of: attempt, on: &state)
    await AttemptAccount(dispatch: dispatch).add(attempt, as: .failure(failure.error, verdict), to: &state)
    return verdict.retry
  }

  @inline(never)
  private func wait(
    for retry: AttemptReport.Retry, after failure: FailedAttempt, of attempt: Attempt,
    on state: inout DispatchState
  ) async {
    let path = beginWait(for: retry, after: failure, on: &state)
    defer { endWait(of: attempt) }
    await time.sleep(retry.wait, cutBy: path)
  }

  @inline(never)
  private func beginWait(
    for retry: AttemptReport.Retry, after failure: FailedAttempt, on state: inout DispatchState
  ) -> NetworkPath? {
    state.stage = .retry
    state.wantsFreshConnection = failure.error.kind == .timedOut || failure.error.kind == .connectionLost
    dispatch.agent.inFlight.note(.retrying, after: state.attempts, of: dispatch.entry)
    return dispatch.judge.path(cutting: retry, after: failure.error)
  }

  @inline(never)
  private func endWait(of attempt: Attempt) {
    if time.isCancelled, let admission = attempt.admission { dispatch.agent.origins.refundRetry(admission) }
    dispatch.agent.inFlight.note(.running, of: dispatch.entry)
  }

  @inline(never)
  private func askMock(
    after failure: FailedAttempt, of attempt: Attempt, on state: inout DispatchState
  ) async -> MockFallback? {
    guard attempt.fallback == nil, !time.isCancelled, let http = attempt.sent.request,
      dispatch.wire.mayFallBack(after: failure.error, of: dispatch.request)
    else { return nil }
    // After the deadline, the mock is not asked, because the response would come too late.
    if let expiry = time.deadlineExpiry {
      if failure.error.kind != .deadlineExceeded {
        failure.error = dispatch.sender.error(expiry, in: attempt)
      }
      return nil
    }
    dispatch.agent.inFlight.note(.running, after: state.attempts, of: dispatch.entry)
    return await dispatch.wire.fallback(to: http, of: dispatch.request, context: attempt.context)
  }

  private func verdict(
    on error: inout RequestError, of attempt: Attempt, on state: inout DispatchState
  ) async -> RetryVerdict {
    let facts = RetryJudge.Facts(
      retry: attempt.number, method: attempt.sent.first?.method,
      isReplayable: attempt.sent.first?.isReplayable ?? true, isKeyed: isKeyed(attempt.sent),
      isFallback: attempt.fallback != nil,
      admission: attempt.transferState.replacesServer ? nil : attempt.admission)
    if let authenticator = dispatch.authenticator {
      let signature = attempt.signature
      if signature.isRenewed, error.kind == .status {
        state.rounds += 1
        return dispatch.judge.verdictOnRenewal(&error, given: facts)
      }
      // Only the authenticator can throw `timedOut` in a renewal, because the attempt timeout does not apply.
      let isOfRenewal = signature.isAsked && error.kind == .timedOut
      if error.stage == .authenticate, isOfRenewal || !error.isTimeout {
        return .stands(
          signature.isAsked ? "there are no other credentials" : "there were no credentials to send")
      }
      // The authenticator was already asked to renew the credentials after this response.
      let isAsked = signature.isAsked && error.kind == .status && error.cause is Refusal
      let signer = dispatch.agent.signer(authenticator)
      if !isAsked,
        let verdict = await renew(after: &error, facts: facts, of: attempt, by: signer, on: &state)
      {
        return verdict
      }
    }
    let context = attempt.context
    var counted = facts
    counted.retry -= state.rounds
    return await dispatch.judge.verdict(on: &error, given: counted, jitter: &state.jitter, in: context) {
      error, suggested in
      await decision(on: error, suggesting: suggested, given: counted, context: context)
    }
  }

  private func decision(
    on error: RequestError, suggesting suggested: RetryVerdict, given facts: RetryJudge.Facts,
    context: RequestContext
  ) async -> RetryVerdict {
    var verdict = suggested
    if case .some = dispatch.agent.configuration.baseSelector {
      verdict = BaseStage(dispatch: dispatch).verdict(
        on: error, suggested: suggested, given: facts, in: context)
    }
    let own = await dispatch.request.retryDecision(for: error, suggested: verdict.decision, context: context)
    if own != verdict.decision { verdict = RetryVerdict(own, by: .request) }
    for hook in dispatch.agent.hooks {
      let next = await hook.retryDecision(for: error, suggested: verdict.decision, context: context)
      if next != verdict.decision { verdict = RetryVerdict(next, by: .hooks) }
    }
    return verdict
  }

  /// Renews the credentials, if allowed; returns `nil` if the retry policy decides.
  private func renew(
    after error: inout RequestError, facts: RetryJudge.Facts, of attempt: Attempt,
    by signer: Signer, on state: inout DispatchState
  ) async -> RetryVerdict? {
    guard attempt.signature.isOfLast, state.rounds < signer.maximumRounds, !time.isCancelled,
      !time.isPastDeadline(), dispatch.wire.cache?.policy.sendsNothing != true
    else { return nil }
    let (begun, stage) = (time.now, state.stage)
    defer { attempt.clock.authenticationWait += time.now - begun }
    state.stage = .authenticate
    do {
      let isRenewed = try await signer.renew(
        after: error, round: state.rounds, in: attempt.context, within: time)
      state.stage = stage
      guard isRenewed else { return nil }
      state.rounds += 1
      return dispatch.judge.verdictOnRenewal(&error, given: facts)
    } catch let thrown {
      if time.isCancelled { return .cancelled }
      attempt.stage = .authenticate
      error = dispatch.sender.error(thrown, in: attempt)
      return .stands("there are no other credentials")
    }
  }

  /// Returns true if the idempotency key makes a retry safe.
  ///
  /// The first request must have the key. After redirects, the last request must have the key or an
  /// idempotent method.
  private func isKeyed(_ sent: Attempt.Sent) -> Bool {
    guard sent.first?.isKeyed == true, let idempotency = dispatch.idempotency, let last = sent.request else {
      return false
    }
    return last.method.isIdempotent || idempotency.isCarried(by: last)
  }
}

/// A class, because each stage would copy a `RequestError` into its frame.
private final class FailedAttempt {
  @exclusivity(unchecked) var error: RequestError

  @inline(never)
  init?<Value>(_ outcome: Outcome<Value>) {
    guard case .failure(let error) = outcome else { return nil }
    self.error = error
  }

  @inline(never)
  func outcome<Value>() -> Outcome<Value> { .failure(error) }
}
