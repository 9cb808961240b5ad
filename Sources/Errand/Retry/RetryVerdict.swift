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
  init(_ decision: RetryDecision, by source: AttemptReport.Retry.Source) {
    switch decision {
    case .retry(let wait): self = .follows(AttemptReport.Retry(wait: wait, source: source))
    case .stop:
      self = .stands(source == .request ? "the request decided so" : "a hook of the agent decided so")
    }
  }

  var retry: AttemptReport.Retry? { if case .follows(let retry) = self { retry } else { nil } }
  var reason: String? { if case .stands(let reason) = self { reason } else { nil } }
  var decision: RetryDecision { retry.map { .retry(after: $0.wait) } ?? .stop }
}
