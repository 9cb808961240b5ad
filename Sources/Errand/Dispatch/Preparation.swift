/// Observes the preparation of an explained request.
protocol PreparationObserver: AnyObject {
  var renewsNothing: Bool { get }

  func willResume(at count: Int64)

  func didRun(_ step: PreparationStep, on http: HTTPRequest)
}

enum PreparationStep {
  case build
  case filterRequest
  case hook(any RequestHooks)
  /// The completion after the hooks: encodes the body, sets `Content-Type`, `Content-Encoding` and
  /// `Trailer`, and checks URL, method, headers and trailers.
  case completion
  case cookies
  case authenticate(any Authenticator)
}
