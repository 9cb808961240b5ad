/// A hook that may respond in place of the server; see `LocalResponder` of `ErrandService`.
package protocol ResponderHook: RequestHooks {
  /// The name in reports and errors.
  var name: String { get }

  /// Returns a response; `nil` leaves the request to the next hook, or to the server.
  func response(to request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse?
}
