public import Foundation

/// A request in the form sent to the server: hooks may change the request, and transports send the request.
///
/// Printing a request hides secrets; see ``Redaction``.
public struct HTTPRequest: Sendable {
  /// The absolute URL, without user info and fragment once the request is built.
  public var url: URL
  /// The method; `GET` by default.
  public var method: HTTPMethod
  /// The header fields, except those that frame the message.
  public var headers: HTTPHeaders
  /// The body; none by default.
  public var body: RequestBody
  /// The fields after the body; none by default.
  public var trailers = RequestTrailers.none
  /// The link to the dispatch that sends the request, set once the request is built.
  var link = RedactionSource()

  /// Creates a request.
  public init(
    url: URL, method: HTTPMethod = .get, headers: HTTPHeaders = [:], body: RequestBody = .none
  ) {
    self.url = url
    self.method = method
    self.headers = headers
    self.body = body
  }
}
