import Foundation

/// What stands between the hooks of an attempt and the wire, where a retry policy, a breaker or a rate limit asks for it.
///
/// It gives an attempt an ``Admission``, and is told, once, how the attempt ended.
struct OriginGuard: Sendable {
  let states: OriginStates

  /// Whether an attempt has to ask here; the way of most requests ends with this.
  ///
  /// - Parameter policy: the request's own.
  @inline(__always)
  func isNeeded(for request: some Request) -> Bool { states.guardsAll || counts(request) }

  /// Whether the retry budget counts the dispatch.
  @inline(__always)
  private func counts(_ request: some Request) -> Bool {
    guard states.countsRetries else { return false }
    let own = request.retryPolicy
    return own.isInherited ? states.agentRetries : !own.isOff
  }

  /// Fails at once where the circuit is open, counts the request, and waits for its turn.
  ///
  /// - Parameter willWait: called where it has to wait.
  func admit(
    _ admission: Admission, of request: some Request, isFirst: Bool, within time: TimeLimits,
    clock: inout AttemptClock, willWait: () -> Void = {}
  ) async throws {
    try checkCircuit(admission)
    if isFirst, counts(request) { states.countRequest(to: admission.key) }
    if states.rules.limit != nil {
      try await waitForRate(of: admission, within: time, clock: &clock, willWait: willWait)
    }
  }

  /// Fails where the circuit is open, unless it has let the attempt through.
  func checkCircuit(_ admission: Admission) throws(CircuitBreaker.Open) {
    if admission.ticket == nil { try states.checkCircuit(of: admission.key) }
  }

  /// Asks the circuit once more, after whatever was waited for since; from here on the attempt is settled.
  ///
  /// Credentials come first: a refresh sent to the same origin may be what tries whether a server is well again.
  func enterCircuit(_ admission: Admission) throws(CircuitBreaker.Open) {
    guard admission.ticket == nil, states.rules.breaker != nil else { return }
    admission.ticket = try states.enterCircuit(of: admission.key)
  }

  /// Whether the server has said, since the attempt took its turn, that it wants nothing for now: then the turn has gone back.
  ///
  /// ``waitAgain(_:within:clock:willWait:)`` takes another. A probe of the circuit stays one: the hop of a redirect waits here too.
  func isHeldUp(_ admission: Admission) -> Bool {
    guard let turn = admission.turn, states.quietTime(of: admission.key) > .zero else { return false }
    states.returnTurn(of: admission.key, takenAt: turn)
    admission.turn = nil
    return true
  }

  /// Waits for another turn.
  func waitAgain(
    _ admission: Admission, within time: TimeLimits, clock: inout AttemptClock, willWait: () -> Void = {}
  ) async throws {
    try await waitForRate(of: admission, within: time, clock: &clock, willWait: willWait)
  }

  /// How an attempt ended, as far as its origin is concerned.
  struct End {
    /// Whether anything was handed to the wire.
    let wasSent: Bool
    /// Whether another dispatch began the transfer that ended it: that one counts it.
    let isShared: Bool
    let isCancelled: Bool
    let response: HTTPResponse?
    let failure: RequestError?
  }

  /// Tells circuit and bucket, once, how the attempt ended, as soon as it has; a turn that sent nothing goes back.
  @inline(never)
  func settle(_ admission: Admission, with end: End) {
    guard states.guardsAll, let settled = admission.settle() else { return }
    let endsWithOwn = end.wasSent && !end.isShared && !settled.leftOrigin
    if let turn = settled.turn, !endsWithOwn, !settled.hasOwnAnswer {
      states.returnTurn(of: admission.key, takenAt: turn)
    }
    if let ticket = settled.ticket {
      let health = endsWithOwn ? health(end) : settled.hasOwnAnswer ? true : nil
      states.settleCircuit(of: admission.key, ticket, succeeded: health)
    }
    guard states.rules.limit != nil, !settled.leftOrigin, let response = end.response else { return }
    if let wait = response.quietTime(now: states.clock.date) { states.close(admission.key, for: wait) }
  }

