extension Dispatch {
  /// The request's own answer instead of the wire's, where mocks are allowed; `nil` where there is none.
  @inline(never)
  func mock(
    _ http: HTTPRequest, _ attempt: inout Attempt, _ context: RequestContext
  ) async throws -> TransportResponse? {
    guard case .always = request.mockPolicy.storage else { return nil }
    let response = try await SlotHold.holding(&attempt) { _ in try await mockResponse(for: http, context) }
    try check(attempt.watch)
    guard let response else { return nil }
    attempt.isMocked = true
    return TransportResponse(mock: response)
  }

  /// The request's own answer to a failure that stands; `nil` where there is none.
  func fallback(
    for failure: RequestError, of attempt: inout Attempt, _ ledger: Ledger
  ) async -> MockFallback? {
    guard agent.configuration.allowsMocks, attempt.fallback == nil, !isCancelled,
      case .whenFailed(let condition) = request.mockPolicy.storage, let http = attempt.request,
      condition(failure)
    else { return nil }
    do {
      let response = try await mockResponse(for: http, context(attempt: ledger.attempt))
      return response.map { MockFallback(to: http, .success($0)) }
    } catch {
      return MockFallback(to: http, .failure(error))
    }
  }

  private func mockResponse(for http: HTTPRequest, _ context: RequestContext) async throws -> HTTPResponse? {
    do {
      return try await request.mockResponse(for: http, context: context)
    } catch let error as TransportError {
      throw error
    } catch {
      throw HookFailure(hook: "mockResponse", cause: error)
    }
  }
}
