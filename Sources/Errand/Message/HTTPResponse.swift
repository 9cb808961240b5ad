public import Foundation

/// A response: its head and the bytes of its body.
///
/// Printing it hides secrets; see ``Redaction``.
public struct HTTPResponse: Sendable, Hashable {
  /// The status; 200 by default.
  public var status: HTTPResponse.Status
  /// The header fields as the server wrote them.
  public var headers: HTTPHeaders
  /// The body after content decoding; empty while only the head is known.
  public var body: Data
  /// Fields sent after the body (RFC 9110 section 6.5), kept apart from the head.
  public var trailers = HTTPHeaders()
  /// The URL that answered, with the fragment that was asked for or came over redirects (RFC 9110 section 10.2.2), which is sent
  /// nowhere; `nil` for a response made by hand.
  public var url: URL?
  /// To the dispatch that received it.
  var link = RedactionSource()

  /// Makes a response.
  public init(
    status: HTTPResponse.Status = 200, headers: HTTPHeaders = [:], body: Data = Data(), url: URL? = nil
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.url = url
  }

  /// The server's time: its `Date` header (RFC 9110 section 6.6.1), or `nil` when absent or unreadable.
  public var serverDate: Date? { headers["Date"].flatMap(HTTPDate.parse) }
}
