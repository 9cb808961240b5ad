import Errand
import Foundation

final class OAuthTokens: Sendable {
  private struct State {
    var refused: String?
    var storeProblem: (any Error)?
    /// The number of sign-ins and sign-outs.
    ///
    /// A save of an earlier epoch does not start.
    var epoch = 0
    var saving: Task<Void, Never>?
    /// The number of unfinished renewals inside ``TokenStore/exclusively(unless:_:)``.
    var renewals = 0
  }

  private let client: OAuthClient
  private let grant: OAuthAuthenticator.Grant
  private let store: any TokenStore
  /// The time before the expiry at which a renewal is due, in seconds.
  private let leeway: Double
  private let state = Locked(State())

  /// The maximum wait of a save for the store's lock.
  ///
  /// A suspended process may keep the lock.
  private static let lockTimeout = Duration.seconds(60)

  init(client: OAuthClient, grant: OAuthAuthenticator.Grant, store: any TokenStore, leeway: Duration) {
    (self.client, self.grant, self.store) = (client, grant, store)
    self.leeway = leeway / .seconds(1)
  }

  var storeProblem: (any Error)? { state.withLock { $0.storeProblem } }

  // MARK: Renewals

  func renewed(_ current: BearerAuthenticator.Credential?, in context: Authentication.Context) async throws
    -> BearerAuthenticator.Credential
  {
    let (epoch, saving) = state.withLock { ($0.epoch, $0.saving) }
    // An earlier sign-out must remove the tokens before the renewal reads the store.
    await saving?.value
    if storeProblem == nil, let saved = try await store.load(), isUsable(saved, besides: current, in: context)
    {
      return saved
    }
    let credential = try await store.exclusively(unless: context.cancellation) {
      try await self.renewedWithLock(current, in: context, epoch: epoch)
    }
    if let credential { return credential }
    await state.withLock { $0.saving }?.value
    guard let saved = try await store.load() else { throw Self.notSignedIn }
    return saved
  }

  /// Returns stored or new tokens; `nil` if a sign-in or sign-out has changed the epoch.
  private func renewedWithLock(
    _ current: BearerAuthenticator.Credential?, in context: Authentication.Context, epoch: Int
  ) async throws -> BearerAuthenticator.Credential? {
    let mayRenew = state.withLock { state in
      guard state.epoch == epoch else { return false }
      state.renewals += 1
      return true
    }
    guard mayRenew else { return nil }
    do {
      let credential = try await saved(besides: current, in: context, epoch: epoch)
      await endRenewal()
      return credential
    } catch {
      await endRenewal()
      throw error
    }
  }

  /// Waits for all saves, and then ends the renewal.
  ///
  /// A save during a renewal relies on the store's lock, which the renewal holds.
  private func endRenewal() async {
    var last: Task<Void, Never>?
    while let saving = lastSaving(after: last) {
      await saving.value
      last = saving
    }
  }

  private func lastSaving(after last: Task<Void, Never>?) -> Task<Void, Never>? {
    state.withLock { state in
      if let saving = state.saving, saving != last { return saving }
      state.renewals -= 1
      return nil
    }
  }

  private func isUsable(
    _ saved: BearerAuthenticator.Credential, besides current: BearerAuthenticator.Credential?,
    in context: Authentication.Context
  ) -> Bool {
    saved.accessToken != current?.accessToken
      && saved.isUsable(at: context.date, leeway: leeway, from: nil)
  }

  private func saved(
    besides current: BearerAuthenticator.Credential?, in context: Authentication.Context, epoch: Int
  ) async throws -> BearerAuthenticator.Credential {
    // After a failed save or removal, the tokens in the store may be out of date.
    let isStored = storeProblem == nil
    let saved = isStored ? try await store.load() : nil
    if let saved, isUsable(saved, besides: current, in: context) { return saved }
    // If the store is up to date, `current` is not used, because a different process may have signed out.
    return try await requestTokens(
      with: (isStored ? saved : current)?.refreshToken, in: context, epoch: epoch)
  }

