/// What of a ``RetryBudget`` is used at one origin.
struct BudgetWindow {
  private let budget: RetryBudget
  /// First attempts, and retries.
  private var counts: SlidingCounts

  init(_ budget: RetryBudget) {
    self.budget = budget
    counts = SlidingCounts(window: budget.window)
  }

  mutating func countRequest(at now: Duration) { counts.countFirst(at: now) }

  /// Takes a retry; when there is none left, what was used.
  mutating func withdraw(at now: Duration) -> (requests: Int, retries: Int)? {
    let (requests, retries) = counts.sums(at: now)
    // The sum of fractions may fall short of a whole number by a hair.
    guard Double(retries + 1) <= budget.allowance(first: requests) + 1e-9 else { return (requests, retries) }
    counts.countSecond(at: now)
    return nil
  }

  /// Gives back a retry that was not made.
  mutating func refund(at now: Duration) { counts.takeBackSecond(at: now) }
}
