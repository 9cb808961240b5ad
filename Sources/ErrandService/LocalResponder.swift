public import Errand

/// A hook with responses in place of the server, such as a maintenance page or a cache of your own.
///
/// ```swift
/// let maintenance = LocalResponder("maintenance page") { request, context in
///   isClosed() ? HTTPResponse(status: 503, headers: ["Retry-After": "120"]) : nil
/// }
/// let agent = RequestAgent(baseURL: "https://api.example.com", hooks: [maintenance])
/// ```
///
/// The closure runs in place of the transport, after the signing and the wait for a slot. The closure comes
/// before the request's mock and the agent's cache. After each redirect, the closure runs again. The response
/// passes validators, hooks and decoding. ``/Errand/AttemptReport/responder`` has the name.
///
/// A response of the closure does not change the origin's circuit, retry budget and cookies. The response is
/// not cached. `data:` URLs are not passed to the closure.
public struct LocalResponder: RequestHooks {
  /// The name in reports, logs and errors.
  public let name: String
  private let respond: @Sendable (HTTPRequest, RequestContext) async throws -> HTTPResponse?

  /// Creates a responder.
  ///
  /// - Parameters:
  ///   - name: A name for reports.
  ///   - respond: Returns the response, with its body; `nil`: the request continues, usually to the server.
  ///     A thrown error fails the attempt; a ``/Errand/TransportError`` keeps its kind, and a
  ///     ``/Errand/Refusal`` chooses the kind.
  public init(
    _ name: String,
    respond: @escaping @Sendable (HTTPRequest, RequestContext) async throws -> HTTPResponse?
  ) {
    (self.name, self.respond) = (name, respond)
  }
}

extension LocalResponder: ResponderHook {
  package func response(to request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse? {
    try await respond(request, context)
  }
}
