public import Foundation

/// A response: its head and the bytes of its body.
///
/// Printing a response hides secrets; see ``Redaction``.
public struct HTTPResponse: Sendable, Hashable {
  /// The status; 200 by default.
  public var status: HTTPResponse.Status
  /// The header fields.
  public var headers: HTTPHeaders
  /// The body, after content decoding; empty in the head of a stream.
  public var body: Data
  /// Fields received after the body (RFC 9110 section 6.5); ``headers`` do not contain the trailers.
  public var trailers = HTTPHeaders()
  /// The final URL after redirects; `nil` by default in a response created by hand.
  public var url: URL? {
    get { location?.url }
    set { location = newValue.map { .parsed($0) } }
  }
  /// The final URL, perhaps not parsed yet.
  package var location: WrittenURL?
  /// The source of the secrets to hide in the printed response.
  var link = RedactionSource()
}

extension HTTPResponse {
  /// Creates a response.
  public init(
    status: HTTPResponse.Status = 200, headers: HTTPHeaders = [:], body: Data = Data(), url: URL? = nil
  ) {
    self.init(status: status, headers: headers, body: body, location: url.map { .parsed($0) })
  }

  /// The server's time from the `Date` header (RFC 9110 section 6.6.1); `nil` if absent or unreadable.
  public var serverDate: Date? { headers["Date"].flatMap(HTTPDate.parse) }
}
