import Foundation

/// Selects the base URL of an attempt, and records the result, for an agent with several base URLs.
struct BaseStage<R: Request>: Sendable {
  let dispatch: Dispatch<R>

  private var selector: (any BaseSelector)? { dispatch.agent.configuration.baseSelector }

  /// Returns the selected base URL; `nil` without a selection, for example for an absolute URL.
  @inline(never)
  func selectBase(in context: RequestContext, isExplanation: Bool) -> URL? {
    guard let selector, selector.selects(for: dispatch.request) else { return nil }
    return selector.selectBase(in: context, isExplanation: isExplanation)
  }

  /// Records the result of an attempt for the base URL.
  ///
  /// Called at the end of an attempt; for a stream, also after the head.
  @inline(never)
  func attemptDidStop(_ attempt: Attempt, after failure: RequestError?) {
    guard let selector, let base = selector.currentBase(in: attempt.context) else { return }
    if let url = attempt.sent.request?.url, Origin.same(url, base) {
      let failure = baseFailure(of: attempt, after: failure)
      selector.attemptDidStop(
        after: failure, hasResponse: hasHealthyResponse(attempt), in: attempt.context)
    } else {
      // There was no request, or the last request went to another origin, for example after a redirect.
      let redirect = attempt.hops.redirects.first
      let isOfBase = attempt.hops.isFirstAnswerOwn && redirect.map { Origin.same($0.from, base) } == true
      selector.attemptDidStop(after: nil, hasResponse: isOfBase, in: attempt.context)
    }
  }

  /// Returns the failure of the last request's server, if any.
  private func baseFailure(of attempt: Attempt, after failure: RequestError?) -> RequestError? {
    let state = attempt.transferState
    if state.leavesOriginStateUnchanged { return nil }
    if state.isReplacedByCache { return replacedFailure(in: attempt) }
    switch failure?.stage {
    case .transport, .validate, .filterResponse, .decode: return state.transferCount > 0 ? failure : nil
    case .throttle: return failure?.kind == .circuitOpen ? failure : nil
    default: return nil
    }
  }

  /// Returns the server's failure that a stored response has replaced.
  private func replacedFailure(in attempt: Attempt) -> RequestError {
    let response = dispatch.sender.serverResponse(in: attempt)
    let refusal = Refusal("a stored response replaced the status", kind: .status)
    let thrown: any Error = attempt.transferState.sendFailure ?? refusal
    var error = dispatch.sender.error(thrown, at: response == nil ? .transport : .validate, in: attempt)
    error.response = response
    return error
  }

  private func hasHealthyResponse(_ attempt: Attempt) -> Bool {
    let state = attempt.transferState
    guard !state.leavesOriginStateUnchanged, state.transferCount > 0, !dispatch.time.isCancelled,
      let status = dispatch.sender.serverResponse(in: attempt)?.status
    else { return false }
    return ![502, 503, 504].contains(status.code)
  }

  /// Returns the verdict on a failure: a retry without a wait if possible at another base, or `suggested`.
  @inline(never)
  func verdict(
    on failure: RequestError, suggested: RetryVerdict, given facts: RetryJudge.Facts,
    in context: RequestContext
  ) -> RetryVerdict {
    guard dispatch.judge.mayFailOver(after: failure, suggested: suggested, given: facts),
      selector?.hasHealthyBase(after: failure, in: context) == true
    else { return suggested }
    return .follows(AttemptReport.Retry(wait: .zero, source: .failover))
  }
}
