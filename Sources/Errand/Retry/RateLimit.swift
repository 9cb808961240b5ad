/// How many requests an agent sends to one origin: a bucket of requests that fills steadily.
///
/// ```swift
/// configuration.rateLimit = RateLimit(10, per: .seconds(1), burst: 20)
/// ```
///
/// Off unless an agent's ``AgentConfiguration/rateLimit`` is set. Each origin (scheme, host and port) has a bucket
/// of its own, on the agent's clock. Every attempt takes a request from it, retries too; those that find it empty
/// wait in the order in which they came, at the stage ``Stage/throttle``. Waiting counts toward ``Request/deadline``, and
/// a cancellation ends it at once. An attempt that ends before it sends anything gives its request back. Redirects that
/// are followed take nothing.
///
/// When a server says that nothing is left (`RateLimit`, `X-RateLimit-Remaining`), or refuses with 429 or 503 and says how
/// long to wait, nothing is sent to it until then, for ``serverWaitCap`` at most.
public struct RateLimit: Sendable, Hashable {
  /// How many requests come into the bucket in each ``interval``.
  public var requests: Int
  /// In which time they come, evenly.
  public var interval: Duration
  /// How many may be sent at once when none was sent for long.
  public var burst: Int
  /// The longest wait a server may ask for; 10 minutes by default.
  public var serverWaitCap: Duration = .seconds(600)

  /// Makes a limit; numbers below one are one.
  ///
  /// - Parameters:
  ///   - requests: so many…
  ///   - interval: …in this time.
  ///   - burst: how many at once; `requests` by default.
  public init(_ requests: Int, per interval: Duration, burst: Int? = nil) {
    self.requests = requests
    self.interval = interval
    self.burst = burst ?? requests
  }
}

/// The bucket of one origin; see ``RateLimit``.
///
/// It keeps one time instead of a number of requests, so that its sums are exact (the generic cell rate algorithm).
struct RateBucket {
  private let step: Duration
  private let reserve: Duration
  private let cap: Duration
  /// When it will be full.
  private var full = Duration.zero
  /// Until when the server wants nothing.
  private var closed = Duration.zero

  init(_ limit: RateLimit) {
    let interval = max(limit.interval, .zero).clamped(to: AgentClock.longestSleep)
    step = interval / max(limit.requests, 1)
    // Multiplied as numbers, where nothing overflows.
    let seconds = step / .seconds(1) * Double(max(limit.burst, 1) - 1)
    reserve = seconds < 1e9 ? step * (max(limit.burst, 1) - 1) : AgentClock.longestSleep
    cap = max(limit.serverWaitCap, .zero).clamped(to: AgentClock.longestSleep)
  }

  /// How long until a request may be taken; zero when one may.
  func wait(at now: Duration) -> Duration { max(full - reserve - now, closed - now, .zero) }

  mutating func take(at now: Duration) { full = max(full, now) + step }

  /// Takes one back that was taken and not used, unless the bucket would be full without it by now.
  mutating func giveBack(takenAt time: Duration, at now: Duration) {
    if now - time < reserve + step { full -= step }
  }

  /// How long the server wants nothing; zero when it does.
  func quietTime(at now: Duration) -> Duration { max(closed - now, .zero) }

  /// Gives nothing for so long.
  mutating func close(for wait: Duration, at now: Duration) { closed = max(closed, now + min(wait, cap)) }
}
