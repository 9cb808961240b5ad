public import Foundation

/// An HTTP request: URL, method, headers, body and trailers.
public struct HTTPRequest: Sendable {
  /// The absolute URL.
  public var url: URL {
    get { location.url }
    set { location = .parsed(newValue) }
  }
  /// The method; `GET` by default.
  public var method: HTTPMethod
  /// The header fields.
  public var headers: HTTPHeaders
  /// The body; none by default.
  public var body: RequestBody
  /// Trailers; none by default.
  public var trailers = RequestTrailers.none
  package var location: WrittenURL
  var link = RedactionSource()
}

extension HTTPRequest {
  /// Creates a request.
  public init(
    url: URL, method: HTTPMethod = .get, headers: HTTPHeaders = [:], body: RequestBody = .none
  ) {
    self.init(method: method, headers: headers, body: body, location: .parsed(url))
  }
}
