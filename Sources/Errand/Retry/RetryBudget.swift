/// A limit on the share of retries, so that the retries of many clients do not keep a server down.
///
/// Each origin has a separate budget for each `limitKey`. If the budget is spent, a retry by the retry policy
/// is refused, and ``RequestError/isOverRetryBudget`` is true.
public struct RetryBudget: Sendable, Hashable {
  /// The number of retries for each counted first attempt; 0.2 by default.
  public var ratio: Double
  /// The additional number of retries per second; 10 by default.
  public var minimumPerSecond: Double
  /// The period in which attempts are counted, at least 1 ms; 10 seconds by default.
  public var window: Duration

  let isOff: Bool

  /// Creates a budget; a ratio or minimum that is negative or NaN acts as zero.
  public init(ratio: Double = 0.2, minimumPerSecond: Double = 10, window: Duration = .seconds(10)) {
    self.init(ratio: ratio, minimumPerSecond: minimumPerSecond, window: window, isOff: false)
  }

  private init(ratio: Double, minimumPerSecond: Double, window: Duration, isOff: Bool) {
    self.ratio = ratio
    self.minimumPerSecond = minimumPerSecond
    self.window = window
    self.isOff = isOff
  }

  /// A budget of 20 % of the first attempts plus 10 retries a second, over 10 seconds.
  public static let standard = RetryBudget()

  /// A budget without limit.
  public static let unlimited = RetryBudget(ratio: 0, minimumPerSecond: 0, window: .zero, isOff: true)

  func allowance(first attempts: Int) -> Double {
    func bounded(_ number: Double) -> Double { number > 0 ? min(number, 1e9) : 0 }
    return bounded(ratio) * Double(attempts) + bounded(bounded(minimumPerSecond) * (window / .seconds(1)))
  }
}

struct BudgetWindow {
  private let budget: RetryBudget
  /// The first counter counts first attempts, and the second counter retries.
  private var counts: SlidingCounts

  init(_ budget: RetryBudget) {
    self.budget = budget
    counts = SlidingCounts(window: budget.window)
  }

  mutating func countRequest(at now: Duration) { counts.countFirst(at: now) }

  /// Counts a retry and returns `nil`; returns the counts if the budget does not allow the retry.
  mutating func withdraw(at now: Duration) -> (requests: Int, retries: Int)? {
    let (requests, retries) = counts.sums(at: now)
    // The tolerance covers rounding errors of floating-point numbers.
    guard Double(retries + 1) <= budget.allowance(first: requests) + 1e-9 else { return (requests, retries) }
    counts.countSecond(at: now)
    return nil
  }

  mutating func refund(at now: Duration) { counts.takeBackSecond(at: now) }
}
