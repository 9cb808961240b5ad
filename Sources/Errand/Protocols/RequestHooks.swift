/// Hooks for every request of an agent, with the names of the hooks of ``Request``, generic over the value.
///
/// Hooks may change their `inout` values. The list is fixed in the initializer of the agent. Hooks run in
/// order, after the request's own hooks, off the main actor unless marked `@MainActor`. The dispatch awaits
/// every hook, also after a cancellation. Every method has a default without an effect.
///
/// ## Choose between a hook and an accessory
///
/// A hook changes; an ``Accessory`` watches. Log, count and show spinners with an accessory.
public protocol RequestHooks: HookMembers {
  /// Changes the request, once in each attempt and once for each followed redirect.
  ///
  /// A thrown error ends the attempt with ``RequestError/Kind/hook``.
  func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws

  /// Decides whether a redirect is followed. `response` is the head of the redirect; the body is not read
  /// yet.
  ///
  /// Not called after another hook stopped the redirect. `request` is the next request by the rules of
  /// ``RedirectPolicy``, before `filterRequest`. The hook may change method, body, credentials and URL, and
  /// the result is checked again. ``RedirectPolicy/Decision/stop`` passes the 3xx with its body to the validators.
  /// A thrown error ends the attempt with ``RequestError/Kind/hook``.
  func redirectDecision(
    to request: inout HTTPRequest, from response: HTTPResponse, context: RequestContext
  ) async throws -> RedirectPolicy.Decision

  /// Changes a response accepted by every validator, before decoding.
  ///
  /// A thrown error ends the attempt with ``RequestError/Kind/hook``.
  func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws

  /// Decides whether a failed attempt is repeated; `suggested` is the decision so far.
  func retryDecision(
    for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
  ) async -> RetryPolicy.Decision

  /// Sees the outcome before accessories and completions.
  func preprocess<Value>(_ outcome: Outcome<Value>, context: RequestContext) async

  /// Replaces the outcome, or returns the outcome unchanged; not called for a cancelled dispatch.
  func filter<Value>(_ outcome: Outcome<Value>, context: RequestContext) async -> Outcome<Value>

  /// Receives the outcome, exactly once, without changing the outcome.
  func completed<Value>(_ outcome: Outcome<Value>, context: RequestContext) async
}

extension RequestHooks {
  /// Changes nothing.
  public func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {}
  /// Follows.
  public func redirectDecision(
    to request: inout HTTPRequest, from response: HTTPResponse, context: RequestContext
  ) async throws -> RedirectPolicy.Decision { .follow }
  /// Changes nothing.
  public func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {}
  /// Returns the suggestion.
  public func retryDecision(
    for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
  ) async -> RetryPolicy.Decision { suggested }
  /// Does nothing.
  public func preprocess<Value>(_ outcome: Outcome<Value>, context: RequestContext) async {}
  /// Returns the outcome unchanged.
  public func filter<Value>(
    _ outcome: Outcome<Value>, context: RequestContext
  ) async -> Outcome<Value> { outcome }
  /// Does nothing.
  public func completed<Value>(_ outcome: Outcome<Value>, context: RequestContext) async {}
}
