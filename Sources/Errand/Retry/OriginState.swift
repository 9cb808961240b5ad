/// What an agent remembers of one origin.
struct OriginState {
  var budget: BudgetWindow
  /// `nil` without a ``CircuitBreaker``.
  var circuit: CircuitState?
  /// `nil` without a ``RateLimit``.
  var bucket: RateBucket?
  var line = WaitingLine()
  /// Lets those in the line go; `nil` while nobody waits.
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

/// What rules the traffic with every origin.
struct OriginRules: Sendable {
  let budget: RetryBudget
  let breaker: CircuitBreaker?
  let limit: RateLimit?
}
