import Foundation

/// Decides what follows a failed attempt: asks the policy, then the request and the hooks, and looks at body, time and
/// budget.
struct RetryJudge: Sendable {
  /// What of an attempt bears on whether another may follow.
  struct Facts {
    /// Which retry it would be, from 1.
    var retry: Int
    /// The method a retry begins with, which redirects may have changed since; `nil` when nothing was sent.
    var method: HTTPMethod?
    /// Whether the body is still there.
    var isReplayable = true
    /// Whether the request carries an idempotency key that a retry would carry again.
    var isKeyed = false
    /// Whether the request answered itself.
    var isFallback = false
    /// What the attempt has of the state of its origin.
    var admission: Admission?
  }

  let policy: RetryPolicy
  let origins: OriginGuard
  let time: TimeLimits
  /// Gives 0..<1 for the random part of waits.
  let drawJitter: @Sendable () -> Double

  /// What follows; a failure that stands for want of time or budget says so.
  ///
  /// - Parameters:
  ///   - jitter: drawn once a dispatch, so that a ladder keeps its steps.
  ///   - decide: asks those who may change the verdict.
  func verdict(
    on error: inout RequestError, given facts: Facts, jitter: inout Double?, in context: RequestContext,
    decide: (RequestError, RetryVerdict) async -> RetryVerdict
  ) async -> RetryVerdict {
    if time.isCancelled { return .cancelled }
    if time.isPastDeadline() { return .stands("the deadline is over") }
    if facts.isFallback { return .stands("the request answered itself") }
    let suggested = suggestion(on: error, given: facts, jitter: &jitter)
    let decided = await decide(error, suggested)

    guard case .follows(var retry) = decided else { return decided }
    if time.isCancelled { return .cancelled }
    // A body that can be produced once is gone once it was handed to the transport.
    if !facts.isReplayable { return .bodyIsGone }
    retry.wait = max(retry.wait, .zero)
    guard hasTime(for: retry, &error) else { return .noTime }
    // What a hook forces against the policy is not counted.
    guard suggested.retry == nil || hasBudget(facts.admission, for: &error) else {
      return .stands("the retry budget of its origin is spent")
    }
    let verdict: RetryVerdict =
      if await policy.prepare?(error, context) == false {
        .stands("the retry policy's prepare refused")
      } else {
        hasTime(for: retry, &error) ? .follows(retry) : .noTime
      }
    if verdict.retry == nil, let admission = facts.admission { origins.refundRetry(admission) }
    return verdict
  }

  /// What may end the wait before a retry early: where it is the policy's own, after a failure that no server had a part in.
  func path(cutting retry: AttemptReport.Retry, after error: RequestError) -> (any NetworkPath)? {
    retry.source == .policy && error.response == nil ? policy.networkPath : nil
  }

  /// The verdict on a failure after which the authenticator has other credentials: one attempt more, whatever the policy.
  func verdictOnRenewal(_ error: inout RequestError, given facts: Facts) -> RetryVerdict {
    guard !time.isCancelled else { return .cancelled }
    guard facts.isReplayable else {
      error.reason +=
        "; there are other credentials now, but the body can be produced only once and is not sent again"
      return .bodyIsGone
    }
    return .follows(AttemptReport.Retry(wait: .zero, source: .authenticator))
  }

  private func suggestion(on error: RequestError, given facts: Facts, jitter: inout Double?) -> RetryVerdict {
    guard !policy.isOff else { return .stands("the retry policy allows none") }
    let fraction = jitter ?? drawJitter()
    jitter = fraction
    return policy.suggestion(
      for: error, first: facts.method, isKeyed: facts.isKeyed, retry: facts.retry, jitter: fraction,
      date: time.clock.date)
  }

  /// Whether the wait before another attempt ends before the deadline; otherwise the failure that stands says so.
  private func hasTime(for retry: AttemptReport.Retry, _ error: inout RequestError) -> Bool {
    guard time.isPastDeadline(after: retry.wait) else { return true }
    error.retryObstacle = .deadline
    error.reason +=
      "; the wait of \(retry.wait.secondsText) before another attempt would end past the deadline of "
      + (time.deadline ?? .zero).secondsText
    return false
  }

