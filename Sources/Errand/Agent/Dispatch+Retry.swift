extension Dispatch {
  /// Asks the policy, then the request, then the agent's hooks; `nil` when the failure stands.
  func retry(
    after error: RequestError, _ attempt: Attempt, _ ledger: inout Ledger
  ) async -> AttemptReport.Retry? {
    guard !cancellation.isCancelled, !isPastDeadline() else { return nil }
    let context = context(ledger)
    var source = AttemptReport.Retry.Source.policy
    var decision = await suggestion(error, attempt, context, &ledger, &source)

    let own = await request.retryDecision(for: error, suggested: decision, context: context)
    if own != decision { (decision, source) = (own, .request) }
    for hook in agent.hooks {
      let next = await hook.retryDecision(for: error, suggested: decision, context: context)
      if next != decision { (decision, source) = (next, .hooks) }
    }

    guard case .retry(let wait) = decision, !cancellation.isCancelled else { return nil }
    // A body that can be produced once is gone once it was handed to the transport.
    if attempt.wasHandedOver, attempt.request?.body.isReplayable == false { return nil }
    return AttemptReport.Retry(wait: max(wait, .zero), source: source)
  }

  private func suggestion(
    _ error: RequestError, _ attempt: Attempt, _ context: RequestContext, _ ledger: inout Ledger,
    _ source: inout AttemptReport.Retry.Source
  ) async -> RetryDecision {
    guard !policy.isOff else { return .stop }
    let configuration = agent.configuration
    let jitter = ledger.jitter ?? configuration.jitter()
    ledger.jitter = jitter
    let suggestion = policy.suggestion(
      for: error, retry: attempt.number, jitter: jitter, date: configuration.clock.date)
    guard let suggestion, await policy.prepare?(error, context) ?? true else { return .stop }
    source = suggestion.source
    return .retry(after: suggestion.wait)
  }

  /// Waits on the agent's clock; a cancellation ends it at once.
  func wait(_ duration: Duration) async {
    guard duration > .zero else { return }
    let duration = duration.clamped(to: .century)
    let sleep = agent.configuration.clock.sleep
    try? await cancellation.cancelling { try await sleep(duration) }
  }
}
