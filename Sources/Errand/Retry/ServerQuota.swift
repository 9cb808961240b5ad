import Foundation

/// What a server says of one of its limits.
struct ServerQuota: Hashable {
  /// How many requests are left; `nil` when it is not said.
  var remaining: Int?
  /// When there will be new ones, from now; never negative.
  var reset: Duration

  /// Whether nothing is left, or may be: only a refusal leaves it open.
  var isSpent: Bool { remaining.map { $0 == 0 } ?? true }
}

extension HTTPResponse {
  /// The limits it tells of, by the first family of headers that says anything readable.
  ///
  /// 1. `RateLimit`, as the present draft has it (`"default";r=0;t=30`, draft-ietf-httpapi-ratelimit-headers-10), and as
  ///    its seventh had it (`limit=100, remaining=0, reset=30`). Without `t` it is the window of `RateLimit-Policy`;
  /// 2. `RateLimit-Remaining` and `RateLimit-Reset`, in seconds, as the first drafts had it;
  /// 3. `X-RateLimit-…` and `X-Rate-Limit-…`, whose reset is in seconds, or the time in seconds since 1970.
  ///
  /// What cannot be read is as if it was not there.
  func quotas(now: Date) -> [ServerQuota] {
    let told = RateLimitFields(headers).quotas
    guard told.isEmpty else { return told }
    let now = serverDate(near: now) ?? now
    for prefix in ["RateLimit", "X-RateLimit", "X-Rate-Limit"] {
      guard let text = headers.values(for: "\(prefix)-Reset").first, let number = Decimals.seconds(text)
      else {
        continue
      }
      let reset = prefix == "RateLimit" ? number : Self.delay(number, now: now)
      let remaining = headers.values(for: "\(prefix)-Remaining").first.flatMap { Decimals.count($0) }
      return [ServerQuota(remaining: remaining, reset: .seconds(min(max(reset, 0), 1e9)))]
    }
    return []
  }

  /// What a `Reset` means: a delay, unless it is more than 31 years, which is a time; one in milliseconds from the year
  /// 5138 on.
  private static func delay(_ number: Double, now: Date) -> Double {
    guard number >= 1e9 else { return number }
    return (number >= 1e11 ? number / 1000 : number) - now.timeIntervalSince1970
  }

  /// ``serverDate``, whose year may have two digits, by the clock of an agent.
  func serverDate(near now: Date) -> Date? { headers["Date"].flatMap { HTTPDate.parse($0, now: now) } }
}
