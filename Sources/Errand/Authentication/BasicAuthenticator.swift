/// Sends a user name and a password by the `Basic` scheme (RFC 7617), with the first request already.
///
/// An `Authorization` that the request has already is replaced. Printing hides the credentials.
public struct BasicAuthenticator: Authenticator {
  private let credentials: BasicCredentials

  /// Makes an authenticator.
  public init(_ credentials: BasicCredentials) { self.credentials = credentials }

  /// Sets `Authorization`.
  public func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
    request.headers.setBasicCredentials(credentials)
  }
}

extension BasicAuthenticator: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `Basic authenticator (hidden)`.
  public var description: String { "Basic authenticator (hidden)" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Authenticator where Self == BasicAuthenticator {
  /// A ``BasicAuthenticator``.
  public static func basic(_ credentials: BasicCredentials) -> BasicAuthenticator {
    BasicAuthenticator(credentials)
  }
}
