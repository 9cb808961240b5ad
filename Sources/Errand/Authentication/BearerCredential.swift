public import Foundation

extension BearerAuthenticator {
  /// A bearer token (RFC 6750) with what renews it and when it ends.
  ///
  /// Printing hides the tokens.
  public struct Credential: Sendable, Hashable {
    /// What is sent.
    public var accessToken: String
    /// What a refresh sends for another; `nil` where there is none.
    public var refreshToken: String?
    /// When the access token ends, by the agent's clock; `nil` where it is not known.
    public var expires: Date?

    /// Makes a credential.
    public init(accessToken: String, refreshToken: String? = nil, expires: Date? = nil) {
      self.accessToken = accessToken
      self.refreshToken = refreshToken
      self.expires = expires
    }

    /// Makes a credential that lives so long from `date` on: the `expires_in` of OAuth 2.0 (RFC 6749 section 5.1); `nil` where the server
    /// has left it out.
    ///
    /// A lifetime does not depend on the clock of the server. ``Authentication/Context/date`` is the date to give.
    public init(
      accessToken: String, refreshToken: String? = nil, expiresIn lifetime: Duration?, from date: Date
    ) {
      self.init(
        accessToken: accessToken, refreshToken: refreshToken,
        expires: lifetime.map { date.addingTimeInterval($0 / .seconds(1)) })
    }

    /// The value of the `Authorization` header.
    var headerValue: String { "Bearer \(accessToken)" }
  }
}

extension BearerAuthenticator.Credential: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// `Bearer credential (hidden)`.
  public var description: String { "Bearer credential (hidden)" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
