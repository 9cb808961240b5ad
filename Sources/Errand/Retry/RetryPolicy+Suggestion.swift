import Foundation

extension RetryPolicy {
  var isOff: Bool { limit.map { $0 <= 0 } ?? false }

  /// The wait before retry number `retry`, from 1, and where it comes from; `nil` when the failure stands.
  ///
  /// - Parameters:
  ///   - first: the method a retry begins with, which redirects may have changed since.
  ///   - isKeyed: whether the request carries an idempotency key that a retry would carry again.
  func suggestion(
    for error: RequestError, first: HTTPMethod? = nil, isKeyed: Bool = false, retry: Int, jitter: Double,
    date: Date
  ) -> AttemptReport.Retry? {
    guard !error.isCancelled, limit.map({ retry <= $0 }) ?? true, isRetriable(error, first, isKeyed) else {
      return nil
    }
    guard let wait = backoff.wait(retry: retry, jitter: jitter, elapsed: error.elapsed) else { return nil }
    var plan = AttemptReport.Retry(wait: wait, source: .policy)
    if let asked = error.response?.serverWait(now: date) {
      plan = AttemptReport.Retry(wait: min(asked.wait, max(retryAfterCap, .zero)), source: asked.source)
    }
    if let timeLimit, error.elapsed + plan.wait >= timeLimit { return nil }
    return plan
  }

  private func isRetriable(_ error: RequestError, _ first: HTTPMethod?, _ isKeyed: Bool) -> Bool {
    if let condition { return condition(error) }
    let isSafe = isKeyed || (first ?? error.request?.method)?.isIdempotent == true
    guard isSafe || retriesUnsafeMethods else { return false }
    if error.isConnectionFailure { return retriesConnectionFailures }
    return error.kind == .status && error.status.map { statuses.contains($0.code) } ?? false
  }
}
