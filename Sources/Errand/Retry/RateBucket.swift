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
