public import Foundation

extension BearerAuthenticator {
  /// A bearer token (RFC 6750) with its refresh token and expiry.
  public struct Credential: Sendable, Hashable {
    /// The token sent in `Authorization`.
    public var accessToken: String
    /// The token for a refresh, if any.
    public var refreshToken: String?
    /// The expiry on the agent's clock; `nil` if unknown.
    public var expires: Date?
    /// The start of the lifetime; `nil` if unknown.
    package var issued: Date? {
      get { start.date }
      set { start.date = newValue }
    }
    private var start = Start()

    private struct Start: Hashable {
      var date: Date?

      static func == (a: Start, b: Start) -> Bool { true }

      func hash(into hasher: inout Hasher) {}
    }

    /// Creates a credential.
    public init(accessToken: String, refreshToken: String? = nil, expires: Date? = nil) {
      self.accessToken = accessToken
      self.refreshToken = refreshToken
      self.expires = expires
    }

    /// Creates a credential with a lifetime from `date`, usually ``Authentication/Context/date``.
    ///
    /// The lifetime is `expires_in` of OAuth 2.0 (RFC 6749 section 5.1); `nil`: unknown.
    public init(
      accessToken: String, refreshToken: String? = nil, expiresIn lifetime: Duration?, from date: Date
    ) {
      self.init(
        accessToken: accessToken, refreshToken: refreshToken,
        expires: lifetime.map { date.addingTimeInterval($0 / .seconds(1)) })
      if lifetime != nil { issued = date }
    }

    /// Returns true if the token may be sent at `date`.
    ///
    /// `leeway` is in seconds; `start` replaces an unknown ``issued``.
    package func isUsable(at date: Date, leeway: Double, from start: Date?) -> Bool {
      guard let expires else { return true }
      let life = (issued ?? start).map { expires.timeIntervalSince($0) } ?? .infinity
      return expires.timeIntervalSince(date) > min(leeway, life / 2)
    }

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
  /// An empty mirror.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
