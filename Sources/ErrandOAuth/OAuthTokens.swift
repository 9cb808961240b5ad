import Errand
import Foundation

/// The tokens of an ``OAuthAuthenticator``: renews them at the authorization server, and keeps the store in step.
final class OAuthTokens: Sendable {
  private struct State {
    /// A refresh token that the server has refused.
    var refused: String?
    var storeProblem: (any Error)?
    /// Counts sign-ins and sign-outs: tokens that were asked for before one are not saved after it.
    var epoch = 0
    /// The last saving, which the next one waits for.
    var saving: Task<Void, Never>?
    /// How many renewals have the store to themselves: one at most, where the store has a lock.
    var renewals = 0
  }

  private let client: OAuthClient
  private let grant: OAuthAuthenticator.Grant
  private let store: any TokenStore
  /// In seconds.
  private let leeway: Double
  private let state = Locked(State())

  /// How long a sign-in or a sign-out waits for the renewals of other processes, which may have been stopped.
  private static let patience = Duration.seconds(60)

  init(client: OAuthClient, grant: OAuthAuthenticator.Grant, store: any TokenStore, leeway: Duration) {
    (self.client, self.grant, self.store) = (client, grant, store)
    self.leeway = leeway / .seconds(1)
  }

  /// Why the newest tokens could not be saved; `nil` where they were.
  var storeProblem: (any Error)? { state.withLock { $0.storeProblem } }

  // MARK: Renewals

  /// Tokens in place of `current`: those that another process has saved, else new ones, which are saved before this function returns.
  func renewed(_ current: BearerAuthenticator.Credential?, in context: Authentication.Context) async throws
    -> BearerAuthenticator.Credential
  {
    let (epoch, saving) = state.withLock { ($0.epoch, $0.saving) }
    // A sign-out may wait for the store, and this renewal is not to have it before.
    await saving?.value
    // Nobody is waited for where another process has saved good tokens.
    if storeProblem == nil, let saved = try await store.load(), isGood(saved, besides: current, in: context) {
      return saved
    }
    let credential = try await store.exclusively(unless: context.cancellation) {
      try await self.renewedAlone(current, in: context, epoch: epoch)
    }
    if let credential { return credential }
    await state.withLock { $0.saving }?.value
    guard let saved = try await store.load() else { throw Self.notSignedIn }
    return saved
  }

  /// The same, while nobody else renews; `nil` where somebody has signed in or out since it was asked for.
  private func renewedAlone(
    _ current: BearerAuthenticator.Credential?, in context: Authentication.Context, epoch: Int
  ) async throws -> BearerAuthenticator.Credential? {
    let isAsked = state.withLock { state in
      guard state.epoch == epoch else { return false }
      state.renewals += 1
      return true
    }
    guard isAsked else { return nil }
    do {
      let credential = try await saved(besides: current, in: context, epoch: epoch)
      await endRenewal()
      return credential
    } catch {
      await endRenewal()
      throw error
    }
  }

  /// Waits for what is being saved, as a sign-out that comes meanwhile counts on the lock of the renewal.
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

  /// Whether tokens are other ones than `current`, and do not end soon.
  private func isGood(
    _ saved: BearerAuthenticator.Credential, besides current: BearerAuthenticator.Credential?,
    in context: Authentication.Context
  ) -> Bool {
    saved.accessToken != current?.accessToken
      && saved.expires.map { $0.timeIntervalSince(context.date) > leeway } ?? true
  }

  /// Tokens of the store that are other ones than `current` and still good, else new ones.
  private func saved(
    besides current: BearerAuthenticator.Credential?, in context: Authentication.Context, epoch: Int
  ) async throws -> BearerAuthenticator.Credential {
    // Tokens that could not be saved are newer than those of the store.
    let isStored = storeProblem == nil
    let saved = isStored ? try await store.load() : nil
    if let saved, isGood(saved, besides: current, in: context) { return saved }
    // Somebody else has signed out where nothing is left in the store.
    return try await asked(by: (isStored ? saved : current)?.refreshToken, in: context, epoch: epoch)
  }

  /// Asks the token endpoint: by a refresh token that it has not refused yet, else by the client's own right, where the client has one.
  private func asked(
    by refreshToken: String?, in context: Authentication.Context, epoch: Int, isSecond: Bool = false
  ) async throws -> BearerAuthenticator.Credential {
    let isRefused = state.withLock { $0.refused != nil && $0.refused == refreshToken }
    let fields = try fields(isRefused ? nil : refreshToken)
    let date = context.date
    let answer = try await context.send(client.tokenRequest(fields))
    do throws(OAuthError) {
      let credential = try OAuthError.credential(
        of: answer, sentAt: date, keeping: refreshToken, hiding: client.secrets(and: fields))
      await enqueue(credential, epoch: epoch).value
      return credential
    } catch {
      guard error.code == "invalid_grant", let refreshToken, !isRefused else { throw error }
      state.withLock { $0.refused = refreshToken }
      // A program that heeds no lock may have saved others, which are not this one's to drop.
      if let newer = try? await store.load()?.refreshToken, newer != refreshToken {
        guard !isSecond else { throw error }
        return try await asked(by: newer, in: context, epoch: epoch, isSecond: true)
      }
      await enqueue(nil, epoch: epoch).value
      guard grant == .clientCredentials else { throw error }
      return try await asked(by: nil, in: context, epoch: epoch)
    }
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

  /// Puts the tokens of a sign-in, or none, in place of those in the store; renewals that were begun before save nothing after it.
  ///
  /// A renewal of this process that has the store holds nothing up: nobody else renews as long as it runs.
  ///
  /// - Returns: the saving, which goes on whether anybody waits for it or not.
  func replace(by credential: BearerAuthenticator.Credential?) -> Task<Void, Never> {
    state.withLock { state in
      state.epoch += 1
      return enqueue(credential, epoch: state.epoch, isAlone: state.renewals > 0, state: &state)
    }
  }

  private func enqueue(_ credential: BearerAuthenticator.Credential?, epoch: Int) -> Task<Void, Never> {
    state.withLock { enqueue(credential, epoch: epoch, isAlone: true, state: &$0) }
  }

  /// Saves after what is being saved, unless somebody has signed in or out since.
  ///
  /// - Parameter isAlone: whether a renewal of this process has the store, so that no other process changes it.
  private func enqueue(
    _ credential: BearerAuthenticator.Credential?, epoch: Int, isAlone: Bool, state: inout State
  ) -> Task<Void, Never> {
    let before = state.saving
    let saving = Task {
      await before?.value
      guard self.state.withLock({ $0.epoch == epoch }) else { return }
      var problem: (any Error)?
      do {
        if isAlone { try await store.save(credential) } else { try await saveAlone(credential) }
      } catch { problem = error }
      self.state.withLock { $0.storeProblem = problem }
    }
    state.saving = saving
    return saving
  }

  /// Saves when no other process renews, as that would put its tokens in place of these; at last also while one does.
  private func saveAlone(_ credential: BearerAuthenticator.Credential?) async throws {
    let limit = CancellationSignal()
    let timer = Task {
      try await AgentClock.continuous.sleep(Self.patience)
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
