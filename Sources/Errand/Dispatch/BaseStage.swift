import Foundation

/// Selects the base of an attempt, and records the end of the attempt, for an agent with several bases.
struct BaseStage<R: Request>: Sendable {
  let dispatch: Dispatch<R>

  private var selector: (any BaseSelector)? { dispatch.agent.configuration.baseSelector }

  /// Returns `nil` for a request with an absolute URL or a base URL.
  @inline(never)
  func selectBase(in context: RequestContext, isExplanation: Bool) -> URL? {
    let request = dispatch.request
    guard request.customRequest == nil, request.baseURL == nil, !request.usesCDN,
      !URLJoining.isAbsolute(request.path)
    else { return nil }
    return selector?.selectBase(in: context, isExplanation: isExplanation)
  }

  @inline(never)
  func attemptDidStop(_ attempt: Attempt, after failure: RequestError?) {
    let state = attempt.transferState
    let isOfServer = !state.leavesOriginStateUnchanged
    selector?.attemptDidStop(
      after: isOfServer ? failure : nil,
      hasResponse: isOfServer && state.transferCount > 0 && attempt.answer.response != nil,
      in: attempt.context)
  }

  /// Removes the wait before a retry, if a base is healthy.
  @inline(never)
  func verdict(on failure: RequestError, suggested: RetryVerdict, in context: RequestContext) -> RetryVerdict
  {
    guard case .follows = suggested, selector?.hasHealthyBase(after: failure, in: context) == true else {
      return suggested
    }
    return .follows(AttemptReport.Retry(wait: .zero, source: .failover))
  }
}
