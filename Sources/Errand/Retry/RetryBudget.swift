/// How many requests to one origin may be retries, so that many clients that try again do not keep a server down.
///
/// Every agent has ``standard`` unless told otherwise: in any 10 seconds, retries of up to 20 % of the first attempts, and 100
/// besides, so that who sends little may still retry. It counts dispatches with a ``RetryPolicy``, each by its
/// origin (scheme, host and port), on the agent's clock. A retry past the budget is not made: the failure stands, its
/// text says so, and ``RequestError/isOverRetryBudget`` is set. What a hook forces against the policy is not
/// counted.
public struct RetryBudget: Sendable, Hashable {
  /// How many retries each first attempt allows; 0.2 by default.
  public var ratio: Double
  /// How many retries a second are allowed besides, added up over the ``window``; 10 by default.
  public var minimumPerSecond: Double
  /// How far back is counted; 10 seconds by default.
  public var window: Duration

  let isOff: Bool

  /// Makes a budget; a ratio or a minimum below zero, or that is no number, is zero.
  public init(ratio: Double = 0.2, minimumPerSecond: Double = 10, window: Duration = .seconds(10)) {
    self.init(ratio: ratio, minimumPerSecond: minimumPerSecond, window: window, isOff: false)
  }

  private init(ratio: Double, minimumPerSecond: Double, window: Duration, isOff: Bool) {
    self.ratio = ratio
    self.minimumPerSecond = minimumPerSecond
    self.window = window
    self.isOff = isOff
  }

  /// 20 % of the first attempts and 10 a second, over 10 seconds.
  public static let standard = RetryBudget()

  /// No bound, and nothing is counted.
  public static let unlimited = RetryBudget(ratio: 0, minimumPerSecond: 0, window: .zero, isOff: true)

  /// How many retries may be made in a window with so many first attempts.
  func allowance(first attempts: Int) -> Double {
    func bounded(_ number: Double) -> Double { number > 0 ? min(number, 1e9) : 0 }
    return bounded(ratio) * Double(attempts) + bounded(bounded(minimumPerSecond) * (window / .seconds(1)))
  }
}

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
