public import Foundation

/// Stores a credential, and renews the credential once for all waiting requests.
///
/// If a refresh fails, the waiting requests fail too.
public final class CredentialStore<Credential: Sendable>: Sendable {
  /// Fetches or renews the credential; `current` is `nil` if the store is empty.
  public typealias Refresh =
    @Sendable (_ current: Credential?, _ context: Authentication.Context) async throws -> Credential

  private struct State {
    var credential: Credential?
    /// The time at which the credential's refresh started; `nil` if the credential does not come from a
    /// refresh.
    var renewed: Date?
    var failure: (any Error)?
    var flight: RefreshFlight<Credential>?
    /// The number of changes of `credential` or `failure`.
    var generation = 0
    var begun: [Date] = []

    /// Sets a credential; returns the previous state, for release outside the lock.
    mutating func set(_ other: Credential?) -> State {
      let before = self
      (credential, renewed, failure, flight, begun) = (other, nil, nil, nil, [])
      generation += 1
      return before
    }
  }

  private let state: Locked<State>
  /// The dates are the current time and `renewed`.
  private let isUsable: @Sendable (Credential, Date, Date?) -> Bool
  private let timeout: Duration?
  private let window: BearerAuthenticator.RefreshWindow?
  private let refresh: Refresh?

  /// Creates a store.
  ///
  /// - Parameters:
  ///   - credential: The first credential; `nil`: the refresh fetches the credential.
  ///   - isUsable: Returns true if a credential may be sent at the given time of the agent's clock.
  ///   - timeout: The longest time of a refresh; 60 seconds by default, `nil`: no limit.
  ///   - window: The limit on refreshes; five within 30 seconds by default, `nil`: no limit.
  ///   - refresh: Fetches or renews the credential; `nil` for a fixed credential.
  public convenience init(
    _ credential: Credential?, isUsable: @escaping @Sendable (Credential, Date) -> Bool = { _, _ in true },
    timeout: Duration? = .seconds(60), window: BearerAuthenticator.RefreshWindow? = .standard,
    refresh: Refresh?
  ) {
    self.init(
      credential, isUsable: { credential, date, _ in isUsable(credential, date) }, timeout: timeout,
      window: window, refresh: refresh)
  }

  init(
    _ credential: Credential?, isUsable: @escaping @Sendable (Credential, Date, Date?) -> Bool,
    timeout: Duration?, window: BearerAuthenticator.RefreshWindow?, refresh: Refresh?
  ) {
    state = Locked(State(credential: credential))
    self.isUsable = isUsable
    self.timeout = timeout
    self.window = window
    self.refresh = refresh
  }

  /// The current credential; a new value drops the result of a running refresh.
  public var credential: Credential? {
    get { state.withLock { $0.credential } }
    set {
      // Releases the old state after the lock, because the deinitializer of a credential may use the store.
      let before = state.withLock { $0.set(newValue) }
      before.flight?.end.set(.superseded)
    }
  }

  /// Returns the current credential, after a refresh if necessary.
  ///
  /// - Throws: an error if the refresh fails or cannot start; `CancellationError` after a cancellation.
  public func credential(for context: Authentication.Context) async throws -> Credential {
    try checkReentrance()
    while true {
      let (current, renewedAt, isRefused, generation) = state.withLock { state in
        (
          state.credential, state.renewed, state.failure != nil || state.flight != nil, state.generation
        )
      }
      if let current, refresh == nil || context.isExplanation { return current }
      if let current, !isRefused, isUsable(current, context.date, renewedAt) { return current }
      guard refresh != nil, !context.isExplanation else {
        throw Refusal(
          "there is no credential, and no refresh that fetches a credential", kind: .authentication)
      }
      if let renewed = try await renewed(after: generation, in: context) { return renewed }
    }
  }

  /// Renews a refused credential; returns true if another attempt may help.
  ///
  /// - Throws: the errors of ``credential(for:)``.
  public func renew(
    ifRefused isRefused: (Credential) -> Bool, context: Authentication.Context
  ) async throws -> Bool {
    try checkReentrance()
    while true {
      let (current, failure, generation) = state.withLock { ($0.credential, $0.failure, $0.generation) }
      guard let current else { return refresh != nil }
      guard isRefused(current) else { return true }
      guard refresh != nil else { return false }
      if let failure { throw failed(failure) }
      if try await renewed(after: generation, in: context) != nil { return true }
    }
  }

