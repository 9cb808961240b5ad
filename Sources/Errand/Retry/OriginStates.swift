/// The retry budgets, circuits and rate limits of an agent's origins.
///
/// At the limit, a new origin displaces the least recently used origins. An origin stays if attempts wait, or
/// if the app must close the circuit.
final class OriginStates: Sendable {
  static let limit = 1000

  let rules: OriginRules
  let clock: AgentClock
  let admitsEveryAttempt: Bool
  let countsRetries: Bool
  let agentRetries: Bool
  private let circuitChanged: @Sendable (CircuitBreaker.Circuit) -> Void

  private struct Table {
    var states: [OriginKey: OriginState] = [:]
    var busy = 0
    var changes: [CircuitBreaker.Circuit] = []
    /// True while a call reports ``changes``.
    ///
    /// Other calls do not report, so that the reports keep their order.
    var isReporting = false
  }

  private let table = Locked(Table())

  /// Creates the table; `circuitChanged` is called without a lock, in the order of the changes.
  init(
    _ rules: OriginRules, clock: AgentClock, agentRetries: Bool,
    circuitChanged: @escaping @Sendable (CircuitBreaker.Circuit) -> Void = { _ in }
  ) {
    (self.rules, self.clock, self.agentRetries) = (rules, clock, agentRetries)
    self.circuitChanged = circuitChanged
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
    if let refusal = change(origin, at: now, with: { $0.circuit?.refusal(at: now, of: origin) }) {
      throw refusal
    }
  }

  func enterCircuit(of origin: OriginKey) throws(CircuitBreaker.Open) -> Int? {
    let entry = changeCircuit(of: origin) { circuit, now in
      let refusal = circuit.refusal(at: now, of: origin)
      return (refusal: refusal, ticket: refusal == nil ? circuit.admit(at: now) : nil)
    }
    if let refusal = entry?.refusal { throw refusal }
    return entry?.ticket
  }

  func settleCircuit(of origin: OriginKey, _ ticket: Int, succeeded: Bool?) {
    changeCircuit(of: origin) { $0.settle(ticket, succeeded: succeeded, at: $1) }
  }

  func circuits(overrideNumber: UInt64) -> [CircuitBreaker.Circuit] {
    let now = clock.now()
    let circuits = table.withLock { table in
      table.states.compactMap { key, state in
        key.overrideNumber == overrideNumber ? state.circuit.map { (key, $0.state(at: now)) } : nil
      }
    }
    .map { CircuitBreaker.Circuit($1, of: $0, in: self) }
    return circuits.sorted { ($0.origin, $0.key ?? "") < ($1.origin, $1.key ?? "") }
  }

  func circuit(of origin: OriginKey) -> CircuitBreaker.Circuit? {
    guard rules.breaker != nil else { return nil }
    let now = clock.now()
    let state = table.withLock { $0.states[origin]?.circuit?.state(at: now) }
    return CircuitBreaker.Circuit(state ?? .closed, of: origin, in: self)
  }

  @discardableResult
  func changeCircuit<Result: Sendable>(
    of origin: OriginKey, with body: (inout CircuitState, Duration) -> Result
  ) -> Result? {
    guard rules.breaker != nil else { return nil }
    let now = clock.now()
    let (result, reports): (Result?, Bool) = table.withLock { table in
      var change: CircuitBreaker.Circuit.State?
      let result = Self.change(origin, in: &table, by: rules, at: now) { state -> Result? in
        // Taken out of the state, because a copy would copy the counts.
        guard var circuit = state.circuit.take() else { return nil }
        defer { state.circuit = circuit }
        let before = circuit.phase
        let result = body(&circuit, now)
        if circuit.isChanged(since: before) { change = circuit.state(at: now) }
        return result
      }
      guard let change else { return (result, false) }
      table.changes.append(CircuitBreaker.Circuit(change, of: origin, in: self))
      defer { table.isReporting = true }
      return (result, !table.isReporting)
    }
    if reports { reportChanges() }
    return result
  }

  private func reportChanges() {
    while let change = nextChange() { circuitChanged(change) }
  }

  private func nextChange() -> CircuitBreaker.Circuit? {
    table.withLock { table in
      table.isReporting = !table.changes.isEmpty
      return table.isReporting ? table.changes.removeFirst() : nil
    }
  }

  @discardableResult
  private func change<Result: Sendable>(
    _ origin: OriginKey, at now: Duration, with body: (inout OriginState) -> Result
  ) -> Result {
    table.withLock { Self.change(origin, in: &$0, by: rules, at: now, with: body) }
  }

