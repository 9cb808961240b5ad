/// What an agent remembers of the origins it talks to: their retry budgets, circuits and rate limits.
///
/// Of 1,000 origins at most, besides those that dispatches wait for: of more, those not used for the longest time are
/// forgotten, a quarter of them at once. A forgotten origin begins anew, with its circuit closed.
final class OriginStates: Sendable {
  static let limit = 1000

  let rules: OriginRules
  let clock: AgentClock
  /// Whether every attempt has to ask here.
  let guardsAll: Bool
  /// Whether a dispatch that may be retried has to, and whether the agent's policy makes it so.
  let (countsRetries, agentRetries): (Bool, Bool)

  private struct Table {
    var states: [OriginKey: OriginState] = [:]
    /// How many of them dispatches wait for.
    var busy = 0
  }

  private let table = Locked(Table())

  /// - Parameter agentRetries: whether the agent's own policy retries.
  init(_ rules: OriginRules, clock: AgentClock, agentRetries: Bool) {
    (self.rules, self.clock, self.agentRetries) = (rules, clock, agentRetries)
    guardsAll = rules.breaker != nil || rules.limit != nil
    countsRetries = !rules.budget.isOff
  }

  var count: Int { table.withLock { $0.states.count } }

  /// How many dispatches wait in line, at all origins.
  var waitingCount: Int { table.withLock { $0.states.values.reduce(0) { $0 + $1.line.count } } }

  func countRequest(to origin: OriginKey) {
    guard countsRetries else { return }
    let now = clock.now()
    change(origin, at: now) { $0.budget.countRequest(at: now) }
  }

  /// Takes a retry from the budget; when there is none left, what was used of it.
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

  /// Throws when the circuit is open.
  func checkCircuit(of origin: OriginKey) throws(CircuitBreaker.Open) {
    guard rules.breaker != nil else { return }
    let now = clock.now()
    if let refusal = change(origin, at: now, with: { $0.circuit?.refusal(at: now, origin: origin.origin) }) {
      throw refusal
    }
  }

  /// Throws when the circuit is open, and otherwise lets an attempt through, which is to be settled.
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
    if state.isWaitedFor { busy -= 1 }
    defer { if state.isWaitedFor { busy += 1 } }
    state.lastUse = now
    return body(&state)
  }

  private static func forgetSome(_ table: inout Table) {
    let idle = table.states.filter { !$0.value.isWaitedFor }
    for (origin, _) in idle.sorted(by: { $0.value.lastUse < $1.value.lastUse }).prefix(limit / 4) {
      table.states[origin] = nil
    }
  }

  // The buckets: who finds one empty waits in line, and one task an origin lets the line go on.

  /// Waits for the turn of a place in the line; `false`, without it, when `signal` fires first.
  func waitInLine(of origin: OriginKey, at place: UInt64, unless signal: CancellationSignal) async -> Bool {
    var ending: CancellationSignal.HandlerID?
    let hasTurn = await withCheckedContinuation { continuation in
      if change(origin, at: clock.now(), with: { $0.line.put(continuation, for: place) }) {
        // Runs at once when it has fired.
        ending = signal.onCancel { [self] in leave(origin, id: place) }
      } else {
        continuation.resume(returning: true)
      }
    }
    if let ending { signal.removeHandler(ending) }
    return hasTurn
  }

  /// How long the server wants nothing; zero when it does, or when no rule asks for that.
  func quietTime(of origin: OriginKey) -> Duration {
    guard rules.limit != nil else { return .zero }
    let now = clock.now()
    return change(origin, at: now) { $0.bucket?.quietTime(at: now) ?? .zero }
  }

  /// Takes a request from the bucket, also from an empty one, and past the line.
  func borrowTurn(of origin: OriginKey) {
    let now = clock.now()
    change(origin, at: now) { $0.bucket?.take(at: now) }
  }

  /// Gives back a turn that was not used: those in line get it.
  func returnTurn(of origin: OriginKey, takenAt time: Duration) {
    let now = clock.now()
    let pump = change(origin, at: now) { state in
      state.bucket?.giveBack(takenAt: time, at: now)
      guard let pump = state.pump else { return Task<Void, Never>?.none }
      // It sleeps until the time of the next turn, which is sooner now.
      state.pump = Task { [self] in await self.pump(origin) }
      return pump
    }
    pump?.cancel()
  }

  /// Closes the bucket, as the server wants nothing for a while.
  func close(_ origin: OriginKey, for wait: Duration) {
    let now = clock.now()
    change(origin, at: now) { $0.bucket?.close(for: wait, at: now) }
  }

  /// Takes a request from the bucket, or a place in the line for one; `nil` where there is no wait.
  func enterLine(of origin: OriginKey) -> UInt64? {
    let now = clock.now()
    return change(origin, at: now) { state in
      if state.line.isEmpty, state.bucket?.wait(at: now) == .zero {
        state.bucket?.take(at: now)
        return nil
      }
      if state.pump == nil { state.pump = Task { [self] in await pump(origin) } }
      return state.line.enter()
    }
  }

  private func leave(_ origin: OriginKey, id: UInt64) {
    let (waiter, pump) = change(origin, at: clock.now()) { state in
      let waiter = state.line.leave(id)
      guard state.line.isEmpty else { return (waiter, Task<Void, Never>?.none) }
      defer { state.pump = nil }
      return (waiter, state.pump)
    }
    pump?.cancel()
    waiter?.resume(returning: false)
  }

  private func pump(_ origin: OriginKey) async {
    while !Task.isCancelled, let wait = letGo(origin) { try? await clock.sleep(wait) }
  }

  /// Lets go whose turn it is, and gives the time until the next one's; `nil` when none waits.
  private func letGo(_ origin: OriginKey) -> Duration? {
    let now = clock.now()
    let (due, wait) = change(origin, at: now) { state in
      var due: [WaitingLine.Continuation] = []
      while !state.line.isEmpty, let bucket = state.bucket, bucket.wait(at: now) == .zero {
        state.bucket?.take(at: now)
        if let waiter = state.line.letFirstGo() { due.append(waiter) }
      }
      guard state.line.isEmpty else { return (due, state.bucket?.wait(at: now)) }
      state.pump = nil
      return (due, nil)
    }
    for waiter in due { waiter.resume(returning: true) }
    return wait
  }
}

/// What an agent remembers an origin by.
struct OriginKey: Sendable, Hashable {
  let origin: Origin
  /// Of the override that answers in place of the agent's transport; 0 without one.
  ///
  /// Each has a world of its own, so that tests that run in parallel do not use up each other's budgets.
  var overrideNumber: UInt64 = 0
}

/// What rules the traffic with every origin.
struct OriginRules: Sendable {
  let budget: RetryBudget
  let breaker: CircuitBreaker?
  let limit: RateLimit?
}

/// What an agent remembers of one origin.
private struct OriginState {
  var budget: BudgetWindow
  /// `nil` without a ``CircuitBreaker``.
  var circuit: CircuitState?
  /// `nil` without a ``RateLimit``.
  var bucket: RateBucket?
  var line = WaitingLine()
  /// Lets those in the line go; `nil` while none waits.
  var pump: Task<Void, Never>?
  /// On the agent's clock.
  var lastUse = Duration.zero

  /// Whether dispatches wait for it, so that it is not forgotten.
  var isWaitedFor: Bool { !line.isEmpty || pump != nil }

  init(_ rules: OriginRules) {
    budget = BudgetWindow(rules.budget)
    circuit = rules.breaker.map(CircuitState.init)
    bucket = rules.limit.map(RateBucket.init)
  }
}
