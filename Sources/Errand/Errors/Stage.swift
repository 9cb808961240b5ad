/// The stages of a dispatch.
///
/// ```
/// dispatch
///   accessories.requestWillStart     once per dispatch; the agent's accessories, then the request's
///   serialGate                       only with isSerial: waits for the slot shared by all serial requests
///   attempt ×n
///     build                          base URL, path, query, body, headers
///     filterRequest                  the request's hook, then the agent's hooks in order
///     throttle                       only with a RateLimit or a CircuitBreaker: waits for the limit, or
///                                    fails if the circuit is open
///     hostSlot                       waits for a slot of the origin, by priority
///     cookies                        only with a CookieStore: adds the cookies for the URL
///     authenticate                   the authenticator signs the final request
///     transport                      receives the head, then the body, from a mock, a data: URL, the
///                                    agent's cache, or the transport. For a redirect, redirectDecision of
///                                    the request runs, then of the agent's hooks. For each followed
///                                    redirect, filterRequest and cookies run again, and authenticate only
///                                    within the same origin
///     validate                       the head before the body is read, then a response in memory
///     filterResponse                 the request's hook, then the agent's hooks in order
///     decode                         off the main actor, unless the serializer is marked `@MainActor`
///     retry?                         after a failed attempt: the authenticator decides first, then the
///                                    retry policy, the request and the agent's hooks
///   mock fallback                    only with MockPolicy.whenFailed: mockResponse passes validate,
///                                    filterResponse and decode in a last attempt
///   preprocess                       the request's hook, then the agent's hooks
///   accessories.requestWillStop      without the outcome, because `filter` may still change the outcome
///   filter                           the request's hook, then the agent's hooks, except after a
///                                    cancellation; then the outcome is final
///   completed                        the request's hook, then the agent's hooks
///   completion handler of `start`
///   accessories.requestDidStop       the last event of the dispatch
/// ```
///
/// A stream returns to the caller after `filterResponse`, without decoding. `preprocess` follows the end of
/// the body.
public enum Stage: String, Codable, Sendable, Hashable, CaseIterable, CustomStringConvertible {
  /// A serial request waits for other serial requests.
  case serialGate
  /// The request is built.
  case build
  /// Hooks change the request, also after a followed redirect.
  case filterRequest
  /// The request waits for a ``RateLimit`` or a pause, or the ``CircuitBreaker`` refuses the request.
  case throttle
  /// The attempt waits for a slot of the origin.
  case hostSlot
  /// The ``CookieStore`` adds cookies, also after a followed redirect.
  case cookies
  /// The authenticator adds or renews credentials.
  case authenticate
  /// The response is received, and redirects are followed.
  case transport
  /// Validators check the response.
  case validate
  /// Hooks change the response.
  case filterResponse
  /// The response is decoded.
  case decode
  /// The dispatch decides about a retry, and waits.
  case retry
  /// Hooks receive the outcome.
  case preprocess
  /// Hooks may replace the outcome.
  case filter
  /// Hooks receive the final outcome.
  case completed

  /// The name.
  public var description: String { rawValue }
}
