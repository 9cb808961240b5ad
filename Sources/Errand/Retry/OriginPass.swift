/// What an attempt owes the state of its origin; made only where there is such a state.
final class OriginPass: Sendable {
  /// Where the attempt began; redirects do not change it.
  let key: OriginKey
  /// When it took its turn of the rate limit, on the agent's clock; `nil` without one.
  let turn: Duration?
  /// What the circuit let it through with; `nil` before, and without a breaker.
  let ticket: Int?

  var origin: Origin { key.origin }

  init(key: OriginKey, turn: Duration? = nil, ticket: Int? = nil) {
    self.key = key
    self.turn = turn
    self.ticket = ticket
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
