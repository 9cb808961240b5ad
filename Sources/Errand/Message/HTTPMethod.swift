/// A request method (RFC 9110 section 9.1).
///
/// Methods are case-sensitive. The dispatch refuses a method that is not a token (section 5.6.2) with
/// ``RequestError/Kind/invalidRequest``.
public struct HTTPMethod: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The method as it is written on the wire, such as `GET`.
  public let token: String

  /// Creates a method, without a check.
  public init(_ token: String) { self.token = token }

  /// Creates a method from a literal: `let method: HTTPMethod = "PURGE"`.
  public init(stringLiteral value: String) { token = value }

  /// The token.
  public var description: String { token }

  /// Requests the target's representation.
  public static let get: HTTPMethod = "GET"
  /// Requests the head of a `GET` response, without the body.
  public static let head: HTTPMethod = "HEAD"
  /// Lets the target process the body.
  public static let post: HTTPMethod = "POST"
  /// Replaces the target by the body.
  public static let put: HTTPMethod = "PUT"
  /// Changes a part of the target (RFC 5789).
  public static let patch: HTTPMethod = "PATCH"
  /// Removes the target.
  public static let delete: HTTPMethod = "DELETE"
  /// Requests the communication options of the target.
  public static let options: HTTPMethod = "OPTIONS"
  /// Requests an echo of the request as received by the target.
  public static let trace: HTTPMethod = "TRACE"
  /// A safe query with a body (draft-ietf-httpbis-safe-method-w-body).
  public static let query: HTTPMethod = "QUERY"

  /// True if the method is known to request no change on the server (RFC 9110 section 9.2.1).
  ///
  /// The known methods are `GET`, `HEAD`, `OPTIONS`, `TRACE` and `QUERY`.
  public var isSafe: Bool {
    switch token {
    case "GET", "HEAD", "OPTIONS", "TRACE", "QUERY": true
    default: false
    }
  }

  /// True if a repeated request is known to have the effect of a single request (RFC 9110 section 9.2.2).
  ///
  /// The known methods are the safe methods, `PUT` and `DELETE`.
  public var isIdempotent: Bool { isSafe || token == "PUT" || token == "DELETE" }

  package var isToken: Bool { !token.isEmpty && token.withBytes { $0.allSatisfy(HTTPHeaders.isTokenByte) } }

  /// True if a request with the method and without a body has a `Content-Length` of 0 (RFC 9110 section 8.6).
  var sendsZeroContentLength: Bool { token == "POST" || token == "PUT" || token == "PATCH" }

  /// True if a request with an automatic body sends ``Request/parameters`` in the query.
  package var putsParametersInQuery: Bool { token == "GET" || token == "HEAD" || token == "DELETE" }
}
