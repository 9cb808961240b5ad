import Foundation

/// Sends a bearer token (RFC 6750) and renews it once for all requests that wait.
///
/// ```swift
/// let authenticator = BearerAuthenticator(saved) { current, context in
///   guard let refreshToken = current?.refreshToken else { throw SignedOut() }
///   let answer = try await context.send(RenewToken(refreshToken: refreshToken))
///   return BearerAuthenticator.Credential(
///     accessToken: answer.accessToken, refreshToken: answer.refreshToken ?? refreshToken,
///     expiresIn: .seconds(answer.expiresIn), from: context.date)
/// }
/// ```
///
/// The token is renewed before a request is sent when it is about to expire, and after a request was refused with it.
/// The request that renews it must be exempt by ``Authentication/none``; one that is not fails, and says so. A refresh
/// that fails is the cause of the failure of every request that waited for it. An `Authorization` that the request
/// has already is replaced.
///
/// One object is the session of one user. Printing hides the tokens.
public final class BearerAuthenticator: Authenticator {
  private let store: CredentialStore<BearerAuthenticator.Credential>
  /// Whether a failure says that the token is not accepted.
  private let refuses: @Sendable (RequestError) -> Bool
  private let identity: String?

  /// Makes an authenticator with a refresh.
  ///
  /// - Parameters:
  ///   - credential: the first one; `nil` where the refresh is to fetch it before the first request.
  ///   - leeway: how long before its end a token is renewed; 30 seconds by default. It covers the way to the server and
  ///     clocks that differ. A token that a refresh gave is used for half of its life at least.
  ///   - refreshTimeout: how long a refresh may take, on the agent's clock; 60 seconds by default, `nil` is no limit.
  ///   - refreshWindow: how many refreshes begin within a time; five within 30 seconds by default, `nil` is no limit.
  ///   - identity: whose tokens these are, such as the number of an account: what is cached is found again with the next token, and transfers are shared. `nil`, the
  ///     default, keeps the answers to each token apart.
  ///   - isRefusal: whether a failure says that the token is not accepted; status 401 by default. It is asked about the failures of attempts, and before
  ///     validators judge about responses with another status than 200..<300, by their heads.
  ///   - refresh: fetches or renews the credential, by ``Authentication/Context/send(_:)``; here it may be stored too. It
  ///     runs in a task of its own, off the main actor.
  public init(
    _ credential: BearerAuthenticator.Credential?, leeway: Duration = .seconds(30),
    refreshTimeout: Duration? = .seconds(60), refreshWindow: BearerAuthenticator.RefreshWindow? = .standard,
    identity: String? = nil, isRefusal: @escaping @Sendable (RequestError) -> Bool = { $0.status == 401 },
    refresh: @escaping CredentialStore<BearerAuthenticator.Credential>.Refresh
  ) {
    let leeway = leeway.clamped(to: AgentClock.longestSleep) / .seconds(1)
    store = CredentialStore(
      credential,
      isUsable: { credential, date, renewed in
        guard let end = credential.expires else { return true }
        let life = renewed.map { end.timeIntervalSince($0) } ?? .infinity
        return end.timeIntervalSince(date) > min(leeway, life / 2)
      }, timeout: refreshTimeout, window: refreshWindow, refresh: refresh)
    refuses = isRefusal
    self.identity = identity
  }

  /// Makes an authenticator of a token that is sent as it is until another one is set.
  public init(token: String) {
    store = CredentialStore(BearerAuthenticator.Credential(accessToken: token), refresh: nil)
    refuses = { $0.status == 401 }
    identity = nil
  }

  /// The current credential; set it after a sign-in, and to `nil` after a sign-out.
  ///
  /// What a running refresh gives is dropped then, and who waits for it goes on with the new one.
  public var credential: BearerAuthenticator.Credential? {
    get { store.credential }
    set { store.credential = newValue }
  }

  /// Sets `Authorization`; renews the token first where it is about to expire.
  public func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
    if context.isExplanation, store.credential == nil { return }
    request.headers["Authorization"] = try await store.credential(for: context).headerValue
    if let identity { context.identify(as: identity) }
  }

  /// Whether the status is 401, or the head alone is a refusal by the closure that was given.
  public func isRefusal(_ head: HTTPResponse, context: Authentication.Context) async -> Bool {
    guard !head.status.isSuccess, head.status != 401 else { return head.status == 401 }
    return refuses(RequestError(.status, "status \(head.status)", stage: .validate, response: head))
  }

  /// Renews the token that was refused, unless another one is there already.
  public func renew(after failure: RequestError, context: Authentication.Context) async throws -> Bool {
    guard refuses(failure) else { return false }
    let refused = failure.request?.headers["Authorization"]
    return try await store.renew(ifRefused: { $0.headerValue == refused }, context: context)
  }
}

extension BearerAuthenticator: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `Bearer authenticator (hidden)`.
  public var description: String { "Bearer authenticator (hidden)" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