  /// Takes the retry from the origin's budget; without one the failure that stands says so.
  private func hasBudget(_ admission: Admission?, for error: inout RequestError) -> Bool {
    guard let admission, let refusal = origins.withdrawRetry(admission) else { return true }
    error.retryObstacle = .budget
    error.reason += "; \(refusal)"
    return false
  }
}

/// What follows a failed attempt.
enum RetryVerdict: Hashable {
  /// Another one.
  case follows(AttemptReport.Retry)
  /// None, for this reason: a clause without a full stop.
  case stands(String)

  static let cancelled = RetryVerdict.stands("the request was cancelled")
  static let bodyIsGone = RetryVerdict.stands("the body can be produced only once")
  static let noTime = RetryVerdict.stands("the wait before it would end past the deadline")

  /// The decision of a request or a hook.
  init(_ decision: RetryPolicy.Decision, by source: AttemptReport.Retry.Source) {
    switch decision {
    case .retry(let wait): self = .follows(AttemptReport.Retry(wait: wait, source: source))
    case .stop:
      self = .stands(source == .request ? "the request decided so" : "a hook of the agent decided so")
    }
  }

  var retry: AttemptReport.Retry? { if case .follows(let retry) = self { retry } else { nil } }
  var reason: String? { if case .stands(let reason) = self { reason } else { nil } }
  var decision: RetryPolicy.Decision { retry.map { .retry(after: $0.wait) } ?? .stop }
}

extension RetryPolicy {
  /// Whether retry number `retry`, from 1, follows the failure; with the wait before it, and where that comes from.
  ///
  /// - Parameters:
  ///   - first: the method a retry begins with, which redirects may have changed since.
  ///   - isKeyed: whether the request carries an idempotency key that a retry would carry again.
  func suggestion(
    for error: RequestError, first: HTTPMethod? = nil, isKeyed: Bool = false, retry: Int, jitter: Double,
    date: Date
  ) -> RetryVerdict {
    if error.isCancelled { return .cancelled }
    if let limit, retry > limit { return .stands("the retry policy's limit of \(limit) is reached") }
    if let refusal = refusal(of: error, first: first, isKeyed: isKeyed) { return .stands(refusal) }
    guard let wait = backoff.wait(retry: retry, jitter: jitter, elapsed: error.elapsed) else {
      return .stands("the retry policy's backoff has ended")
    }
    var plan = AttemptReport.Retry(wait: wait, source: .policy)
    if let asked = error.response?.serverWait(now: date) {
      let cap = max(retryAfterCap, .zero)
      // A wait that was cut is the policy's, as the server asked for another.
      plan = asked.wait > cap ? AttemptReport.Retry(wait: cap, source: .policy) : asked
    }
    if let timeLimit, error.elapsed + plan.wait >= timeLimit {
      return .stands("the wait before it would end past the retry policy's limit of \(timeLimit.secondsText)")
    }
    return .follows(plan)
  }

  /// Why the failure is not one that the policy tries again; `nil` when it is.
  private func refusal(of error: RequestError, first: HTTPMethod?, isKeyed: Bool) -> String? {
    let method = first ?? error.request?.method
    let mayBeRepeated = isKeyed || method?.isIdempotent == true || retriesUnsafeMethods
    // Without a method nothing was sent.
    if let condition, mayBeRepeated || method == nil {
      return condition(error) ? nil : "the retry policy's condition refused"
    }
    guard mayBeRepeated else {
      return method.map { "\($0) is not idempotent, and has no idempotency key" }
        ?? "there was no request yet"
    }
    if error.isConnectionFailure, retriesConnectionFailures { return nil }
    if error.kind == .status, let status = error.status {
      return statuses.contains(status.code) ? nil : "the retry policy does not have the status \(status.code)"
    }
    return "the retry policy does not have failures of the kind \(error.kind)"
  }
}
