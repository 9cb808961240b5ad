public import Foundation

/// Keeps a credential and renews it once for all who wait: what an ``Authenticator`` with a refresh is made of.
///
/// A refresh runs in a task of its own. Who waits for it leaves when its dispatch is cancelled or out of time, and the
/// others go on; when the last one has left, the refresh still runs to its end, as the server may have replaced the
/// credential already. No more begin than the ``BearerAuthenticator/RefreshWindow`` allows. When it fails, everyone who waits fails with that cause, and so does everyone whose request the
/// server refuses later, if it was sent before. The next request begins another refresh, before it is sent. Nothing is
/// sent with a credential that is being renewed.
///
/// ``BearerAuthenticator`` is made of one. May be used from any task and thread.
public final class CredentialStore<Credential: Sendable>: Sendable {
  /// Fetches or renews the credential; the current one is `nil` at first, and after ``credential`` was set so.
  public typealias Refresh =
    @Sendable (_ current: Credential?, _ context: Authentication.Context) async throws -> Credential

  private struct State {
    var credential: Credential?
    /// When the refresh began that gave the credential; `nil` for one that was set.
    var renewed: Date?
    /// Why the last refresh of this credential failed: it is not sent any more.
    var failure: (any Error)?
    /// The refresh that runs.
    var flight: RefreshFlight<Credential>?
    /// Counts what changes the credential or its failure.
    var generation = 0
    /// When the refreshes began that count for the window.
    var begun: [Date] = []

    /// Takes another credential, and gives what was there before; the result of a refresh that runs is dropped.
    mutating func set(_ other: Credential?) -> State {
      let before = self
      (credential, renewed, failure, flight, begun) = (other, nil, nil, nil, [])
      generation += 1
      return before
    }
  }

  private let state: Locked<State>
  /// Judges a credential at a time; the last date is when the refresh began that gave the credential, `nil` for one that was set.
  private let isUsable: @Sendable (Credential, Date, Date?) -> Bool
  private let timeout: Duration?
  private let window: BearerAuthenticator.RefreshWindow?
  private let refresh: Refresh?

  /// Makes a store.
  ///
  /// - Parameters:
  ///   - credential: the first one; `nil` where the refresh is to fetch it.
  ///   - isUsable: whether a credential may be sent at a time, by the agent's clock; one that is not is renewed first.
  ///   - timeout: how long a refresh may take, on the agent's clock; 60 seconds by default, `nil` is no limit.
  ///   - window: how many refreshes begin within a time; five within 30 seconds by default, `nil` is no limit.
  ///   - refresh: fetches or renews the credential; `nil` where it cannot be renewed, and is sent as it is.
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

  /// The current credential; setting it replaces it at once, and what a running refresh gives is dropped.
  public var credential: Credential? {
    get { state.withLock { $0.credential } }
    set {
      // Released after the lock: a credential may use the store as it goes.
      let before = state.withLock { $0.set(newValue) }
      before.flight?.end.set(.superseded)
    }
  }

  /// The credential to send: the current one while it is usable, else what a refresh gives.
  ///
  /// Throws what the refresh threw, and `CancellationError` when ``Authentication/Context/cancellation`` fires first. A
  /// request that is only explained gets the current one, whatever its state.
  public func credential(for context: Authentication.Context) async throws -> Credential {
    try checkReentrance()
    while true {
      // While it is renewed, the old one is not sent any more.
      let (current, renewedAt, isRefused, generation) = state.withLock { state in
        (
          state.credential, state.renewed, state.failure != nil || state.flight != nil, state.generation
        )
      }
      if let current, refresh == nil || context.isExplanation { return current }
      if let current, !isRefused, isUsable(current, context.date, renewedAt) { return current }
      guard refresh != nil, !context.isExplanation else {
        throw Refusal("there is no credential, and nothing that fetches one", kind: .authentication)
      }
      if let renewed = try await renewed(after: generation, in: context) { return renewed }
    }
  }

  /// Renews the credential that a server refused; whether there is another one now.
  ///
  /// One that was replaced since the request was sent is not renewed. Throws as ``credential(for:)`` does.
  ///
  /// - Parameters:
  ///   - isRefused: whether a credential is the one that was refused.
  ///   - context: as the authenticator got it.
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

  /// Waits for the refresh that runs, or begins one; `nil` when something changed meanwhile: look again.
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

  /// Runs the refresh, in tasks that belong to no one who waits.
  ///
  /// - Parameters:
  ///   - current: what was there when it was decided on; one that was set since is not spent.
  ///   - date: when the refresh begins, by the agent's clock.
  private func begin(
    _ flight: RefreshFlight<Credential>, of current: Credential?, at date: Date,
    in context: Authentication.Context
  ) {
    guard let refresh else { return }
    var shared = context
    shared.cancellation = flight.signal
    let refreshes = RefreshScope.refreshes.filter(\.isRunning) + [flight]
    let work = Task { [shared] in
      try await RefreshScope.$refreshes.withValue(refreshes) { try await refresh(current, shared) }
    }
    Task {
      let limit = watch(flight, work: work, clock: context.sender.clock)
      let result = await work.result
      limit?.cancel()
      finish(flight, with: result.map { ($0, date) })
    }
  }

  /// Ends a refresh that takes too long, also one that does not heed it.
  private func watch(
    _ flight: RefreshFlight<Credential>, work: Task<Credential, any Error>, clock: AgentClock
  ) -> AgentClock.PendingCall? {
    guard let timeout else { return nil }
    return clock.call(clock.now() + timeout) { [self] in
      finish(
        flight, with: .failure(Refusal("it took longer than \(timeout.secondsText)", kind: .authentication)))
      work.cancel()
      flight.signal.cancel()
    }
  }

  /// Keeps what the refresh gave and wakes who waits; the first call counts.
  ///
  /// - Parameter result: the credential, and when the refresh began.
  private func finish(
    _ flight: RefreshFlight<Credential>, with result: Result<(Credential, Date), any Error>
  ) {
    // What was there before is released after the lock: a credential may use the store as it goes.
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
        cause: Refusal("\(times), and are refused or have ended already", kind: .authentication))
    }
    return AuthenticationFailure(
      subject: "the credentials could not be renewed \(window.text), the last time: ", cause: cause)
  }

  /// Fails instead of waiting for itself.
  private func checkReentrance() throws {
    let refreshes = RefreshScope.refreshes
    guard !refreshes.isEmpty, let flight = state.withLock({ $0.flight }),
      refreshes.contains(where: { $0 === flight })
    else { return }
    throw Refusal(
      "the request that renews the credentials would wait for them; it needs authentication .none",
      kind: .authentication)
  }
}

extension CredentialStore: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `credential store`; never the credential.
  public var description: String { "credential store" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// One refresh, and those who wait for it.
final class RefreshFlight<Credential: Sendable>: RunningRefresh {
  enum End: Sendable {
    case renewed(Credential)
    case failed(any Error)
    /// Another credential was set meanwhile.
    case superseded
  }

  let end = OneTime<End>()
  /// What the refresh heeds.
  let signal = CancellationSignal()

  var isRunning: Bool { end.value == nil }
}
