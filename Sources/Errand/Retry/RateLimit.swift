/// A limit on the attempts to reach an origin: a token bucket that fills at a steady rate.
///
/// ```swift
/// configuration.rateLimit = RateLimit(10, per: .seconds(1), burst: 20)
/// ```
///
/// Each origin has a separate bucket for each `limitKey`. If the bucket is empty, attempts usually wait in
/// order of arrival. The wait counts toward ``Request/deadline``.
///
/// The server can pause further attempts: with an exhausted quota, or with a waiting time and status 429 or
/// 503.
public struct RateLimit: Sendable, Hashable {
  /// The number of tokens added in each ``interval``.
  public var requests: Int
  /// The time in which ``requests`` tokens are added, at a steady rate.
  public var interval: Duration
  /// The capacity of the bucket.
  public var burst: Int
  /// The limit for a pause requested by the server; 10 minutes by default.
  public var serverWaitCap: Duration = .seconds(600)

  /// Creates a limit; numbers below 1 act as 1.
  ///
  /// `burst` is the capacity of the bucket, by default equal to `requests`.
  public init(_ requests: Int, per interval: Duration, burst: Int? = nil) {
    self.requests = requests
    self.interval = interval
    self.burst = burst ?? requests
  }
}

/// A token bucket as in the generic cell rate algorithm, which stores a time instead of a number of tokens.
struct RateBucket {
  private let step: Duration
  private let reserve: Duration
  private let cap: Duration
  /// The time from which the bucket is full.
  private var full = Duration.zero
  /// The end of the pause for which the server asked.
  private var closed = Duration.zero

  init(_ limit: RateLimit) {
    let interval = max(limit.interval, .zero).clamped(to: AgentClock.longestSleep)
    step = interval / max(limit.requests, 1)
    // The product of a `Duration` and a large burst could overflow.
    let seconds = step / .seconds(1) * Double(max(limit.burst, 1) - 1)
    reserve = seconds < 1e9 ? step * (max(limit.burst, 1) - 1) : AgentClock.longestSleep
    cap = max(limit.serverWaitCap, .zero).clamped(to: AgentClock.longestSleep)
  }

  func wait(at now: Duration) -> Duration { max(full - reserve - now, closed - now, .zero) }

  mutating func take(at now: Duration) { full = max(full, now) + step }

  /// Puts a token back into the bucket.
  ///
  /// Has no effect if the time since taking the token suffices to fill an empty bucket.
  mutating func giveBack(takenAt time: Duration, at now: Duration) {
    if now - time < reserve + step { full -= step }
  }

  func serverPause(at now: Duration) -> Duration { max(closed - now, .zero) }

  mutating func close(for wait: Duration, at now: Duration) { closed = max(closed, now + min(wait, cap)) }
}
