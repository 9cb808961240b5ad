/// Watches how the request of an attempt is prepared, so that an explanation cannot differ from what is sent.
protocol PreparationObserver {
  /// Whether nothing is to be sent: then no slot and no rate limit is waited for, no file is opened, and no accessory is told.
  static var isExplanation: Bool { get }

  /// Whether the authenticator uses only the credentials that it has.
  ///
  /// - Parameter isOffline: whether the cache alone may answer the request.
  func renewsNothing(isOffline: Bool) -> Bool

  /// Notes how many bytes of the file of a response an earlier download has left; 0 for none.
  mutating func willWrite(behind count: Int64)

  /// Notes what a step has made of the request.
  mutating func didRun(_ step: PreparationStep, on http: HTTPRequest)
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

/// The observer of a request that is sent: nobody watches.
struct Unobserved: PreparationObserver {
  static var isExplanation: Bool { @inline(__always) get { false } }

  @inline(__always)
  init() {}

  @inline(__always)
  func renewsNothing(isOffline: Bool) -> Bool { isOffline }

  @inline(__always)
  func willWrite(behind count: Int64) {}

  @inline(__always)
  func didRun(_ step: PreparationStep, on http: HTTPRequest) {}
}
