extension CredentialStore {
  /// Waits for the refresh that runs, or begins one; `nil` when something changed meanwhile: look again.
  func renewed(_ generation: Int, _ context: AuthenticationContext) async throws -> Credential? {
    typealias Found = (flight: RefreshFlight<Credential>?, isFirst: Bool, current: Credential?)
    let (flight, isFirst, current) = state.withLock { state -> Found in
      guard state.generation == generation else { return (nil, false, nil) }
      if let flight = state.flight { return (flight, false, nil) }
      let flight = RefreshFlight<Credential>()
      state.flight = flight
      return (flight, true, state.credential)
    }
    guard let flight else { return nil }
    if isFirst { begin(flight, of: current, context) }
    switch try await context.cancellation.cancelling({ try await flight.end.wait() }) {
    case .renewed(let credential): return credential
    case .failed(let error): throw failed(error)
    case .superseded: return nil
    }
  }

  /// Runs the refresh, in tasks that belong to no one who waits.
  ///
  /// - Parameter current: what was there when it was decided on; one that was set since is not spent.
  private func begin(
    _ flight: RefreshFlight<Credential>, of current: Credential?, _ context: AuthenticationContext
  ) {
    guard let refresh else { return }
    var shared = context
    shared.cancellation = flight.signal
    let refreshes = RefreshScope.refreshes.filter(\.isRunning) + [flight]
    let work = Task { [shared] in
      try await RefreshScope.$refreshes.withValue(refreshes) { try await refresh(current, shared) }
    }
    Task {
      let limit = watch(flight, work, context.agent.configuration.clock)
      let result = await work.result
      limit?.cancel()
      finish(flight, result)
    }
  }

  /// Ends a refresh that takes too long, also one that does not heed it.
  private func watch(
    _ flight: RefreshFlight<Credential>, _ work: Task<Credential, any Error>, _ clock: AgentClock
  ) -> AgentClock.PendingCall? {
    guard let timeout else { return nil }
    return clock.call(clock.now() + timeout) { [self] in
      finish(flight, .failure(Refusal("it took longer than \(timeout.secondsText)", kind: .authentication)))
      work.cancel()
      flight.signal.cancel()
    }
  }

  /// Keeps what the refresh gave and wakes who waits; the first call counts.
  private func finish(_ flight: RefreshFlight<Credential>, _ result: Result<Credential, any Error>) {
    // What was there before is released after the lock: a credential may use the store as it goes.
    let (end, _) = state.withLock { state -> (RefreshFlight<Credential>.End, State) in
      let before = state
      guard state.flight === flight else { return (.superseded, before) }
      state.flight = nil
      state.generation += 1
      switch result {
      case .success(let credential):
        (state.credential, state.failure) = (credential, nil)
        return (.renewed(credential), before)
      case .failure(let error):
        state.failure = error
        return (.failed(error), before)
      }
    }
    flight.end.set(end)
  }

  func failed(_ cause: any Error) -> AuthenticationFailure {
    AuthenticationFailure(subject: "the credentials could not be renewed: ", cause: cause)
  }

  /// Fails instead of waiting for itself.
  func checkReentrance() throws {
    let refreshes = RefreshScope.refreshes
    guard !refreshes.isEmpty, let flight = state.withLock({ $0.flight }),
      refreshes.contains(where: { $0 === flight })
    else { return }
    throw Refusal(
      "the request that renews the credentials would wait for them; it needs authentication .none",
      kind: .authentication)
  }
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
