public import Foundation

/// A request as it goes to the wire: what hooks may change and transports send.
///
/// Printing it hides secrets; see ``Redaction``.
public struct HTTPRequest: Sendable {
  /// The absolute target, without user info and fragment once it was built.
  public var url: URL
  /// The method; `GET` by default.
  public var method: HTTPMethod
  /// The header fields, without those that frame the message.
  public var headers: HTTPHeaders
  /// The body; none by default.
  public var body: RequestBody
  /// What follows the body; none by default.
  public var trailers = RequestTrailers.none
  /// To the dispatch that sends it, once it was built.
  var link = RedactionSource()

  /// Makes a request.
  public init(
    url: URL, method: HTTPMethod = .get, headers: HTTPHeaders = [:], body: RequestBody = .none
  ) {
    self.url = url
    self.method = method
    self.headers = headers
    self.body = body
  }
}
