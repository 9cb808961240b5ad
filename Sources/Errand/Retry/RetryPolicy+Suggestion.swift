import Foundation

extension RetryPolicy {
  var isOff: Bool { limit.map { $0 <= 0 } ?? false }

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
    if let refusal = refusal(of: error, first, isKeyed) { return .stands(refusal) }
    guard let wait = backoff.wait(retry: retry, jitter: jitter, elapsed: error.elapsed) else {
      return .stands("the retry policy's backoff has ended")
    }
    var plan = AttemptReport.Retry(wait: wait, source: .policy)
    if let asked = error.response?.serverWait(now: date) {
      plan = AttemptReport.Retry(wait: min(asked.wait, max(retryAfterCap, .zero)), source: asked.source)
    }
    if let timeLimit, error.elapsed + plan.wait >= timeLimit {
      return .stands("the wait before it would end past the retry policy's limit of \(timeLimit.secondsText)")
    }
    return .follows(plan)
  }

  /// Why the failure is not one that the policy tries again; `nil` when it is.
  private func refusal(of error: RequestError, _ first: HTTPMethod?, _ isKeyed: Bool) -> String? {
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
