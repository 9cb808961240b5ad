/// A request method (RFC 9110 section 9.1).
///
/// Methods are case-sensitive.
public struct HTTPMethod: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The method as sent, such as `GET`.
  public let token: String

  /// Creates a method, without a check.
  public init(_ token: String) { self.token = token }

  /// Creates a method from a literal.
  public init(stringLiteral value: String) { token = value }

  /// The token.
  public var description: String { token }

  /// Requests a representation of the target.
  public static let get: HTTPMethod = "GET"
  /// Requests the head of a `GET` response.
  public static let head: HTTPMethod = "HEAD"
  /// Lets the target process the body.
  public static let post: HTTPMethod = "POST"
  /// Creates or replaces the target.
  public static let put: HTTPMethod = "PUT"
  /// Changes the target partially (RFC 5789).
  public static let patch: HTTPMethod = "PATCH"
  /// Removes the target.
  public static let delete: HTTPMethod = "DELETE"
  /// Requests communication options.
  public static let options: HTTPMethod = "OPTIONS"
  /// Requests an echo of the request.
  public static let trace: HTTPMethod = "TRACE"
  /// A safe query with a body (draft-ietf-httpbis-safe-method-w-body).
  public static let query: HTTPMethod = "QUERY"

  /// True for `GET`, `HEAD`, `OPTIONS` and `TRACE` (RFC 9110 section 9.2.1), and for `QUERY`.
  public var isSafe: Bool {
    switch token {
    case "GET", "HEAD", "OPTIONS", "TRACE", "QUERY": true
    default: false
    }
  }

  /// True for safe methods, `PUT` and `DELETE` (RFC 9110 section 9.2.2).
  public var isIdempotent: Bool { isSafe || token == "PUT" || token == "DELETE" }

  package var isToken: Bool { !token.isEmpty && token.withBytes { $0.allSatisfy(HTTPHeaders.isTokenByte) } }

  /// True if a request without body and trailers sends `Content-Length: 0` (RFC 9110 section 8.6).
  var sendsZeroContentLength: Bool { token == "POST" || token == "PUT" || token == "PATCH" }

  package var putsParametersInQuery: Bool { token == "GET" || token == "HEAD" || token == "DELETE" }
}
