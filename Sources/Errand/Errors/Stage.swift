/// The stages of a dispatch in order.
///
/// The listing below is the reference for the order.
///
/// ```
/// dispatch
///   accessories.requestWillStart     once per dispatch; the agent's accessories, then the request's
///   serialGate                       isSerial only; held until no attempt is to follow
///   attempt ×n
///     build                          base, path, query, body, headers
///     filterRequest                  the request's own, then the agent's hooks, in order
///     throttle                       where a RateLimit or a CircuitBreaker is set: waits for the origin's turn
///     hostSlot                       per origin of the URL as it is now, by priority; held until the body has come
///     cookies                        where the request has a CookieStore: its cookies for the URL of this hop
///     authenticate                   the authenticator signs the final form; the last before the wire
///     transport                      or mockResponse, where MockPolicy.always says so, or the agent's cache;
///                                    the head, then the body as validators let it; redirects are followed here:
///                                    redirectDecision, the request's, then the agent's; then each hop passes
///                                    filterRequest anew, and authenticate within the origin
///     validate                       the head first, then the body; in between the slot is given back
///     filterResponse                 the request's own, then the agent's hooks, in order
///     decode                         off the main actor
///     retry?                         sees this attempt's verdict, whichever stage gave it; the authenticator is asked
///                                    first, as often as it may; its wait holds no slot
///   mock fallback                    MockPolicy.whenFailed: mockResponse passes validate, filterResponse and decode as
///                                    one last attempt
///   preprocess                       the request's, then the agent's; no completion has been called yet
///   accessories.requestWillStop      carries no outcome: `filter` may still change it
///   filter                           the request's, then the agent's; fixes the outcome when it returns
///   completed                        the request's, then the agent's
///   completion handler of `start`
///   accessories.requestDidStop       once, last; nothing runs after it
/// ```
///
/// A stream returns to its caller after `filterResponse`. Validators and `filterResponse` hooks receive
/// only the head, and nothing is decoded. After the end of the body, the stages continue after `retry?`.
public enum Stage: String, Codable, Sendable, Hashable, CaseIterable, CustomStringConvertible {
  /// A serial request waits until no other serial request runs.
  case serialGate
  /// The request is built from its parts.
  case build
  /// Hooks change the request, once for each attempt and once for each followed redirect.
  case filterRequest
  /// The request waits for the ``RateLimit`` of its origin, or the ``CircuitBreaker`` stops the request.
  case throttle
  /// The attempt waits for a free slot of its origin.
  case hostSlot
  /// The ``CookieStore`` adds its cookies to the request, once for each attempt and once for each followed
  /// redirect.
  case cookies
  /// The authenticator adds or renews credentials.
  case authenticate
  /// The request is transferred, including redirects.
  case transport
  /// Validators check the head and then the body.
  case validate
  /// Hooks change the response.
  case filterResponse
  /// The response is decoded to the value.
  case decode
  /// The dispatch decides about a retry and waits for the next attempt.
  case retry
  /// Hooks see the outcome before all other observers.
  case preprocess
  /// Hooks may replace the outcome.
  case filter
  /// Hooks receive the final outcome.
  case completed

  /// The name.
  public var description: String { rawValue }
}
