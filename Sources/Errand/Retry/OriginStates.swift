/// The retry budgets, circuits and rate limits of an agent's origins.
///
/// At the limit, a new origin removes the least recently used origins without waiting attempts.
final class OriginStates: Sendable {
  static let limit = 1000

  let rules: OriginRules
  let clock: AgentClock
  let admitsEveryAttempt: Bool
  let countsRetries: Bool
  let agentRetries: Bool

  private struct Table {
    var states: [OriginKey: OriginState] = [:]
    var busy = 0
  }

  private let table = Locked(Table())

  init(_ rules: OriginRules, clock: AgentClock, agentRetries: Bool) {
    (self.rules, self.clock, self.agentRetries) = (rules, clock, agentRetries)
    admitsEveryAttempt = rules.breaker != nil || rules.limit != nil
    countsRetries = !rules.budget.isOff
  }

  var count: Int { table.withLock { $0.states.count } }

  var waitingCount: Int { table.withLock { $0.states.values.reduce(0) { $0 + $1.waiters.count } } }

  func countRequest(to origin: OriginKey) {
    guard countsRetries else { return }
    let now = clock.now()
    change(origin, at: now) { $0.budget.countRequest(at: now) }
  }

  func withdrawRetry(to origin: OriginKey) -> (requests: Int, retries: Int)? {
    guard countsRetries else { return nil }
    let now = clock.now()
    return change(origin, at: now) { $0.budget.withdraw(at: now) }
  }

  func refundRetry(to origin: OriginKey) {
    guard countsRetries else { return }
    let now = clock.now()
    change(origin, at: now) { $0.budget.refund(at: now) }
  }

  func checkCircuit(of origin: OriginKey) throws(CircuitBreaker.Open) {
    guard rules.breaker != nil else { return }
    let now = clock.now()
    if let refusal = change(origin, at: now, with: { $0.circuit?.refusal(at: now, origin: origin.origin) }) {
      throw refusal
    }
  }

  func enterCircuit(of origin: OriginKey) throws(CircuitBreaker.Open) -> Int? {
    guard rules.breaker != nil else { return nil }
    let now = clock.now()
    let (refusal, ticket) = change(origin, at: now) { state in
      let refusal = state.circuit?.refusal(at: now, origin: origin.origin)
      return (refusal, refusal == nil ? state.circuit?.admit(at: now) : nil)
    }
    if let refusal { throw refusal }
    return ticket
  }

  func settleCircuit(of origin: OriginKey, _ ticket: Int, succeeded: Bool?) {
    let now = clock.now()
    change(origin, at: now) { $0.circuit?.settle(ticket, succeeded: succeeded, at: now) }
  }

  @discardableResult
  private func change<Result: Sendable>(
    _ origin: OriginKey, at now: Duration, with body: (inout OriginState) -> Result
  ) -> Result {
    table.withLock { table in
      if table.states.count - table.busy >= Self.limit, table.states[origin] == nil {
        Self.forgetSome(&table)
      }
      return Self.change(
        &table.states[origin, default: OriginState(rules)], at: now, busy: &table.busy, with: body)
    }
  }

  private static func change<Result>(
    _ state: inout OriginState, at now: Duration, busy: inout Int, with body: (inout OriginState) -> Result
  ) -> Result {
    if state.hasWaiters { busy -= 1 }
    defer { if state.hasWaiters { busy += 1 } }
    state.lastUse = now
    return body(&state)
  }

  private static func forgetSome(_ table: inout Table) {
    let idle = table.states.filter { !$0.value.hasWaiters }
    for (origin, _) in idle.sorted(by: { $0.value.lastUse < $1.value.lastUse }).prefix(limit / 4) {
      table.states[origin] = nil
    }
  }

  // MARK: Waiting for tokens

  /// Waits for a token; returns `false` if `signal` fires first.
  ///
  /// - Parameter place: the number from ``enterQueue(of:)``.
  func waitInQueue(of origin: OriginKey, at place: UInt64, unless signal: CancellationSignal) async -> Bool {
    var ending: CancellationSignal.HandlerID?
    let hasToken = await withCheckedContinuation { continuation in
      if change(origin, at: clock.now(), with: { $0.waiters.put(continuation, for: place) }) {
        // If the signal has fired, the handler runs during the call.
        ending = signal.onCancel { [self] in leave(origin, id: place) }
      } else {
        continuation.resume(returning: true)
      }
    }
    if let ending { signal.removeHandler(ending) }
    return hasToken
  }

