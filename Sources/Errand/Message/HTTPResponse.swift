public import Foundation

/// A response: head, body and trailers.
public struct HTTPResponse: Sendable, Hashable {
  /// The status; 200 by default.
  public var status: HTTPResponse.Status
  /// The header fields.
  public var headers: HTTPHeaders
  /// The body, usually with content codings such as gzip decoded.
  ///
  /// Empty if the response is the head of a stream.
  public var body: Data
  /// Fields after the body (RFC 9110 section 6.5).
  public var trailers = HTTPHeaders()
  /// The URL of the response, after redirects; `nil` if unknown.
  public var url: URL? {
    get { location?.url }
    set { location = newValue.map { .parsed($0) } }
  }
  package var location: WrittenURL?
  var link = RedactionSource()
}

extension HTTPResponse {
  /// Creates a response.
  public init(
    status: HTTPResponse.Status = 200, headers: HTTPHeaders = [:], body: Data = Data(), url: URL? = nil
  ) {
    self.init(status: status, headers: headers, body: body, location: url.map { .parsed($0) })
  }

  /// The time of the `Date` header (RFC 9110 section 6.6.1); `nil` if missing or invalid.
  public var serverDate: Date? { headers["Date"].flatMap(HTTPDate.parse) }
}