  /// Requests new tokens.
  ///
  /// After `invalid_grant`, may try a different refresh token or client credentials.
  private func requestTokens(
    with refreshToken: String?, in context: Authentication.Context, epoch: Int, isSecond: Bool = false
  ) async throws -> BearerAuthenticator.Credential {
    let isRefused = state.withLock { $0.refused != nil && $0.refused == refreshToken }
    let fields = try fields(isRefused ? nil : refreshToken)
    let date = context.date
    let answer = try await context.send(client.tokenRequest(fields))
    do throws(OAuthError) {
      let credential = try OAuthError.credential(
        of: answer, sentAt: date, keeping: isRefused ? nil : refreshToken, hiding: client.secrets(and: fields)
      )
      await enqueue(credential, epoch: epoch).value
      return credential
    } catch {
      guard error.code == "invalid_grant", let refreshToken, !isRefused else { throw error }
      state.withLock { $0.refused = refreshToken }
      // A process without the lock may have saved newer tokens, which must not be removed.
      switch await stored() {
      case .success(let newer?) where newer.refreshToken != nil && newer.refreshToken != refreshToken:
        guard !isSecond else { throw error }
        return try await requestTokens(with: newer.refreshToken, in: context, epoch: epoch, isSecond: true)
      case .success: await enqueue(nil, epoch: epoch).value
      case .failure: break
      }
      guard grant == .clientCredentials else { throw error }
      return try await requestTokens(with: nil, in: context, epoch: epoch)
    }
  }

  private func stored() async -> Result<BearerAuthenticator.Credential?, any Error> {
    do { return .success(try await store.load()) } catch { return .failure(error) }
  }

  private func fields(_ refreshToken: String?) throws -> [(String, any ParameterValue)] {
    if let refreshToken {
      return [("grant_type", "refresh_token"), ("refresh_token", Secret(refreshToken))]
    }
    guard grant == .clientCredentials else { throw Self.notSignedIn }
    var fields: [(String, any ParameterValue)] = [("grant_type", "client_credentials")]
    if !client.scopes.isEmpty { fields.append(("scope", client.scopes.joined(separator: " "))) }
    return fields
  }

  private static let notSignedIn = OAuthError(
    code: "not_signed_in", description: "there is no refresh token")

  // MARK: The store

  /// Replaces the tokens in the store, then in `bearer`.
  ///
  /// If another call follows before the end of the save, `bearer` does not get these tokens.
  ///
  /// `nil` removes the tokens from `bearer` at once.
  func replace(
    by credential: BearerAuthenticator.Credential?, in bearer: BearerAuthenticator
  ) -> Task<Void, Never> {
    state.withLock { state in
      state.epoch += 1
      let epoch = state.epoch
      let saving = enqueue(credential, epoch: epoch, holdsLock: state.renewals > 0, state: &state)
      guard let credential else {
        bearer.credential = nil
        return saving
      }
      return Task {
        await saving.value
        // Under the lock of `state`, so that a sign-out does not come between the check and the change.
        self.state.withLock { if $0.epoch == epoch { bearer.credential = credential } }
      }
    }
  }

  private func enqueue(_ credential: BearerAuthenticator.Credential?, epoch: Int) -> Task<Void, Never> {
    state.withLock { enqueue(credential, epoch: epoch, holdsLock: true, state: &$0) }
  }

  /// Saves tokens after the previous save.
  ///
  /// A later sign-in or sign-out prevents a save that has not started.
  ///
  /// `holdsLock` is true if a renewal in this process has the store's lock.
  private func enqueue(
    _ credential: BearerAuthenticator.Credential?, epoch: Int, holdsLock: Bool, state: inout State
  ) -> Task<Void, Never> {
    let before = state.saving
    let saving = Task {
      await before?.value
      guard self.state.withLock({ $0.epoch == epoch }) else { return }
      var problem: (any Error)?
      do {
        if holdsLock { try await store.save(credential) } else { try await saveWithLock(credential) }
      } catch { problem = error }
      self.state.withLock { $0.storeProblem = problem }
    }
    state.saving = saving
    return saving
  }

  /// Saves under the store's lock, if any.
  ///
  /// After ``lockTimeout``, saves without the lock.
  private func saveWithLock(_ credential: BearerAuthenticator.Credential?) async throws {
    let limit = CancellationSignal()
    let timer = Task {
      try await AgentClock.continuous.sleep(Self.lockTimeout)
      limit.cancel()
    }
    defer { timer.cancel() }
    do {
      try await store.exclusively(unless: limit) { try await store.save(credential) }
    } catch is CancellationError {
      try await store.save(credential)
    }
  }
}
