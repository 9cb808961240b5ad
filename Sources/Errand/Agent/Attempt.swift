/// The working state of one attempt: how far it came, and what is known when it fails.
struct Attempt {
  let number: Int
  /// On the agent's clock.
  let started: Duration
  /// Until its verdict, without what is done to decide on the next.
  var elapsed: Duration = .zero
  var stage: Stage = .build
  var request: HTTPRequest?
  var response: HTTPResponse?
  /// What the transport got first, and with it a body that may be gone: another attempt begins with it, wherever
  /// redirects led this one.
  var first: HTTPRequest?
  var redirects: [RedirectReport] = []
  var metrics: TransportMetrics?
  /// Its limits of time; `nil` when it has none.
  var watch: AttemptWatch?

  func report(failure: RequestError?, retry: AttemptReport.Retry?) -> AttemptReport {
    AttemptReport(
      number: number, request: request, response: response, redirects: redirects,
      bodyLength: response?.body.count ?? 0, metrics: metrics, elapsed: elapsed, failure: failure,
      retry: retry)
  }
}