  func serverPause(of origin: OriginKey) -> Duration {
    guard rules.limit != nil else { return .zero }
    let now = clock.now()
    return change(origin, at: now) { $0.bucket?.serverPause(at: now) ?? .zero }
  }

  func takeTokenWithoutWaiting(of origin: OriginKey) {
    let now = clock.now()
    change(origin, at: now) { $0.bucket?.take(at: now) }
  }

  func returnToken(of origin: OriginKey, takenAt time: Duration) {
    let now = clock.now()
    let releaseTask = change(origin, at: now) { state in
      state.bucket?.giveBack(takenAt: time, at: now)
      guard let releaseTask = state.releaseTask else { return Task<Void, Never>?.none }
      // The next token may now be available earlier.
      state.releaseTask = Task { [self] in await self.releaseTokens(of: origin) }
      return releaseTask
    }
    releaseTask?.cancel()
  }

  func close(_ origin: OriginKey, for wait: Duration) {
    let now = clock.now()
    change(origin, at: now) { $0.bucket?.close(for: wait, at: now) }
  }

  /// Takes an available token and returns `nil`, or adds a waiter and returns the waiter's number.
  func enterQueue(of origin: OriginKey) -> UInt64? {
    let now = clock.now()
    return change(origin, at: now) { state in
      if state.waiters.isEmpty, state.bucket?.wait(at: now) == .zero {
        state.bucket?.take(at: now)
        return nil
      }
      if state.releaseTask == nil { state.releaseTask = Task { [self] in await releaseTokens(of: origin) } }
      return state.waiters.enter()
    }
  }

  private func leave(_ origin: OriginKey, id: UInt64) {
    let (waiter, releaseTask) = change(origin, at: clock.now()) { state in
      let waiter = state.waiters.leave(id)
      guard state.waiters.isEmpty else { return (waiter, Task<Void, Never>?.none) }
      defer { state.releaseTask = nil }
      return (waiter, state.releaseTask)
    }
    releaseTask?.cancel()
    waiter?.resume(returning: false)
  }

  private func releaseTokens(of origin: OriginKey) async {
    while !Task.isCancelled, let wait = resumeWaiters(of: origin) { try? await clock.sleep(wait) }
  }

  /// Returns the time until the next token, or `nil` if no waiters are left.
  private func resumeWaiters(of origin: OriginKey) -> Duration? {
    let now = clock.now()
    let (due, wait) = change(origin, at: now) { state in
      var due: [WaiterQueue.Continuation] = []
      while !state.waiters.isEmpty, let bucket = state.bucket, bucket.wait(at: now) == .zero {
        state.bucket?.take(at: now)
        if let waiter = state.waiters.popFirstWaiter() { due.append(waiter) }
      }
      guard state.waiters.isEmpty else { return (due, state.bucket?.wait(at: now)) }
      state.releaseTask = nil
      return (due, nil)
    }
    for waiter in due { waiter.resume(returning: true) }
    return wait
  }
}

struct OriginKey: Sendable, Hashable {
  let origin: Origin
  /// The number of the `withTransport` call around the dispatch; 0 without a call.
  ///
  /// Parallel tests do not share a budget.
  var overrideNumber: UInt64 = 0
}

struct OriginRules: Sendable {
  let budget: RetryBudget
  let breaker: CircuitBreaker?
  let limit: RateLimit?
}

private struct OriginState {
  var budget: BudgetWindow
  var circuit: CircuitState?
  var bucket: RateBucket?
  var waiters = WaiterQueue()
  /// `nil` without waiters.
  var releaseTask: Task<Void, Never>?
  var lastUse = Duration.zero

  /// True while attempts wait for a token; then the state must not be removed.
  var hasWaiters: Bool { !waiters.isEmpty || releaseTask != nil }

  init(_ rules: OriginRules) {
    budget = BudgetWindow(rules.budget)
    circuit = rules.breaker.map(CircuitState.init)
    bucket = rules.limit.map(RateBucket.init)
  }
}
