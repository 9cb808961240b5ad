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
    change(origin, now) { $0.budget.countRequest(at: now) }
  }

  /// Takes a retry from the budget; when there is none left, what was used of it.
  func withdrawRetry(to origin: OriginKey) -> (requests: Int, retries: Int)? {
    guard countsRetries else { return nil }
    let now = clock.now()
    return change(origin, now) { $0.budget.withdraw(at: now) }
  }

  func refundRetry(to origin: OriginKey) {
    guard countsRetries else { return }
    let now = clock.now()
    change(origin, now) { $0.budget.refund(at: now) }
  }

  /// Throws when the circuit is open.
  func checkCircuit(of origin: OriginKey) throws(CircuitOpen) {
    guard rules.breaker != nil else { return }
    let now = clock.now()
    if let refusal = change(origin, now, { $0.circuit?.refusal(at: now, origin: origin.origin) }) {
      throw refusal
    }
  }

  /// Throws when the circuit is open, and otherwise lets an attempt through, which is to be settled.
  func enterCircuit(of origin: OriginKey) throws(CircuitOpen) -> Int? {
    guard rules.breaker != nil else { return nil }
    let now = clock.now()
    let (refusal, ticket) = change(origin, now) { state in
      let refusal = state.circuit?.refusal(at: now, origin: origin.origin)
      return (refusal, refusal == nil ? state.circuit?.admit(at: now) : nil)
    }
    if let refusal { throw refusal }
    return ticket
  }

  func settleCircuit(of origin: OriginKey, _ ticket: Int, succeeded: Bool?) {
    let now = clock.now()
    change(origin, now) { $0.circuit?.settle(ticket, succeeded: succeeded, at: now) }
  }

  @discardableResult
  func change<Result: Sendable>(
    _ origin: OriginKey, _ now: Duration, _ body: (inout OriginState) -> Result
  ) -> Result {
    table.withLock { table in
      if table.states.count - table.busy >= Self.limit, table.states[origin] == nil {
        Self.forgetSome(&table)
      }
      return Self.change(&table.states[origin, default: OriginState(rules)], now, &table.busy, body)
    }
  }

  private static func change<Result>(
    _ state: inout OriginState, _ now: Duration, _ busy: inout Int, _ body: (inout OriginState) -> Result
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
}
