/// Watches how the request of an explanation is prepared, by the steps that prepare the request of an attempt.
protocol PreparationObserver: AnyObject {
  /// Whether the authenticator uses only the credentials that it has.
  var renewsNothing: Bool { get }

  /// Notes how many bytes of the file of a response an earlier download has left; 0 for none.
  func willWrite(behind count: Int64)

  /// Notes what a step has made of the request.
  func didRun(_ step: PreparationStep, on http: HTTPRequest)
}

/// A step of the preparation of a request, with the code of a user's that ran.
enum PreparationStep {
  case build
  /// The request's own `filterRequest`.
  case filterRequest
  /// The `filterRequest` of a hook of the agent.
  case hook(any RequestHooks)
  /// The defaults that depend on what hooks have made of the request.
  case completion
  case cookies
  case authenticate(any Authenticator)
}
