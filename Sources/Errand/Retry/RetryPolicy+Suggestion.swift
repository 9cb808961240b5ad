import Foundation

extension RetryPolicy {
  var isOff: Bool { limit.map { $0 <= 0 } ?? false }

  /// The wait before retry number `retry`, from 1, and where it comes from; `nil` when the failure stands.
  ///
  /// - Parameter first: the method a retry begins with, which redirects may have changed since.
  func suggestion(
    for error: RequestError, first: HTTPMethod? = nil, retry: Int, jitter: Double, date: Date
  ) -> AttemptReport.Retry? {
    guard !error.isCancelled, limit.map({ retry <= $0 }) ?? true, isRetriable(error, first) else {
      return nil
    }
    guard let wait = backoff.wait(retry: retry, jitter: jitter, elapsed: error.elapsed) else { return nil }
    var plan = AttemptReport.Retry(wait: wait, source: .policy)
    if let asked = error.response?.retryAfter(now: date) {
      plan = AttemptReport.Retry(wait: min(asked, max(retryAfterCap, .zero)), source: .retryAfter)
    }
    if let timeLimit, error.elapsed + plan.wait >= timeLimit { return nil }
    return plan
  }

  private func isRetriable(_ error: RequestError, _ first: HTTPMethod?) -> Bool {
    if let condition { return condition(error) }
    guard retriesUnsafeMethods || (first ?? error.request?.method)?.isIdempotent == true else { return false }
    if error.isConnectionFailure { return retriesConnectionFailures }
    return error.kind == .status && error.status.map { statuses.contains($0.code) } ?? false
  }
}

extension HTTPResponse {
  /// How long the server asks to wait (RFC 9110 section 10.2.3): seconds, or a date, which is read against the
  /// server's own `Date` where there is one, so that its clock need not agree with ours.
  func retryAfter(now: Date) -> Duration? {
    guard let text = headers.values(for: "Retry-After").first?.trimmingCharacters(in: .whitespaces) else {
      return nil
    }
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      return .seconds(Int(text).map { min($0, 1_000_000_000) } ?? 1_000_000_000)
    }
    guard let date = HTTPDate.parse(text) else { return nil }
    return .seconds(min(max(date.timeIntervalSince(serverDate ?? now), 0), 1e9))
  }
}
