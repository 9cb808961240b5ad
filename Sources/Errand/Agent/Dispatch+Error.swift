extension Dispatch {
  /// Makes the one error a caller sees of whatever a stage threw.
  func requestError(_ thrown: any Error, _ attempt: Attempt) -> RequestError {
    let (kind, reason) = Self.verdict(on: thrown, at: attempt.stage)
    // What its hooks and its authenticator have put in was not sent, and may be told by what one of them threw.
    if attempt.stage == .filterRequest || attempt.stage == .authenticate, let request = attempt.request {
      context.dispatched.note(request)
    }
    var error = RequestError(
      kind, reason, stage: attempt.stage, request: attempt.request, response: attempt.response?.shortened,
      attempts: attempt.number, elapsed: now - started, cause: Self.cause(of: thrown))
    error.lacksTrust = attempt.redirects.isEmpty && !attempt.withheld.isEmpty
    error.belong(to: context.dispatched)
    return error
  }

  private static func verdict(on thrown: any Error, at stage: Stage) -> (RequestError.Kind, String) {
    switch thrown {
    case let refusal as Refusal: return (refusal.kind, refusal.message)
    case let open as CircuitOpen: return (.circuitOpen, open.description)
    case let error as TransportError: return (error.kind, error.clause)
    case let error as DecodingError: return (kind(at: stage), error.clause)
    case let error as EncodingError: return (kind(at: stage), error.clause)
    case let failure as HookFailure: return verdict(on: failure)
    case let failure as AuthenticationFailure: return verdict(on: failure)
    default: break
    }
    let text = text(of: thrown)
    return (kind(at: stage), kind(at: stage) == .hook ? "\(stage) threw \(text)" : text)
  }

  private static func verdict(on failure: HookFailure) -> (RequestError.Kind, String) {
    if let refusal = failure.cause as? Refusal { return (refusal.kind, refusal.message) }
    return (.hook, "\(failure.hook) threw \(text(of: failure.cause))")
  }

  private static func verdict(on failure: AuthenticationFailure) -> (RequestError.Kind, String) {
    let refusal = failure.cause as? Refusal
    return (
      refusal?.kind ?? .authentication, "\(failure.subject)\(refusal?.message ?? text(of: failure.cause))"
    )
  }

  /// What was thrown by others.
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
    case .filterRequest, .filterResponse, .retry, .preprocess, .filter, .completed: .hook
    }
  }
}
