/// Sends `Basic` credentials (RFC 7617) without waiting for a challenge.
public struct BasicAuthenticator: Authenticator {
  private let credentials: BasicCredentials

  /// Creates an authenticator.
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
  /// An empty mirror, for `dump`.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Authenticator where Self == BasicAuthenticator {
  /// Creates a ``BasicAuthenticator``.
  public static func basic(_ credentials: BasicCredentials) -> BasicAuthenticator {
    BasicAuthenticator(credentials)
  }
}
