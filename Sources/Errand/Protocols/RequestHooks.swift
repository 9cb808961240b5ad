/// Hooks for every request of an agent.
///
/// The methods have the names of the hooks in ``Request``.
///
/// In each stage, the agent's hooks run in order, after the request's own hook. Hooks run off the main actor
/// unless marked `@MainActor`. The dispatch awaits a running hook, also after a cancellation. By default,
/// every method has no effect.
///
/// ## Choose between a hook and an accessory
///
/// A hook can change requests, responses and outcomes. For a log, a counter or a spinner, use an
/// ``Accessory``.
public protocol RequestHooks: HookMembers {
  /// Changes the built request of an attempt, and the next request of each followed redirect.
  ///
  /// Also called for ``RequestAgent/explain(_:)``, but not for a ``MockPolicy/whenFailed`` mock.
  ///
  /// A thrown error ends the attempt. A ``Refusal`` chooses the kind, and a ``TransportError`` keeps its
  /// kind. Any other error has the kind ``RequestError/Kind/hook``. A cancellation or an exceeded time limit
  /// takes precedence over the error.
  func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws

  /// Decides whether a redirect is followed.
  ///
  /// `response` is the head of the redirect, and `request` is the next request, before `filterRequest` hooks.
  /// The hook may change method, body, credentials and URL. The agent then checks the changed request.
  /// ``RedirectPolicy/Decision/stop`` passes the redirect response to the validators. Not called after an
  /// earlier hook stopped the redirect.
  ///
  /// A thrown error ends the attempt. A ``Refusal`` chooses the kind. Any other error has the kind
  /// ``RequestError/Kind/hook``. A cancellation or an exceeded time limit takes precedence over the error.
  func redirectDecision(
    to request: inout HTTPRequest, from response: HTTPResponse, context: RequestContext
  ) async throws -> RedirectPolicy.Decision

  /// Changes a response accepted by every validator, before decoding.
  ///
  /// A thrown error has the effect described for ``filterRequest(_:context:)``.
  func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws

  /// Decides whether a failed attempt is repeated; `suggested` is the decision so far.
  ///
  /// ``Request/retryDecision(for:suggested:context:)`` lists the failures for which no hook is called.
  func retryDecision(
    for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
  ) async -> RetryPolicy.Decision

  /// Receives the outcome before the `filter` hooks and completion handlers.
  func preprocess<Value>(_ outcome: Outcome<Value>, context: RequestContext) async

  /// Returns a replacement for the outcome, or the same outcome; not called for a cancelled dispatch.
  func filter<Value>(_ outcome: Outcome<Value>, context: RequestContext) async -> Outcome<Value>

  /// Receives the final outcome of a dispatch.
  func completed<Value>(_ outcome: Outcome<Value>, context: RequestContext) async
}

extension RequestHooks {
  /// Leaves the request unchanged.
  public func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {}
  /// Follows the redirect.
  public func redirectDecision(
    to request: inout HTTPRequest, from response: HTTPResponse, context: RequestContext
  ) async throws -> RedirectPolicy.Decision { .follow }
  /// Leaves the response unchanged.
  public func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {}
  /// Returns the suggestion.
  public func retryDecision(
    for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
  ) async -> RetryPolicy.Decision { suggested }
  /// Has no effect.
  public func preprocess<Value>(_ outcome: Outcome<Value>, context: RequestContext) async {}
  /// Returns the outcome unchanged.
  public func filter<Value>(
    _ outcome: Outcome<Value>, context: RequestContext
  ) async -> Outcome<Value> { outcome }
  /// Has no effect.
  public func completed<Value>(_ outcome: Outcome<Value>, context: RequestContext) async {}
}
