import Foundation

/// Sends a bearer token (RFC 6750), and renews the token once for all waiting requests.
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
/// If the refresh fails, the waiting requests fail too. Set the authentication of the refresh request to
/// ``Authentication/none``, because the request cannot wait for its own result.
public final class BearerAuthenticator: Authenticator {
  private let store: CredentialStore<BearerAuthenticator.Credential>
  private let refuses: @Sendable (RequestError) -> Bool
  private let identity: String?

  /// Creates an authenticator with a refresh.
  ///
  /// - Parameters:
  ///   - credential: The first credential; `nil`: the refresh fetches the credential.
  ///   - leeway: The time before the expiry in which a token already counts as expired; 30 seconds by
  ///     default, at most half of a known lifetime.
  ///   - refreshTimeout: The longest time of a refresh; 60 seconds by default, `nil`: no limit.
  ///   - refreshWindow: The limit on refreshes; five within 30 seconds by default, `nil`: no limit.
  ///   - identity: The owner of the tokens, for coalescing and the cache. `nil`, the default: requests with
  ///     different tokens are separate.
  ///   - isRefusal: Returns true if the server refused the token; status 401 by default.
  ///   - refresh: Fetches or renews the credential.
  public init(
    _ credential: BearerAuthenticator.Credential?, leeway: Duration = .seconds(30),
    refreshTimeout: Duration? = .seconds(60), refreshWindow: BearerAuthenticator.RefreshWindow? = .standard,
    identity: String? = nil, isRefusal: @escaping @Sendable (RequestError) -> Bool = { $0.status == 401 },
    refresh: @escaping CredentialStore<BearerAuthenticator.Credential>.Refresh
  ) {
    let leeway = leeway.clamped(to: AgentClock.longestSleep) / .seconds(1)
    store = CredentialStore(
      credential,
      isUsable: { $0.isUsable(at: $1, leeway: leeway, from: $2) }, timeout: refreshTimeout,
      window: refreshWindow, refresh: refresh)
    refuses = isRefusal
    self.identity = identity
  }

  /// Creates an authenticator without a refresh.
  public init(token: String) {
    store = CredentialStore(BearerAuthenticator.Credential(accessToken: token), refresh: nil)
    refuses = { $0.status == 401 }
    identity = nil
  }

  /// The current credential, if any; set `nil` to sign out.
  public var credential: BearerAuthenticator.Credential? {
    get { store.credential }
    set { store.credential = newValue }
  }

  /// Sets `Authorization`, after a refresh if necessary.
  ///
  /// If `isExplanation` is true, only a present token is set, without a refresh.
  public func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
    if context.isExplanation, store.credential == nil { return }
    request.headers["Authorization"] = try await store.credential(for: context).headerValue
    if let identity { context.identify(as: identity) }
  }

  /// Returns true for status 401.
  ///
  /// For other statuses outside of 200..<300, the `isRefusal` of the initializer decides.
  public func isRefusal(_ head: HTTPResponse, context: Authentication.Context) async -> Bool {
    guard !head.status.isSuccess, head.status != 401 else { return head.status == 401 }
    return refuses(RequestError(.status, "status \(head.status)", stage: .validate, response: head))
  }

  /// Renews a refused token, if there is a refresh; returns true if another attempt may help.
  ///
  /// A token that has changed since the refused request is not renewed again.
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
  /// An empty mirror.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
