struct ErrorTranslation {
  let kind: RequestError.Kind
  let reason: String
  /// The original error, without wrappers such as `HookFailure`.
  let cause: any Error

  init(_ thrown: any Error, at stage: Stage) {
    (kind, reason) = Self.judge(thrown, at: stage)
    cause = Self.cause(of: thrown)
  }

  func error(
    of attempt: Attempt, at stage: Stage, elapsed: Duration, _ dispatched: RequestContext.Dispatched
  ) -> RequestError {
    let (sent, hops) = (attempt.sent.request, attempt.hops)
    // Teaches the redaction the secrets of the prepared request, because the thrown error may quote secrets.
    if stage == .filterRequest || stage == .authenticate, let sent { dispatched.note(sent) }
    var error = RequestError(
      kind, reason, stage: stage, request: sent, response: attempt.answer.response?.shortened,
      attempts: attempt.number, elapsed: elapsed, cause: cause)
    error.streamedLength = attempt.answer.streamedLength
    error.hasUnreadBody = !attempt.answer.isBodyRead
    if kind == .status, let head = error.response, let sent {
      error.locationFault = RedirectRules.fault(of: head, to: sent.url)
    }
    error.lacksTrust = hops.redirects.isEmpty && !hops.withheld.isEmpty
    error.belong(to: dispatched)
    return error
  }

  private static func judge(_ thrown: any Error, at stage: Stage) -> (RequestError.Kind, String) {
    switch thrown {
    case let refusal as Refusal: return (refusal.kind, refusal.message)
    case let open as CircuitBreaker.Open: return (.circuitOpen, open.description)
    case let error as TransportError: return (error.kind, error.clause)
    case let error as DecodingError: return (kind(at: stage), error.clause)
    case let error as EncodingError: return (kind(at: stage), error.clause)
    case let failure as HookFailure: return judge(failure)
    case let failure as AuthenticationFailure: return judge(failure)
    default: break
    }
    let text = text(of: thrown)
    return (kind(at: stage), kind(at: stage) == .hook ? "\(stage) threw \(text)" : text)
  }

  private static func judge(_ failure: HookFailure) -> (RequestError.Kind, String) {
    if let refusal = failure.cause as? Refusal { return (refusal.kind, refusal.message) }
    return (.hook, "\(failure.hook) threw \(text(of: failure.cause))")
  }

  private static func judge(_ failure: AuthenticationFailure) -> (RequestError.Kind, String) {
    let refusal = failure.cause as? Refusal
    return (
      refusal?.kind ?? .authentication, "\(failure.subject)\(refusal?.message ?? text(of: failure.cause))"
    )
  }

  private static func cause(of thrown: any Error) -> any Error {
    let thrown = (thrown as? HookFailure)?.cause ?? (thrown as? AuthenticationFailure)?.cause ?? thrown
    return (thrown as? Refusal)?.cause ?? thrown
  }

  private static func text(of thrown: any Error) -> String {
    (thrown as? RequestError)?.clause ?? String(describing: thrown)
  }

  private static func kind(at stage: Stage) -> RequestError.Kind {
    switch stage {
    case .build: .encoding
    case .authenticate: .authentication
    case .transport, .throttle: .transport
    case .validate: .validation
    case .decode: .decoding
    case .serialGate, .hostSlot: .deadlineExceeded
    case .filterRequest, .cookies, .filterResponse, .retry, .preprocess, .filter, .completed: .hook
    }
  }
}
