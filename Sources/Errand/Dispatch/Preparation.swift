/// Observes the preparation of a request by `Explaining`.
protocol PreparationObserver: AnyObject {
  var renewsNothing: Bool { get }

  func willResume(at count: Int64)

  func didRun(_ step: PreparationStep, on http: HTTPRequest)
}

enum PreparationStep {
  case build
  case filterRequest
  case hook(any RequestHooks)
  /// The completion and the check of the request after the hooks.
  case completion
  /// The header that tells the server the remaining time.
  case deadline
  case cookies
  case authenticate(any Authenticator)
}
