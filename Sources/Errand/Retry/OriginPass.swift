/// What an attempt owes the state of its origin; made only where there is such a state.
final class OriginPass: Sendable {
  /// Where the attempt began; redirects do not change it.
  let key: OriginKey
  /// Whether it has taken a turn of the rate limit.
  let hasTurn: Bool
  /// What the circuit let it through with; `nil` before, and without a breaker.
  let ticket: Int?

  var origin: Origin { key.origin }

  init(key: OriginKey, hasTurn: Bool = false, ticket: Int? = nil) {
    self.key = key
    self.hasTurn = hasTurn
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
