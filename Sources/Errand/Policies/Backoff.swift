extension RetryPolicy {
  /// How long to wait before each retry.
  public struct Backoff: Sendable, Hashable {
    /// The first wait: drawn from the range once per dispatch, so that the ladder keeps its steps.
    public var first: ClosedRange<Duration>
    /// What each further wait is multiplied by.
    public var factor: Double
    /// The longest wait.
    public var cap: Duration
    /// Whether the ladder ends instead of waiting at its cap: no retry follows once the next wait would reach the cap,
    /// or three times the cap have passed since the start.
    public var endsAtCap: Bool

    /// The same wait each time; none by default.
    public static func constant(_ wait: Duration = .zero) -> RetryPolicy.Backoff {
      let wait = max(wait, .zero)
      return RetryPolicy.Backoff(first: wait...wait, factor: 1, cap: wait, endsAtCap: false)
    }

    /// Growing waits; by default 1 to 2 seconds first, doubled each time, 60 seconds at most.
    public static func exponential(
      first: ClosedRange<Duration> = .seconds(1)...(.seconds(2)), factor: Double = 2,
      cap: Duration = .seconds(60), endsAtCap: Bool = false
    ) -> RetryPolicy.Backoff {
      RetryPolicy.Backoff(first: first, factor: factor, cap: cap, endsAtCap: endsAtCap)
    }

    /// The wait before retry number `retry`, from 1; `nil` when the ladder has ended.
    func wait(retry: Int, jitter: Double, elapsed: Duration) -> Duration? {
      let lower = first.lowerBound / .seconds(1)
      let upper = first.upperBound / .seconds(1)
      let limit = min(max(cap / .seconds(1), 0), 1e9)
      var seconds = lower + (upper - lower) * min(max(jitter, 0), 1)
      // Stops at the cap, so that no factor can overflow, and a huge retry number costs nothing.
      var step = 1
      while step < retry, seconds < limit, seconds > 0, factor != 1 {
        seconds *= factor
        step += 1
      }
      if endsAtCap, !(seconds < limit) || elapsed / .seconds(1) > 3 * limit { return nil }
      return seconds.isFinite ? .seconds(min(max(seconds, 0), limit)) : .seconds(limit)
    }
  }
}
