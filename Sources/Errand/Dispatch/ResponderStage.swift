/// Asks the agent's hooks for a response in place of the server.
struct ResponderStage<R: Request>: Sendable {
  let sender: AttemptSender<R>

  private var dispatch: Dispatch<R> { sender.dispatch }

  /// Returns the first response of a hook; `nil` without a response, and for `data:` URLs.
  ///
  /// `willSend` calls the accessories, if a cache has delayed the call.
  func answer(
    to http: HTTPRequest, in attempt: Attempt, willSend: Wire.WillSend?
  ) async throws -> TransportResponse? {
    let responders = dispatch.agent.tools.responders
    if responders.isEmpty { return nil }
    attempt.responder = nil
    guard !URLParts.isData(http.location.text) else { return nil }
    // A hook that throws also replaces the server.
    attempt.transferState.isAnsweredByHook = true
    // No server sends the response, so no cookies of the response are stored.
    attempt.transferState.serverHeaders = HTTPHeaders()
    for responder in responders {
      attempt.responder = responder.name
      guard let response = try await response(of: responder, to: http, in: attempt) else { continue }
      try await willSend?(http)
      return TransportResponse(mock: response)
    }
    attempt.responder = nil
    (attempt.transferState.isAnsweredByHook, attempt.transferState.serverHeaders) = (false, nil)
    if !dispatch.wire.mayMock(dispatch.request) { attempt.transferState.hasPassedMock = true }
    return nil
  }

  private func response(
    of responder: any ResponderHook, to http: HTTPRequest, in attempt: Attempt
  ) async throws -> HTTPResponse? {
    let response: HTTPResponse?
    do {
      response = try await HeldSlotMark.holding(if: attempt.transferState.lease != nil) {
        try await responder.response(to: http, context: attempt.context)
      }
    } catch let error as TransportError {
      throw error
    } catch {
      throw HookFailure(hook: "the responder \(responder.name)", cause: error)
    }
    try sender.check(attempt)
    return response
  }
}
