extension Dispatch {
  /// Asked for by failures only.
  private var policy: RetryPolicy {
    let own = request.retryPolicy
    return own.isInherited ? agent.configuration.retryPolicy : own
  }

  /// Asks the policy, then the request, then the agent's hooks; a failure that stands for want of time or budget says so.
  func retry(
    after error: inout RequestError, _ attempt: inout Attempt, _ ledger: inout Ledger
  ) async -> RetryVerdict {
    if isCancelled { return .cancelled }
    if isPastDeadline() { return .stands("the deadline is over") }
    if attempt.fallback != nil { return .stands("the request answered itself") }
    let (policy, context) = (policy, context(attempt: ledger.attempt))
    var verdict = suggestion(of: policy, error, attempt, &ledger)
    let isForced = verdict.retry == nil

    let own = await request.retryDecision(for: error, suggested: verdict.decision, context: context)
    if own != verdict.decision { verdict = RetryVerdict(own, by: .request) }
    for hook in agent.hooks {
      let next = await hook.retryDecision(for: error, suggested: verdict.decision, context: context)
      if next != verdict.decision { verdict = RetryVerdict(next, by: .hooks) }
    }

    guard case .follows(var retry) = verdict else { return verdict }
    if isCancelled { return .cancelled }
    // A body that can be produced once is gone once it was handed to the transport.
    if attempt.first?.isReplayable == false { return .bodyIsGone }
    retry.wait = max(retry.wait, .zero)
    guard hasTime(for: retry, &error) else { return .noTime }
    guard isForced || hasBudget(for: &attempt, &error) else {
      return .stands("the retry budget of its origin is spent")
    }
    verdict =
      if await policy.prepare?(error, context) == false {
        .stands("the retry policy's prepare refused")
      } else {
        hasTime(for: retry, &error) ? .follows(retry) : .noTime
      }
    if verdict.retry == nil { returnBudget(of: &attempt) }
    return verdict
  }

  private func suggestion(
    of policy: RetryPolicy, _ error: RequestError, _ attempt: Attempt, _ ledger: inout Ledger
  ) -> RetryVerdict {
    guard !policy.isOff else { return .stands("the retry policy allows none") }
    let configuration = agent.configuration
    let jitter = ledger.jitter ?? configuration.jitter()
    ledger.jitter = jitter
    return policy.suggestion(
      for: error, first: attempt.first?.method, isKeyed: isKeyed(attempt),
      retry: attempt.number - (ledger.isRenewed ? 1 : 0), jitter: jitter, date: configuration.clock.date)
  }

  /// Whether whatever was sent may be sent again for its idempotency key: with the same key, at the first hop and at the
  /// last.
  private func isKeyed(_ attempt: Attempt) -> Bool {
    guard attempt.first?.isKeyed == true, let idempotency, let last = attempt.request else { return false }
    return last.method.isIdempotent || idempotency.isCarried(by: last)
  }

  /// Waits on the agent's clock; a cancellation ends it at once.
  func wait(_ duration: Duration) async {
    guard duration > .zero else { return }
    let sleep = agent.configuration.clock.sleep
    try? await cancellation.cancelling { try await sleep(duration) }
  }
}