  /// Starts or joins a refresh.
  ///
  /// Returns `nil` if the store has changed; the caller must then check the credential again.
  private func renewed(after generation: Int, in context: Authentication.Context) async throws -> Credential?
  {
    typealias Found = (flight: RefreshFlight<Credential>?, isFirst: Bool, current: Credential?)
    let date = context.date
    let (flight, isFirst, current) = try state.withLock { state -> Found in
      guard state.generation == generation else { return (nil, false, nil) }
      if let flight = state.flight { return (flight, false, nil) }
      if let window, !window.admits(date, begun: &state.begun) {
        throw tooMany(window, because: state.failure)
      }
      let flight = RefreshFlight<Credential>()
      state.flight = flight
      return (flight, true, state.credential)
    }
    guard let flight else { return nil }
    if isFirst { begin(flight, of: current, at: date, in: context) }
    switch try await context.cancellation.cancelling({ try await flight.end.wait() }) {
    case .renewed(let credential): return credential
    case .failed(let error): throw failed(error)
    case .superseded: return nil
    }
  }

  /// Refreshes in a separate task, because a cancelled request must not cancel the refresh.
  private func begin(
    _ flight: RefreshFlight<Credential>, of current: Credential?, at date: Date,
    in context: Authentication.Context
  ) {
    guard let refresh else { return }
    var shared = context
    shared.cancellation = flight.signal
    let refreshes = RefreshScope.refreshes.filter(\.isRunning) + [flight]
    let work = Task { [shared] in
      // Other dispatches may wait for the refresh, so the deadline of this dispatch must not end the refresh.
      try await AmbientDeadline.$current.withValue(nil) {
        try await RefreshScope.$refreshes.withValue(refreshes) { try await refresh(current, shared) }
      }
    }
    Task {
      let limit = watch(flight, work: work, clock: context.sender.clock)
      let result = await work.result
      limit?.cancel()
      finish(flight, with: result.map { ($0, date) })
    }
  }

  private func watch(
    _ flight: RefreshFlight<Credential>, work: Task<Credential, any Error>, clock: AgentClock
  ) -> AgentClock.PendingCall? {
    guard let timeout else { return nil }
    return clock.call(clock.now() + timeout) { [self] in
      finish(
        flight,
        with: .failure(Refusal("the renewal took longer than \(timeout.secondsText)", kind: .authentication)))
      work.cancel()
      flight.signal.cancel()
    }
  }

  /// Ends a refresh.
  ///
  /// No effect after the timeout, or after the app has set a credential.
  private func finish(
    _ flight: RefreshFlight<Credential>, with result: Result<(Credential, Date), any Error>
  ) {
    // Releases the old state after the lock; see ``credential``.
    let (end, _) = state.withLock { state -> (RefreshFlight<Credential>.End, State) in
      let before = state
      guard state.flight === flight else { return (.superseded, before) }
      state.flight = nil
      state.generation += 1
      switch result {
      case .success((let credential, let date)):
        (state.credential, state.renewed, state.failure) = (credential, date, nil)
        return (.renewed(credential), before)
      case .failure(let error):
        state.failure = error
        return (.failed(error), before)
      }
    }
    flight.end.set(end)
  }

  private func failed(_ cause: any Error) -> AuthenticationFailure {
    AuthenticationFailure(subject: "the credentials could not be renewed: ", cause: cause)
  }

  private func tooMany(_ window: BearerAuthenticator.RefreshWindow, because cause: (any Error)?)
    -> AuthenticationFailure
  {
    guard let cause else {
      let times = "the credentials were renewed \(window.text)"
      return AuthenticationFailure(
        subject: "",
        cause: Refusal("\(times), but the new credentials are refused or expired", kind: .authentication))
    }
    return AuthenticationFailure(
      subject: "the renewal of the credentials failed \(window.text), most recently: ", cause: cause)
  }

  private func checkReentrance() throws {
    let refreshes = RefreshScope.refreshes
    guard !refreshes.isEmpty, let flight = state.withLock({ $0.flight }),
      refreshes.contains(where: { $0 === flight })
    else { return }
    throw Refusal(
      "the request that renews the credentials would wait for its own result: set its authentication to .none",
      kind: .authentication)
  }
}

extension CredentialStore: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `credential store`.
  public var description: String { "credential store" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// An empty mirror.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

final class RefreshFlight<Credential: Sendable>: RunningRefresh {
  enum End: Sendable {
    case renewed(Credential)
    case failed(any Error)
    case superseded
  }

  let end = OneTime<End>()
  let signal = CancellationSignal()

  var isRunning: Bool { end.value == nil }
}
