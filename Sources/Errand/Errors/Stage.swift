/// The stages of a dispatch, in their order: the one place that states it.
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
/// A stream returns to its caller after `filterResponse`, which gets the head only, like the validators; nothing is
/// decoded, and the line goes on after `retry?` when the body has ended.
public enum Stage: String, Codable, Sendable, Hashable, CaseIterable, CustomStringConvertible {
  /// A serial request waits until no other runs.
  case serialGate
  /// The request is made of its parts.
  case build
  /// Hooks change the request, once per attempt and once for each redirect it follows.
  case filterRequest
  /// The request waits for its turn by the ``RateLimit`` of its origin, or is stopped by the ``CircuitBreaker``.
  case throttle
  /// The attempt waits until fewer run for its origin than may.
  case hostSlot
  /// The cookies of the ``CookieStore`` are put on the request, once per attempt and once for each redirect it follows.
  case cookies
  /// Credentials are put on the request, or renewed.
  case authenticate
  /// The request is on the wire, or redirects are followed.
  case transport
  /// Validators judge the head, then the body.
  case validate
  /// Hooks change the response.
  case filterResponse
  /// The value is made of the response.
  case decode
  /// It is decided whether to try again, and waited.
  case retry
  /// Hooks see the outcome before anyone else.
  case preprocess
  /// Hooks may replace the outcome.
  case filter
  /// Hooks are told the outcome.
  case completed

  /// The name.
  public var description: String { rawValue }
}
