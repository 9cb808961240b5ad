/// A request method: any token of RFC 9110 section 9.1, with the common ones by name.
///
/// Methods are case-sensitive. A method that is not a token (section 5.6.2) is refused when the request is
/// dispatched, before anything is sent, with ``RequestError/Kind/invalidRequest``.
public struct HTTPMethod: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The method as it is written on the wire, such as `GET`.
  public let token: String

  /// Makes a method of any token.
  public init(_ token: String) { self.token = token }

  /// Makes a method of a literal: `let method: HTTPMethod = "PURGE"`.
  public init(stringLiteral value: String) { token = value }

  /// The token.
  public var description: String { token }

  /// Asks for the target's representation.
  public static let get: HTTPMethod = "GET"
  /// `GET` without the body of the answer.
  public static let head: HTTPMethod = "HEAD"
  /// Lets the target process the body.
  public static let post: HTTPMethod = "POST"
  /// Replaces the target by the body.
  public static let put: HTTPMethod = "PUT"
  /// Changes a part of the target (RFC 5789).
  public static let patch: HTTPMethod = "PATCH"
  /// Removes the target.
  public static let delete: HTTPMethod = "DELETE"
  /// Asks what the target can do.
  public static let options: HTTPMethod = "OPTIONS"
  /// Asks for the request as the target received it.
  public static let trace: HTTPMethod = "TRACE"
  /// A safe query with a body (draft-ietf-httpbis-safe-method-w-body).
  public static let query: HTTPMethod = "QUERY"

  /// Whether the method asks for no change on the server (RFC 9110 section 9.2.1).
  public var isSafe: Bool {
    switch token {
    case "GET", "HEAD", "OPTIONS", "TRACE", "QUERY": true
    default: false
    }
  }

  /// Whether sending it twice has the effect of sending it once (RFC 9110 section 9.2.2).
  public var isIdempotent: Bool { isSafe || token == "PUT" || token == "DELETE" }

  /// Whether it may be sent (RFC 9110 section 5.6.2).
  var isToken: Bool { !token.isEmpty && token.withBytes { $0.allSatisfy(HTTPHeaders.isTokenByte) } }

  /// Whether a request of it that has no body says so, with a length of 0 (RFC 9110 section 8.6).
  var meansBody: Bool { token == "POST" || token == "PUT" || token == "PATCH" }

  /// Whether ``Request/parameters`` go into the query: `GET`, `HEAD` and `DELETE`.
  var putsParametersInQuery: Bool { token == "GET" || token == "HEAD" || token == "DELETE" }
}
