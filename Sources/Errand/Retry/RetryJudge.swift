import Foundation

struct RetryJudge: Sendable {
  struct Facts {
    /// The number of the possible retry, from 1.
    var retry: Int
    /// The method of the first request; `nil`: no request was ready to send.
    var method: HTTPMethod?
    var isReplayable = true
    var isKeyed = false
    var isFallback = false
    /// `nil`: a retry takes nothing from the budget, for example after a mock.
    var admission: Admission?
  }

  let policy: RetryPolicy
  let origins: OriginGuard
  let time: TimeLimits
  let drawJitter: @Sendable () -> Double

  func verdict(
    on error: inout RequestError, given facts: Facts, jitter: inout Double?, in context: RequestContext,
    decide: (RequestError, RetryVerdict) async -> RetryVerdict
  ) async -> RetryVerdict {
    if time.isCancelled { return .cancelled }
    if time.isPastDeadline() { return .stands("the deadline has passed") }
    if facts.isFallback { return .stands("the attempt used the mock fallback") }
    let suggested = suggestion(on: error, given: facts, jitter: &jitter)
    let decided = await decide(error, suggested)

    guard case .follows(var retry) = decided else {
      if let limit = policy.timeLimit, decided == .beyond(limit) { error.retryObstacle = .timeLimit }
      return decided
    }
    if time.isCancelled { return .cancelled }
    if !facts.isReplayable {
      error.retryObstacle = .body
      return .bodyIsGone
    }
    retry.wait = max(retry.wait, .zero)
    guard hasTime(for: retry, &error) else { return .noTime }
    // The budget does not count a retry that the request or a hook forces against the policy.
    let isForced = suggested.retry == nil && retry.source != .failover
    guard isForced || hasBudget(facts.admission, for: &error) else {
      return .stands("the retry budget of the origin is spent")
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

  /// Returns true if the retry policy allows an immediate retry at another base URL.
  ///
  /// An open circuit and a failed TLS connection count as connection failures, because another base may have
  /// neither problem.
  func mayFailOver(after error: RequestError, suggested: RetryVerdict, given facts: Facts) -> Bool {
    if suggested.retry != nil { return true }
    guard !policy.isOff, facts.retry <= policy.limit ?? .max,
      policy.timeLimit.map({ error.elapsed < $0 }) ?? true
    else { return false }
    if let timeLimit = policy.timeLimit, suggested == .beyond(timeLimit) { return true }
    guard policy.condition == nil, policy.retriesConnectionFailures else { return false }
    switch error.kind {
    // With an open circuit, no request was sent.
    case .circuitOpen: return true
    case .secureConnectionFailed: return policy.mayRepeat(error, first: facts.method, isKeyed: facts.isKeyed)
    default: return false
    }
  }

  func path(cutting retry: AttemptReport.Retry, after error: RequestError) -> NetworkPath? {
    retry.source == .policy && error.response == nil ? policy.networkPath : nil
  }

  /// Returns the verdict after a renewal of credentials; the retry policy does not limit such attempts.
  func verdictOnRenewal(_ error: inout RequestError, given facts: Facts) -> RetryVerdict {
    guard !time.isCancelled else { return .cancelled }
    guard facts.isReplayable else {
      error.reason +=
        "; new credentials are available, but the body can be produced only once, so the request is not sent again"
      return .bodyIsGone
    }
    return .follows(AttemptReport.Retry(wait: .zero, source: .authenticator))
  }

  private func suggestion(on error: RequestError, given facts: Facts, jitter: inout Double?) -> RetryVerdict {
    guard !policy.isOff else { return .stands("the retry policy allows no retry") }
    let fraction = jitter ?? drawJitter()
    jitter = fraction
    return policy.suggestion(
      for: error, first: facts.method, isKeyed: facts.isKeyed, retry: facts.retry, jitter: fraction,
      date: time.clock.date)
  }

  private func hasTime(for retry: AttemptReport.Retry, _ error: inout RequestError) -> Bool {
    guard time.isPastDeadline(after: retry.wait) else { return true }
    error.retryObstacle = .deadline
    error.reason +=
      "; the wait of \(retry.wait.secondsText) before another attempt would exceed the deadline of "
      + (time.deadline ?? .zero).secondsText
    return false
  }

  private func hasBudget(_ admission: Admission?, for error: inout RequestError) -> Bool {
    guard let admission, let refusal = origins.withdrawRetry(admission) else { return true }
    error.retryObstacle = .budget
    error.reason += "; \(refusal)"
    return false
  }
}

enum RetryVerdict: Hashable {
  case follows(AttemptReport.Retry)
  /// No retry follows; the value is the reason, as a clause.
  case stands(String)

  static let cancelled = RetryVerdict.stands("the request was cancelled")
  static let bodyIsGone = RetryVerdict.stands("the body can be produced only once")
  static let noTime = RetryVerdict.stands("the wait before the retry would exceed the deadline")

  static func beyond(_ timeLimit: Duration) -> RetryVerdict {
    .stands("the wait before the retry would exceed the retry policy's limit of \(timeLimit.secondsText)")
  }

  init(_ decision: RetryPolicy.Decision, by source: AttemptReport.Retry.Source) {
    switch decision {
    case .retry(let wait): self = .follows(AttemptReport.Retry(wait: wait, source: source))
    case .stop:
      self = .stands(
        source == .request
          ? "the request decided against a retry" : "a hook of the agent decided against a retry")
    }
  }

  var retry: AttemptReport.Retry? { if case .follows(let retry) = self { retry } else { nil } }
  var reason: String? { if case .stands(let reason) = self { reason } else { nil } }
  var decision: RetryPolicy.Decision { retry.map { .retry(after: $0.wait) } ?? .stop }
}

extension RetryPolicy {
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
      // The policy's cap replaces a longer wait from the server, so the source is the policy.
      plan = asked.wait > cap ? AttemptReport.Retry(wait: cap, source: .policy) : asked
    }
    if let timeLimit, error.elapsed + plan.wait >= timeLimit { return .beyond(timeLimit) }
    return .follows(plan)
  }

  fileprivate func mayRepeat(_ error: RequestError, first: HTTPMethod?, isKeyed: Bool) -> Bool {
    isKeyed || (first ?? error.request?.method)?.isIdempotent == true || retriesUnsafeMethods
  }

  /// Returns the reason against a retry, as a clause; `nil` if the policy covers the failure.
  private func refusal(of error: RequestError, first: HTTPMethod?, isKeyed: Bool) -> String? {
    let method = first ?? error.request?.method
    let mayBeRepeated = mayRepeat(error, first: first, isKeyed: isKeyed)
    if let condition, mayBeRepeated || method == nil {
      return condition(error) ? nil : "the retry policy's condition refused"
    }
    guard mayBeRepeated else {
      return method.map { "\($0) is not idempotent, and has no idempotency key" }
        ?? "no request was sent"
    }
    if error.isConnectionFailure, retriesConnectionFailures { return nil }
    if error.kind == .status, let status = error.status {
      return statuses.contains(status.code)
        ? nil : "the retry policy does not cover the status \(status.code)"
    }
    return "the retry policy does not cover failures of the kind \(error.kind)"
  }
}
