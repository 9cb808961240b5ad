public import Errand
public import Foundation

/// Gets access tokens from an authorization server, renews them, and sends them (RFC 6749, RFC 6750).
///
/// ```swift
/// let authenticator = OAuthAuthenticator(client, grant: .refreshToken, store: FileTokenStore(file: file))
/// configuration.authenticator = authenticator
/// ```
///
/// A token is fetched or renewed before a request is sent where there is none or it is about to expire, and after a request was refused
/// with 401: once for all requests that wait, and once for all processes that share a ``FileTokenStore``. New tokens are saved before they are used. A refresh token that the server refuses is
/// dropped, and the request fails with an ``OAuthError`` as its cause that ``OAuthError/needsSignIn``.
///
/// Tokens are asked for by the agent of the request that needs one: its transport, hooks and limits count, its headers and parameters do not
/// go there, and ``/Errand/AgentConfiguration/destinations`` has to allow the endpoint. One object is the session of one user; printing hides the tokens.
public final class OAuthAuthenticator: Authenticator {
  /// How the first token is got (RFC 6749 section 1.3).
  public enum Grant: Sendable, Hashable {
    /// The client itself is who asks (RFC 6749 section 4.4).
    case clientCredentials
    /// A user has signed in, here or by whom the tokens in the store are from (RFC 6749 section 6).
    case refreshToken
  }

  private let client: OAuthClient
  private let tokens: OAuthTokens
  private let bearer: BearerAuthenticator

  /// Makes an authenticator.
  ///
  /// - Parameters:
  ///   - client: who asks, and where.
  ///   - grant: how a token is got where there is none to renew.
  ///   - store: where tokens are kept; in memory by default. What renews them runs in ``TokenStore/exclusively(unless:_:)``.
  ///   - leeway: how long before its end a token is renewed; 30 seconds by default. A token that was just got is used for half of its life at least.
  ///   - refreshTimeout: how long that may take, on the agent's clock, the wait for a renewal of another process included; 60 seconds by default, `nil` is no limit.
  ///   - refreshWindow: how often tokens are asked for within a time; five times within 30 seconds by default, `nil` is no limit.
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

  /// Why the newest tokens could not be saved; `nil` where they were.
  ///
  /// They are used all the same, and lost with the process.
  public var storeProblem: (any Error)? { tokens.storeProblem }

  /// Ends a sign-in: changes the code for tokens, saves them, and sends them from then on.
  ///
  /// - Parameters:
  ///   - signIn: as ``OAuthClient/makeSignIn(redirectURI:)`` gave it.
  ///   - callback: the URL that the browser came back with.
  ///   - agent: sends the request for the tokens.
  /// - Throws: ``OAuthError``; ``/Errand/RequestError`` where no answer came.
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
    await tokens.replace(by: credential).value
    bearer.credential = credential
  }

  /// Drops the tokens, also from the store; what runs goes on with those that it has.
  ///
  /// Where another process renews them just then, waits until its tokens are saved, 60 seconds at most, so that nothing of them is left.
  public func signOut() async {
    let saving = tokens.replace(by: nil)
    bearer.credential = nil
    await saving.value
  }

  /// Sets `Authorization`; gets a token first where there is none that is good.
  public func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
    try await bearer.authenticate(&request, context: context)
  }

  /// Renews the token that was refused with 401, unless another one is there already.
  public func renew(after failure: RequestError, context: Authentication.Context) async throws -> Bool {
    try await bearer.renew(after: failure, context: context)
  }
}

extension OAuthAuthenticator: PrintedByDescription {
  /// `OAuth authenticator (hidden)`.
  public var description: String { "OAuth authenticator (hidden)" }
  /// Shows `dump` nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