  /// Takes a retry from the origin's budget; gives why there is none, as a clause.
  func withdrawRetry(_ admission: Admission) -> String? {
    guard let used = states.withdrawRetry(to: admission.key) else {
      admission.hasBudgetedRetry = true
      return nil
    }
    return "it was not tried again, as the retry budget of \(admission.key.origin.shownText) is spent: "
      + "\(used.retries) retries to \(used.requests) requests within \(states.rules.budget.window.secondsText)"
  }

  /// Gives back what was taken for a retry that is not made.
  func refundRetry(_ admission: Admission) {
    guard admission.hasBudgetedRetry else { return }
    admission.hasBudgetedRetry = false
    states.refundRetry(to: admission.key)
  }

  /// Whether the server is well; `nil` when the attempt does not tell.
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

  /// Waits until it is the attempt's turn by the rate limit.
  private func waitForRate(
    of admission: Admission, within time: TimeLimits, clock: inout AttemptClock, willWait: () -> Void
  ) async throws {
    var hasTurn = true
    if RefreshScope.isRefreshing {
      // Those in line may wait for these credentials.
      try await waitForServer(of: admission.key, within: time, clock: &clock, willWait: willWait)
      states.borrowTurn(of: admission.key)
    } else if let place = states.enterLine(of: admission.key) {
      willWait()
      hasTurn = await throttled(within: time, clock: &clock) { signal in
        await states.waitInLine(of: admission.key, at: place, unless: signal)
      }
    }
    admission.turn = hasTurn ? time.now : nil
    try time.check(clock.watch)
  }

  /// Waits, in no line, until the server wants to be asked.
  private func waitForServer(
    of key: OriginKey, within time: TimeLimits, clock: inout AttemptClock, willWait: () -> Void
  ) async throws {
    let sleep = time.clock.sleep
    while case let quiet = states.quietTime(of: key), quiet > .zero {
      willWait()
      await throttled(within: time, clock: &clock) { signal in
        try? await signal.cancelling { try await sleep(quiet) }
      }
      try time.check(clock.watch)
    }
  }

  /// Counts a wait as what it is, and toward the deadline alone.
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

/// What an attempt owes the state of its origin; made only where there is such a state.
final class Admission: Sendable {
  private struct State {
    var turn: Duration?
    var ticket: Int?
    var hasBudgetedRetry = false
    var hasOwnAnswer = false
    var leftOrigin = false
    var isSettled = false
  }

  /// What is owed at the end.
  struct Debt {
    let turn: Duration?
    let ticket: Int?
    /// Whether a transfer of its own was answered, by a redirect, at the origin it began with.
    let hasOwnAnswer: Bool
    let leftOrigin: Bool
  }

  /// Where the attempt began; redirects do not change it.
  let key: OriginKey
  private let state = Locked(State())

  init(_ key: OriginKey) { self.key = key }

  /// When it took its turn of the rate limit, on the agent's clock; `nil` without one.
  fileprivate(set) var turn: Duration? {
    get { state.withLock { $0.turn } }
    set { state.withLock { $0.turn = newValue } }
  }

  /// What the circuit let it through with; `nil` before, and without a breaker.
  fileprivate(set) var ticket: Int? {
    get { state.withLock { $0.ticket } }
    set { state.withLock { $0.ticket = newValue } }
  }

  /// Whether the retry that is to follow was taken from the budget.
  fileprivate var hasBudgetedRetry: Bool {
    get { state.withLock { $0.hasBudgetedRetry } }
    set { state.withLock { $0.hasBudgetedRetry = newValue } }
  }

  /// Notes that the attempt follows a redirect.
  ///
  /// - Parameter isShared: whether another dispatch began the transfer that it answered.
  func follow(from sent: URL, to next: URL, isShared: Bool) {
    let (answered, leaves) = (!isShared && Origin(sent) == key.origin, Origin(next) != key.origin)
    state.withLock { state in
      state.hasOwnAnswer = state.hasOwnAnswer || answered
      state.leftOrigin = state.leftOrigin || leaves
    }
  }

  /// What is owed, the first time that is asked.
  fileprivate func settle() -> Debt? {
    state.withLock { state in
      guard !state.isSettled else { return nil }
      state.isSettled = true
      return Debt(
        turn: state.turn, ticket: state.ticket, hasOwnAnswer: state.hasOwnAnswer,
        leftOrigin: state.leftOrigin)
    }
  }
}
