extension RetryPolicy {
  /// The waits before retries.
  public struct Backoff: Sendable, Hashable {
    /// The range from which the first wait is chosen at random.
    public var first: ClosedRange<Duration>
    /// The factor between consecutive waits, up to ``cap``.
    public var factor: Double
    /// The longest wait.
    public var cap: Duration
    /// True to end the policy's retries early.
    ///
    /// The retries then end once a wait reaches ``cap``, or once the dispatch has taken longer than three
    /// times ``cap``.
    public var endsAtCap: Bool

    /// Returns a back-off with the same wait each time; zero by default.
    public static func constant(_ wait: Duration = .zero) -> RetryPolicy.Backoff {
      let wait = max(wait, .zero)
      return RetryPolicy.Backoff(first: wait...wait, factor: 1, cap: wait, endsAtCap: false)
    }

    /// Returns a back-off that multiplies waits by `factor`, up to `cap`.
    ///
    /// By default, the first wait is 1 to 2 seconds, and waits double up to 60 seconds.
    public static func exponential(
      first: ClosedRange<Duration> = .seconds(1)...(.seconds(2)), factor: Double = 2,
      cap: Duration = .seconds(60), endsAtCap: Bool = false
    ) -> RetryPolicy.Backoff {
      RetryPolicy.Backoff(first: first, factor: factor, cap: cap, endsAtCap: endsAtCap)
    }

    /// Returns the wait before retry number `retry`, from 1; `nil`: no further retry.
    func wait(retry: Int, jitter: Double, elapsed: Duration) -> Duration? {
      let lower = first.lowerBound / .seconds(1)
      let upper = first.upperBound / .seconds(1)
      let limit = min(max(cap / .seconds(1), 0), 1e9)
      var seconds = lower + (upper - lower) * min(max(jitter, 0), 1)
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
