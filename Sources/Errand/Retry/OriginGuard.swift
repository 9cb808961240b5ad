import Foundation

/// Applies the retry budget, the circuit breaker and the rate limit of an origin to attempts.
struct OriginGuard: Sendable {
  let states: OriginStates

  @inline(__always)
  func isNeeded(for request: some Request) -> Bool { states.admitsEveryAttempt || counts(request) }

  @inline(__always)
  private func counts(_ request: some Request) -> Bool {
    guard states.countsRetries else { return false }
    let own = request.retryPolicy
    return own.isInherited ? states.agentRetries : !own.isOff
  }

  /// Checks the circuit, and counts a first attempt for the retry budget.
  ///
  /// Returns true if a rate limit applies. The caller must then call
  /// ``waitForRate(of:within:clock:willWait:)``.
  @inline(never)
  func admit(
    _ admission: Admission, of request: some Request, isFirst: Bool
  ) throws(CircuitBreaker.Open) -> Bool {
    try checkCircuit(admission)
    if isFirst { count(admission, of: request) }
    return states.rules.limit != nil
  }

  func count(_ admission: Admission, of request: some Request) {
    if counts(request) { states.countRequest(to: admission.key) }
  }

  func checkCircuit(_ admission: Admission) throws(CircuitBreaker.Open) {
    if admission.ticket == nil { try states.checkCircuit(of: admission.key) }
  }

  /// Admits the attempt to the circuit.
  ///
  /// Call after signing, because the request for credentials may need the only trial attempt.
  func enterCircuit(_ admission: Admission) throws(CircuitBreaker.Open) {
    guard admission.ticket == nil, states.rules.breaker != nil else { return }
    admission.ticket = try states.enterCircuit(of: admission.key)
  }

  /// Gives the token back to the rate limit, if the server has asked for a pause.
  ///
  /// If the result is true, the caller must call ``waitForRate(of:within:clock:willWait:)`` again.
  func returnTokenIfPaused(_ admission: Admission) -> Bool {
    guard let tokenTime = admission.tokenTime, states.serverPause(of: admission.key) > .zero else {
      return false
    }
    states.returnToken(of: admission.key, takenAt: tokenTime)
    admission.tokenTime = nil
    return true
  }

  struct End {
    let wasSent: Bool
    /// True if another dispatch's transfer, the cache alone, or a mock handled the last request.
    let isShared: Bool
    /// True if a stored response replaced the failure.
    ///
    /// The circuit does not count such a failure.
    var isReplaced = false
    let isCancelled: Bool
    let response: HTTPResponse?
    let failure: RequestError?
  }

  /// Updates the rate limit and the circuit when a transfer or an attempt ends.
  ///
  /// A second call for the same admission has no effect.
  @inline(never)
  func settle(_ admission: Admission, with end: End) {
    guard states.admitsEveryAttempt, let settled = admission.settle() else { return }
    let endsWithOwn = end.wasSent && !end.isShared && !settled.leftOrigin
    if let tokenTime = settled.tokenTime, !endsWithOwn, !settled.hasOwnAnswer {
      states.returnToken(of: admission.key, takenAt: tokenTime)
    }
    if let ticket = settled.ticket {
      let health = endsWithOwn && !end.isReplaced ? health(end) : settled.hasOwnAnswer ? true : nil
      states.settleCircuit(of: admission.key, ticket, succeeded: health)
    }
    guard states.rules.limit != nil, !end.isShared, !settled.leftOrigin, let response = end.response else {
      return
    }
    if let wait = response.serverPause(now: states.clock.date) { states.close(admission.key, for: wait) }
  }

  /// Takes a retry from the budget; returns `nil`, or the refusal of the budget as a clause.
  func withdrawRetry(_ admission: Admission) -> String? {
    guard let used = states.withdrawRetry(to: admission.key) else {
      admission.hasBudgetedRetry = true
      return nil
    }
    return
      "the request was not retried, because the retry budget of \(admission.key.shownText) is spent: "
      + "\(used.retries) retries for \(used.requests) requests within \(states.rules.budget.window.secondsText)"
  }

  func refundRetry(_ admission: Admission) {
    guard admission.hasBudgetedRetry else { return }
    admission.hasBudgetedRetry = false
    states.refundRetry(to: admission.key)
  }

