/// Why a dispatch or an attempt failed, without its cause; its messages are those of the attempt.
struct FailureRecord: Codable {
  private var kind: String
  private var reason: String
  private var stage: Stage
  private var attempts: Int
  private var elapsed: Seconds
  private var isOverRetryBudget: Bool

  init(_ error: RequestError, _ redaction: Redaction) {
    kind = error.kind.name
    reason = redaction.text(error.reason)
    stage = error.stage
    attempts = error.attempts
    elapsed = Seconds(error.elapsed)
    isOverRetryBudget = error.isOverRetryBudget
  }

  func error(request: HTTPRequest?, response: HTTPResponse?) -> RequestError {
    var error = RequestError(
      .init(kind), reason, stage: stage, request: request, response: response, attempts: attempts,
      elapsed: elapsed.duration)
    error.isOverRetryBudget = isOverRetryBudget
    return error
  }
}
