/// The stages of a dispatch.
///
/// ```
/// dispatch
///   accessories.requestWillStart     the agent's accessories, then the request's
///   serialGate                       only with isSerial: waits for other serial requests
///   attempt ×n
///     build                          base URL, path, query, body, headers
///     filterRequest                  hooks
///     throttle                       only with a RateLimit or a CircuitBreaker
///     hostSlot                       waits for a slot of the origin, by priority
///     cookies                        only with a CookieStore
///     authenticate                   the authenticator signs the final request
///     transport                      receives the head, then the body. For a redirect, the hooks
///                                    redirectDecision run, then filterRequest and cookies again, and
///                                    authenticate only within the same origin
///     validate                       the head, then a response in memory
///     filterResponse                 hooks
///     decode                         off the main actor, unless the serializer is marked `@MainActor`
///     retry?                         the authenticator, then the retry policy and the hooks
///   mock fallback                    only with MockPolicy.whenFailed: validate, filterResponse, decode
///   preprocess                       hooks
///   accessories.requestWillStop      `filter` may still change the outcome
///   filter                           hooks
///   completed                        hooks
///   completion handler of `start`
///   accessories.requestDidStop
/// ```
///
/// In each stage, the hook of the request runs before the agent's hooks.
///
/// A stream returns to the caller after `filterResponse`, without decoding. `preprocess` follows the end of
/// the body.
public enum Stage: String, Codable, Sendable, Hashable, CaseIterable, CustomStringConvertible {
  /// The request waits for other serial requests.
  case serialGate
  /// The request is built.
  case build
  /// Hooks change the request.
  case filterRequest
  /// The request waits for a ``RateLimit``, or a ``CircuitBreaker`` refuses the request.
  case throttle
  /// The attempt waits for a slot of the origin.
  case hostSlot
  /// The ``CookieStore`` adds cookies.
  case cookies
  /// The authenticator adds or renews credentials.
  case authenticate
  /// The request is sent, and the response is received.
  case transport
  /// Validators check the response.
  case validate
  /// Hooks change the response.
  case filterResponse
  /// The response is decoded.
  case decode
  /// The dispatch decides about a retry, and may wait.
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
