/// A limit on the requests to an origin: a token bucket that fills at a steady rate.
///
/// ```swift
/// configuration.rateLimit = RateLimit(10, per: .seconds(1), burst: 20)
/// ```
///
/// ``AgentConfiguration/rateLimit`` turns the limit on. Each origin (scheme, host and port) has a separate
/// bucket, on the agent's clock. Attempts take a token before sending, including retries; followed redirects
/// take no token. If the bucket is empty, attempts wait in order of arrival, at the stage ``Stage/throttle``.
/// The wait counts toward ``Request/deadline``. An attempt without redirects usually returns its token if a
/// mock responds, or if the cache responds without asking the server. A request in the refresh of a
/// ``CredentialStore`` does not wait in the queue.
///
/// A response without a redirect to another origin may pause new attempts for the origin: with an exhausted
/// quota and the time of its renewal (`RateLimit`, `X-RateLimit-Remaining`), or as a 429 or 503 with a waiting
/// time. Each response asks for at most ``serverWaitCap``. Only the server's response to the attempt's own
/// request counts, even if a stored response replaces the server's response.
public struct RateLimit: Sendable, Hashable {
  /// The number of tokens added in each ``interval``.
  public var requests: Int
  /// The time in which ``requests`` tokens are added, at a steady rate.
  public var interval: Duration
  /// The capacity of the bucket: the number of requests that may be sent at once after a pause.
  public var burst: Int
  /// The limit for a pause requested by the server; 10 minutes by default.
  public var serverWaitCap: Duration = .seconds(600)

  /// Creates a limit; numbers below 1 act as 1.
  ///
  /// - Parameters:
  ///   - requests: the number of requests per interval.
  ///   - interval: the interval.
  ///   - burst: the number of requests that may be sent at once; `requests` by default.
  public init(_ requests: Int, per interval: Duration, burst: Int? = nil) {
    self.requests = requests
    self.interval = interval
    self.burst = burst ?? requests
  }
}

/// The token bucket of a single origin.
///
/// Implements the generic cell rate algorithm, which stores a time instead of a number of tokens.
struct RateBucket {
  private let step: Duration
  private let reserve: Duration
  private let cap: Duration
  /// The time at which the bucket is full.
  private var full = Duration.zero
  /// The end of the pause that the server asked for.
  private var closed = Duration.zero

  init(_ limit: RateLimit) {
    let interval = max(limit.interval, .zero).clamped(to: AgentClock.longestSleep)
    step = interval / max(limit.requests, 1)
    // The size is checked first, because the product of a `Duration` and a large burst could overflow.
    let seconds = step / .seconds(1) * Double(max(limit.burst, 1) - 1)
    reserve = seconds < 1e9 ? step * (max(limit.burst, 1) - 1) : AgentClock.longestSleep
    cap = max(limit.serverWaitCap, .zero).clamped(to: AgentClock.longestSleep)
  }

  /// Returns the time until the next token; zero if a token is available.
  func wait(at now: Duration) -> Duration { max(full - reserve - now, closed - now, .zero) }

  mutating func take(at now: Duration) { full = max(full, now) + step }

  /// Puts an unused token back, unless an empty bucket would have become full since the take.
  mutating func giveBack(takenAt time: Duration, at now: Duration) {
    if now - time < reserve + step { full -= step }
  }

  func serverPause(at now: Duration) -> Duration { max(closed - now, .zero) }

  mutating func close(for wait: Duration, at now: Duration) { closed = max(closed, now + min(wait, cap)) }
}
