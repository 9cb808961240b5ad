public import Foundation

/// Gets access tokens from an authorization server, renews them, and sends them (RFC 6749, RFC 6750).
///
/// ```swift
/// let authenticator = OAuthAuthenticator(client, grant: .refreshToken, store: FileTokenStore(file: file))
/// configuration.authenticator = authenticator
/// ```
///
/// A token is fetched or renewed before a request is sent where there is none or it is about to expire, and after a request was refused
/// with 401: once for all requests that wait. New tokens are saved before they are used. A refresh token that the server refuses is
/// dropped, and the request fails with an ``OAuthError`` as its cause that ``OAuthError/needsSignIn``.
///
/// Tokens are asked for by the agent of the request that needs one: its transport, hooks and limits count, its headers and parameters do not
/// go there, and ``AgentConfiguration/destinations`` has to allow the endpoint. One object is the session of one user; printing hides the tokens.
public final class OAuthAuthenticator: Authenticator {
  /// How the first token is got (RFC 6749 section 1.3).
  public enum Grant: Sendable, Hashable {
    /// The client itself is who asks (RFC 6749 section 4.4).
    case clientCredentials
    /// A user has signed in, here or by whom the tokens in the store are from (RFC 6749 section 6).
    case refreshToken
  }

  private struct State {
    /// A refresh token that the server has refused.
    var refused: String?
    var storeProblem: (any Error)?
    /// Counts sign-ins and sign-outs: what was begun before one is not saved after it.
    var epoch = 0
    /// The last saving, which the next one waits for.
    var saving: Task<Void, Never>?
  }

  private let client: OAuthClient
  private let store: any TokenStore
  private let bearer: BearerAuthenticator
  private let state: Locked<State>

  /// Makes an authenticator.
  ///
  /// - Parameters:
  ///   - client: who asks, and where.
  ///   - grant: how a token is got where there is none to renew.
  ///   - store: where tokens are kept; in memory by default.
  ///   - leeway: how long before it expires a token is renewed; 30 seconds by default.
  ///   - refreshTimeout: how long that may take, on the agent's clock; 60 seconds by default, `nil` is no limit.
  ///   - refreshWindow: how often tokens are asked for within a time; five times within 30 seconds by default, `nil` is no limit.
  public init(
    _ client: OAuthClient, grant: Grant, store: any TokenStore = MemoryTokenStore(),
    leeway: Duration = .seconds(30), refreshTimeout: Duration? = .seconds(60),
    refreshWindow: RefreshWindow? = .standard
  ) {
    (self.client, self.store) = (client, store)
    let state = Locked(State())
    self.state = state
    let seconds = leeway.clamped(to: AgentClock.longestSleep) / .seconds(1)
    bearer = BearerAuthenticator(
      nil, leeway: leeway, refreshTimeout: refreshTimeout, refreshWindow: refreshWindow
    ) { current, context in
      let (epoch, isUnsaved) = state.withLock { ($0.epoch, $0.storeProblem != nil) }
      // What could not be saved is newer.
      let saved = isUnsaved ? nil : try await store.load()
      // Another process, or the launch before.
      if let saved, saved.accessToken != current?.accessToken,
        saved.expires.map({ $0.timeIntervalSince(context.date) > seconds }) ?? true
      {
        return saved
      }
      let refreshToken = (saved ?? current)?.refreshToken
      return try await Self.tokens(client, grant, refreshToken, context, store, state, epoch)
    }
  }

  /// Why the newest tokens could not be saved; `nil` where they were.
  ///
  /// They are used all the same, and lost with the process.
  public var storeProblem: (any Error)? { state.withLock { $0.storeProblem } }

  private static func tokens(
    _ client: OAuthClient, _ grant: Grant, _ refreshToken: String?, _ context: AuthenticationContext,
    _ store: any TokenStore, _ state: Locked<State>, _ epoch: Int, isSecond: Bool = false
  ) async throws -> BearerCredential {
    var fields: [(String, any ParameterValue)]
    let isRefused = state.withLock { $0.refused != nil && $0.refused == refreshToken }
    if let refreshToken, !isRefused {
      fields = [("grant_type", "refresh_token"), ("refresh_token", Secret(refreshToken))]
    } else if grant == .clientCredentials {
      fields = [("grant_type", "client_credentials")]
    } else {
      throw OAuthError(code: "not_signed_in", description: "there is no refresh token")
    }
    if !client.scopes.isEmpty, refreshToken == nil || isRefused {
      fields.append(("scope", client.scopes.joined(separator: " ")))
    }
    let date = context.date
    let answer = try await context.send(client.tokenRequest(fields))
    do throws(OAuthError) {
      let credential = try OAuthError.credential(
        of: answer, sentAt: date, keeping: refreshToken, hiding: client.secrets(and: fields))
      await save(credential, store, state, epoch)
      return credential
    } catch {
      guard error.code == "invalid_grant", let refreshToken, !isRefused else { throw error }
      state.withLock { $0.refused = refreshToken }
      // Another process may have been first, and its tokens are not this one's to drop.
      if !isSecond, let newer = try? await store.load()?.refreshToken, newer != refreshToken {
        return try await tokens(client, grant, newer, context, store, state, epoch, isSecond: true)
      }
      await save(nil, store, state, epoch)
      guard grant == .clientCredentials else { throw error }
      return try await tokens(client, grant, nil, context, store, state, epoch)
    }
  }

  /// Saves after what is being saved, unless somebody has signed in or out since.
  private static func save(
    _ credential: BearerCredential?, _ store: any TokenStore, _ state: Locked<State>, _ epoch: Int
  ) async {
    let saving = state.withLock { current -> Task<Void, Never> in
      let before = current.saving
      let saving = Task {
        await before?.value
        guard state.withLock({ $0.epoch == epoch }) else { return }
        var problem: (any Error)?
        do { try await store.save(credential) } catch { problem = error }
        state.withLock { $0.storeProblem = problem }
      }
      current.saving = saving
      return saving
    }
    await saving.value
  }

  private func nextEpoch() -> Int {
    state.withLock { state in
      state.epoch += 1
      return state.epoch
    }
  }

  /// Ends a sign-in: changes the code for tokens, saves them, and sends them from then on.
  ///
  /// - Parameters:
  ///   - signIn: as ``OAuthClient/makeSignIn(redirectURI:)`` gave it.
  ///   - callback: the URL that the browser came back with.
  ///   - agent: sends the request for the tokens.
  /// - Throws: ``OAuthError``; ``RequestError`` where no answer came.
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
    let epoch = nextEpoch()
    await Self.save(credential, store, state, epoch)
    bearer.credential = credential
  }

  /// Drops the tokens, also from the store; what runs goes on with those that it has.
  public func signOut() async {
    let epoch = nextEpoch()
    bearer.credential = nil
    await Self.save(nil, store, state, epoch)
  }

  /// Sets `Authorization`; gets a token first where there is none that is good.
  public func authenticate(_ request: inout HTTPRequest, context: AuthenticationContext) async throws {
    try await bearer.authenticate(&request, context: context)
  }

  /// Renews the token that was refused with 401, unless another one is there already.
  public func renew(after failure: RequestError, context: AuthenticationContext) async throws -> Bool {
    try await bearer.renew(after: failure, context: context)
  }
}

extension OAuthAuthenticator: PrintedByDescription {
  /// `OAuth authenticator (hidden)`.
  public var description: String { "OAuth authenticator (hidden)" }
  /// Shows `dump` nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