  /// Returns `false` if the server failed, and `nil` if the attempt says nothing about the server.
  private func health(_ end: End) -> Bool? {
    if end.isCancelled { return nil }
    if let failure = end.failure, failure.stage == .transport,
      failure.isConnectionFailure || failure.isTimeout
    {
      return false
    }
    guard let status = end.response?.status else { return nil }
    return states.rules.breaker?.statuses.contains(status.code) != true
  }

  /// Waits for a token of the rate limit.
  ///
  /// Throws if the queue of the origin is full, or if a cancellation or a time limit ends the wait.
  @inline(never)
  func waitForRate(
    of admission: Admission, within time: TimeLimits, clock: inout AttemptClock, willWait: () -> Void = {}
  ) async throws {
    var hasToken = true
    if RefreshScope.isRefreshing {
      // The queued attempts may need the credentials, so the refresh does not wait in the queue.
      try await waitForServer(of: admission.key, within: time, clock: &clock, willWait: willWait)
      states.takeTokenWithoutWaiting(of: admission.key)
    } else if let place = try states.enterQueue(of: admission.key) {
      willWait()
      hasToken = await throttled(within: time, clock: &clock) { signal in
        await states.waitInQueue(of: admission.key, at: place, unless: signal)
      }
    }
    admission.tokenTime = hasToken ? time.now : nil
    try time.check(clock.watch)
  }

  private func waitForServer(
    of key: OriginKey, within time: TimeLimits, clock: inout AttemptClock, willWait: () -> Void
  ) async throws {
    let sleep = time.clock.sleep
    while case let pause = states.serverPause(of: key), pause > .zero {
      willWait()
      await throttled(within: time, clock: &clock) { signal in
        try? await signal.cancelling { try await sleep(pause) }
      }
      try time.check(clock.watch)
    }
  }

  private func throttled<Result>(
    within time: TimeLimits, clock: inout AttemptClock, wait: (CancellationSignal) async -> Result
  ) async -> Result {
    let start = time.pause(&clock)
    defer {
      clock.throttleWait += time.now - start
      time.resume(&clock)
    }
    return await wait(time.signal(clock.watch))
  }
}

final class Admission: Sendable {
  private struct State {
    var tokenTime: Duration?
    var ticket: Int?
    var hasBudgetedRetry = false
    var hasOwnAnswer = false
    var leftOrigin = false
    var isSettled = false
  }

  struct Debt {
    let tokenTime: Duration?
    let ticket: Int?
    /// True if the first origin answered the attempt's own transfer with a redirect.
    let hasOwnAnswer: Bool
    let leftOrigin: Bool
  }

  /// The key of the first origin; redirects do not change the key.
  let key: OriginKey
  private let state = Locked(State())

  init(_ key: OriginKey) { self.key = key }

  /// The time at which the attempt took a token, on the agent's clock; `nil` without a token.
  fileprivate(set) var tokenTime: Duration? {
    get { state.withLock { $0.tokenTime } }
    set { state.withLock { $0.tokenTime = newValue } }
  }

  /// `nil` before ``OriginGuard/enterCircuit(_:)``, and without a circuit breaker.
  fileprivate(set) var ticket: Int? {
    get { state.withLock { $0.ticket } }
    set { state.withLock { $0.ticket = newValue } }
  }

  fileprivate var hasBudgetedRetry: Bool {
    get { state.withLock { $0.hasBudgetedRetry } }
    set { state.withLock { $0.hasBudgetedRetry = newValue } }
  }

  /// Records a followed redirect.
  ///
  /// `isShared` is true if the redirect came from another dispatch's transfer, a mock, or the cache alone.
  func follow(from sent: URL, to next: URL, isShared: Bool) {
    let (answered, leaves) = (!isShared && Origin(sent) == key.origin, Origin(next) != key.origin)
    state.withLock { state in
      state.hasOwnAnswer = state.hasOwnAnswer || answered
      state.leftOrigin = state.leftOrigin || leaves
    }
  }

  fileprivate func settle() -> Debt? {
    state.withLock { state in
      guard !state.isSettled else { return nil }
      state.isSettled = true
      return Debt(
        tokenTime: state.tokenTime, ticket: state.ticket, hasOwnAnswer: state.hasOwnAnswer,
        leftOrigin: state.leftOrigin)
    }
  }
}
