public import Errand
public import Foundation

/// Gets, renews and sends access tokens of an authorization server (RFC 6749, RFC 6750).
///
/// ```swift
/// let authenticator = OAuthAuthenticator(client, grant: .refreshToken, store: FileTokenStore(file: file))
/// configuration.authenticator = authenticator
/// ```
///
/// If no token is known, or the known token expires soon, a request first fetches a token from the store or
/// the server. After a 401, the request usually gets a new token. Concurrent requests share a renewal.
///
/// New tokens are saved before use, if possible. If the server refuses a refresh token, the user may have to
/// sign in again; see ``OAuthError/needsSignIn``.
///
/// The agent of the waiting request sends the renewal, so ``/Errand/AgentConfiguration/destinations`` must
/// allow the token endpoint. Create an authenticator for each user.
public final class OAuthAuthenticator: Authenticator {
  /// The way of getting access tokens (RFC 6749 section 1.3).
  public enum Grant: Sendable, Hashable {
    /// The client acts for itself (RFC 6749 section 4.4).
    case clientCredentials
    /// A user signs in. Refresh tokens then renew the access tokens (RFC 6749 section 6).
    case refreshToken
  }

  private let client: OAuthClient
  private let tokens: OAuthTokens
  private let bearer: BearerAuthenticator

  /// Creates an authenticator.
  ///
  /// - `leeway`: the time before the expiry at which a renewal is due; at most half of a known lifetime.
  /// - `refreshTimeout`: the maximum time of a renewal; `nil`: no limit.
  /// - `refreshWindow`: the maximum number of renewals in a period; five in 30 seconds by default, `nil`: no
  ///   limit.
  public init(
    _ client: OAuthClient, grant: Grant, store: any TokenStore = MemoryTokenStore(),
    leeway: Duration = .seconds(30), refreshTimeout: Duration? = .seconds(60),
    refreshWindow: BearerAuthenticator.RefreshWindow? = .standard
  ) {
    let tokens = OAuthTokens(client: client, grant: grant, store: store, leeway: leeway)
    (self.client, self.tokens) = (client, tokens)
    bearer = BearerAuthenticator(
      nil, leeway: leeway, refreshTimeout: refreshTimeout, refreshWindow: refreshWindow
    ) { try await tokens.renewed($0, in: $1) }
  }

  /// The error of the last finished save or removal of tokens; `nil` without an error.
  ///
  /// Unsaved tokens are lost at the end of the process.
  public var storeProblem: (any Error)? { tokens.storeProblem }

  /// Exchanges the code of a sign-in for tokens; `callback` is the URL with which the browser returned.
  ///
  /// - Throws: ``OAuthError``, ``/Errand/RequestError`` or `CancellationError`.
  public func signIn(_ signIn: OAuthSignIn, callback: URL, by agent: RequestAgent) async throws {
    let code = try signIn.code(from: callback)
    let date = agent.configuration.clock.date
    let fields: [(String, any ParameterValue)] = [
      ("grant_type", "authorization_code"), ("code", code),
      ("redirect_uri", signIn.redirectURI.absoluteString),
      ("code_verifier", signIn.verifier),
    ]
    let answer = try await agent.send(client.tokenRequest(fields))
    let credential = try OAuthError.credential(
      of: answer, sentAt: date, keeping: nil, hiding: client.secrets(and: fields))
    await tokens.replace(by: credential, in: bearer).value
  }

  /// Drops the tokens, and removes the tokens from the store if possible.
  ///
  /// May wait a minute or longer for a renewal by a different process.
  public func signOut() async {
    await tokens.replace(by: nil, in: bearer).value
  }

  /// Usually sets `Authorization`; may fetch a token first.
  public func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
    try await bearer.authenticate(&request, context: context)
  }

  /// Renews a token that a server refused with 401, unless a newer token is known.
  public func renew(after failure: RequestError, context: Authentication.Context) async throws -> Bool {
    try await bearer.renew(after: failure, context: context)
  }
}

extension OAuthAuthenticator: PrintedByDescription {
  /// A text without tokens.
  public var description: String { "OAuth authenticator (hidden)" }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
