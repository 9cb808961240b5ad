/// Hooks for every request of an agent: the same names as on ``Request``, generic over the value.
///
/// Hooks may change what they are given. They are fixed when the agent is made and run in that order, after the
/// request's own; they run off the main actor unless marked `@MainActor`, and are awaited, never abandoned, also
/// when the dispatch is cancelled. Every method has a default that changes nothing.
///
/// ## Choose between a hook and an accessory
///
/// A hook changes; an ``Accessory`` watches. Log, count and show spinners with an accessory.
public protocol RequestHooks: HookMembers {
  /// Changes the request, once per attempt and once for each redirect it follows. A throw ends the attempt with ``RequestError/Kind/hook``.
  func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws

  /// Decides whether a redirect is followed; `response` is its head, the body is not read yet.
  ///
  /// Not called once another hook has stopped it. `request` is what follows by the rules of ``RedirectPolicy``, before `filterRequest`: method, body, credentials
  /// and URL may be changed, and the result is judged again. ``RedirectPolicy/Decision/stop`` gives the 3xx with its body
  /// to the validators. A throw ends the attempt with ``RequestError/Kind/hook``.
  func redirectDecision(
    to request: inout HTTPRequest, from response: HTTPResponse, context: RequestContext
  ) async throws -> RedirectPolicy.Decision

  /// Changes a response that passed every validator, before it is decoded. A throw ends the attempt with
  /// ``RequestError/Kind/hook``.
  func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws

  /// Decides whether a failed attempt is made again; `suggested` is the decision so far.
  func retryDecision(
    for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
  ) async -> RetryPolicy.Decision

  /// Sees the outcome before anyone is told.
  func preprocess<Value>(_ outcome: Outcome<Value>, context: RequestContext) async

  /// May replace the outcome; not called when it is cancelled.
  func filter<Value>(_ outcome: Outcome<Value>, context: RequestContext) async -> Outcome<Value>

  /// Is told the outcome, exactly once; cannot change it.
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
  /// Follows the suggestion.
  public func retryDecision(
    for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
  ) async -> RetryPolicy.Decision { suggested }
  /// Does nothing.
  public func preprocess<Value>(_ outcome: Outcome<Value>, context: RequestContext) async {}
  /// Keeps the outcome.
  public func filter<Value>(
    _ outcome: Outcome<Value>, context: RequestContext
  ) async -> Outcome<Value> { outcome }
  /// Does nothing.
  public func completed<Value>(_ outcome: Outcome<Value>, context: RequestContext) async {}
}
