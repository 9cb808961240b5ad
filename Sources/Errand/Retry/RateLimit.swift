/// How many requests an agent sends to one origin: a bucket of requests that fills steadily.
///
/// ```swift
/// configuration.rateLimit = RateLimit(10, per: .seconds(1), burst: 20)
/// ```
///
/// Off unless an agent's ``RequestAgent/Configuration/rateLimit`` is set. Each origin (scheme, host and port) has a bucket
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
