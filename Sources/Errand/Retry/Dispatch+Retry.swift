extension Dispatch {
  /// Asked for by failures only.
  private var policy: RetryPolicy {
    let own = request.retryPolicy
    return own.isInherited ? agent.configuration.retryPolicy : own
  }

  /// Asks the policy, then the request, then the agent's hooks; `nil` when the failure stands, which then says so if the
  /// deadline is why.
  func retry(
    after error: inout RequestError, _ attempt: Attempt, _ ledger: inout Ledger
  ) async -> AttemptReport.Retry? {
    guard !isCancelled, !isPastDeadline(), attempt.fallback == nil else { return nil }
    let (policy, context) = (policy, context(ledger))
    var source = AttemptReport.Retry.Source.policy
    var decision = suggestion(of: policy, error, attempt, &ledger, &source)
    let isForced = decision == .stop

    let own = await request.retryDecision(for: error, suggested: decision, context: context)
    if own != decision { (decision, source) = (own, .request) }
    for hook in agent.hooks {
      let next = await hook.retryDecision(for: error, suggested: decision, context: context)
      if next != decision { (decision, source) = (next, .hooks) }
    }

    guard case .retry(let wait) = decision, !isCancelled else { return nil }
    // A body that can be produced once is gone once it was handed to the transport.
    if attempt.first?.isReplayable == false { return nil }
    let retry = AttemptReport.Retry(wait: max(wait, .zero), source: source)
    guard hasTime(for: retry, &error), isForced || hasBudget(for: attempt, &error) else { return nil }
    if await policy.prepare?(error, context) ?? true, hasTime(for: retry, &error) { return retry }
    if !isForced { returnBudget(of: attempt) }
    return nil
  }

  private func suggestion(
    of policy: RetryPolicy, _ error: RequestError, _ attempt: Attempt, _ ledger: inout Ledger,
    _ source: inout AttemptReport.Retry.Source
  ) -> RetryDecision {
    guard !policy.isOff else { return .stop }
    let configuration = agent.configuration
    let jitter = ledger.jitter ?? configuration.jitter()
    ledger.jitter = jitter
    let suggestion = policy.suggestion(
      for: error, first: attempt.first?.method, isKeyed: isKeyed(attempt),
      retry: attempt.number - (ledger.isRenewed ? 1 : 0), jitter: jitter, date: configuration.clock.date)
    guard let suggestion else { return .stop }
    source = suggestion.source
    return .retry(after: suggestion.wait)
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
