extension OverriddenRequest {
  /// Calls the base's.
  public func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
    try await base.filterRequest(&request, context: context)
  }

  /// Asks the base's.
  public func redirectDecision(
    to request: inout HTTPRequest, from response: HTTPResponse, context: RequestContext
  ) async throws -> RedirectDecision {
    try await base.redirectDecision(to: &request, from: response, context: context)
  }

  /// Asks the base's.
  public func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse? {
    try await base.mockResponse(for: request, context: context)
  }

  /// Calls the base's.
  public func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {
    try await base.filterResponse(&response, context: context)
  }

  /// Asks the base's.
  public func retryDecision(
    for error: RequestError, suggested: RetryDecision, context: RequestContext
  ) async -> RetryDecision {
    await base.retryDecision(for: error, suggested: suggested, context: context)
  }

  /// Calls the base's.
  public func preprocess(_ outcome: Outcome<Response>, context: RequestContext) async {
    await base.preprocess(outcome, context: context)
  }

  /// Asks the base's.
  public func filter(_ outcome: Outcome<Response>, context: RequestContext) async -> Outcome<Response> {
    await base.filter(outcome, context: context)
  }

  /// Calls the base's.
  public func completed(_ outcome: Outcome<Response>, context: RequestContext) async {
    await base.completed(outcome, context: context)
  }
}