  private static func change<Result>(
    _ origin: OriginKey, in table: inout Table, by rules: OriginRules, at now: Duration,
    with body: (inout OriginState) -> Result
  ) -> Result {
    if table.states.count - table.busy >= limit, table.states[origin] == nil { forgetSome(&table) }
    return change(
      &table.states[origin, default: OriginState(rules)], at: now, busy: &table.busy, with: body)
  }

  private static func change<Result>(
    _ state: inout OriginState, at now: Duration, busy: inout Int, with body: (inout OriginState) -> Result
  ) -> Result {
    if state.isKept { busy -= 1 }
    defer { if state.isKept { busy += 1 } }
    state.lastUse = now
    return body(&state)
  }

  private static func forgetSome(_ table: inout Table) {
    let idle = table.states.filter { !$0.value.isKept }
    for (origin, _) in idle.sorted(by: { $0.value.lastUse < $1.value.lastUse }).prefix(limit / 4) {
      table.states[origin] = nil
    }
  }

  // MARK: Waiting for tokens

  /// Waits for a token; returns `false` if `signal` fires first.
  ///
  /// `place` is the number from ``enterQueue(of:)``.
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

  /// Takes a token and returns true, or returns `false` if a wait is necessary.
  ///
  /// Without a rate limit, returns true.
  func takeTokenIfFree(of origin: OriginKey) -> Bool {
    guard rules.limit != nil else { return true }
    let now = clock.now()
    return change(origin, at: now) { state in
      guard state.waiters.isEmpty, state.bucket?.wait(at: now) == .zero else { return false }
      state.bucket?.take(at: now)
      return true
    }
  }

  func returnToken(of origin: OriginKey, takenAt time: Duration) {
    let now = clock.now()
    let releaseTask = change(origin, at: now) { state in
      state.bucket?.giveBack(takenAt: time, at: now)
      guard let releaseTask = state.releaseTask else { return Task<Void, Never>?.none }
      // The new task may wait for a shorter time, because the next token may now be available earlier.
      state.releaseTask = Task { [self] in await self.releaseTokens(of: origin) }
      return releaseTask
    }
    releaseTask?.cancel()
  }

  func close(_ origin: OriginKey, for wait: Duration) {
    let now = clock.now()
    change(origin, at: now) { $0.bucket?.close(for: wait, at: now) }
  }

  /// Takes a token and returns `nil`, or enters the queue and returns the number of the new waiter.
  func enterQueue(of origin: OriginKey) throws(Refusal) -> UInt64? {
    let now = clock.now()
    let most = rules.maxWaiting.map { max($0, 0) }
    let (place, isFull) = change(origin, at: now) { state -> (UInt64?, Bool) in
      if state.waiters.isEmpty, state.bucket?.wait(at: now) == .zero {
        state.bucket?.take(at: now)
        return (nil, false)
      }
      if let most, state.waiters.count >= most { return (nil, true) }
      if state.releaseTask == nil { state.releaseTask = Task { [self] in await releaseTokens(of: origin) } }
      return (state.waiters.enter(), false)
    }
    guard isFull, let most else { return place }
    throw Refusal(
      "the rate limit is reached, and the queue of the origin is full: maxWaitingPerOrigin is \(most)",
      kind: .queueFull)
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

  /// Gives free tokens to waiters; returns the time until the next token, or `nil` if no waiters are left.
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
  /// The ``Request/limitKey``.
  var name: String?
  /// The number of the transport override around the dispatch; 0 without an override.
  ///
  /// The number separates the budgets, circuits and rate limits of parallel tests.
  var overrideNumber: UInt64 = 0

  var shownText: String { name.map { "\(origin.shownText) (\($0))" } ?? origin.shownText }
}

struct OriginRules: Sendable {
  let budget: RetryBudget
  let breaker: CircuitBreaker?
  let limit: RateLimit?
  var maxWaiting: Int?
}

private struct OriginState {
  var budget: BudgetWindow
  var circuit: CircuitState?
  var bucket: RateBucket?
  var waiters = WaiterQueue()
  /// `nil` without waiters.
  var releaseTask: Task<Void, Never>?
  var lastUse = Duration.zero

  var isKept: Bool { !waiters.isEmpty || releaseTask != nil || circuit?.phase == .openUntilClosed }

  init(_ rules: OriginRules) {
    budget = BudgetWindow(rules.budget)
    circuit = rules.breaker.map(CircuitState.init)
    bucket = rules.limit.map(RateBucket.init)
  }
}
