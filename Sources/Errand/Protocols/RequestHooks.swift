/// Hooks for all requests of an agent; without effect by default.
///
/// The agent's hooks run in order, after the hook of the request. Hooks run off the main actor unless marked
/// `@MainActor`.
///
/// To observe dispatches without changes, use an ``Accessory``.
public protocol RequestHooks: HookMembers {
  /// Changes a built request, and the next request of a followed redirect.
  ///
  /// A thrown error ends the attempt, usually with the kind ``RequestError/Kind/hook``. A thrown ``Refusal``
  /// or ``TransportError`` usually keeps its own kind.
  func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws

  /// Decides whether a redirect is followed.
  ///
  /// See ``Request/redirectDecision(to:from:context:)``. A thrown error ends the attempt, usually with the
  /// kind ``RequestError/Kind/hook``. A thrown ``Refusal`` usually keeps its own kind.
  func redirectDecision(
    to request: inout HTTPRequest, from response: HTTPResponse, context: RequestContext
  ) async throws -> RedirectPolicy.Decision

  /// Changes an accepted response before decoding.
  ///
  /// A thrown error ends the attempt, usually with the kind ``RequestError/Kind/hook``. A thrown ``Refusal``
  /// or ``TransportError`` usually keeps its own kind.
  func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws

  /// Decides whether a failed attempt is repeated; `suggested` is the decision so far.
  ///
  /// See ``Request/retryDecision(for:suggested:context:)``.
  func retryDecision(
    for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
  ) async -> RetryPolicy.Decision

  /// Receives the outcome before the `filter` hooks.
  func preprocess<Value>(_ outcome: Outcome<Value>, context: RequestContext) async

  /// Returns the outcome or a replacement; not called for a cancelled outcome.
  func filter<Value>(_ outcome: Outcome<Value>, context: RequestContext) async -> Outcome<Value>

  /// Receives the final outcome.
  func completed<Value>(_ outcome: Outcome<Value>, context: RequestContext) async
}

extension RequestHooks {
  /// Leaves the request unchanged.
  public func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {}
  /// Returns `.follow`.
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
