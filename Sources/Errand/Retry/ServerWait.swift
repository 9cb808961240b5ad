import Foundation

extension HTTPResponse {
  func serverWait(now: Date) -> AttemptReport.Retry? {
    if let wait = retryAfter(now: now) { return AttemptReport.Retry(wait: wait, source: .retryAfter) }
    guard refusesForNow else { return nil }
    return quotas(now: now).filter(\.isSpent).map(\.reset).max()
      .map { AttemptReport.Retry(wait: $0, source: .rateLimit) }
  }

  func serverPause(now: Date) -> Duration? {
    if refusesForNow, let asked = serverWait(now: now) { return asked.wait }
    return quotas(now: now).filter { $0.remaining == 0 }.map(\.reset).max()
  }

  private var refusesForNow: Bool { status.code == 429 || status.code == 503 }

  /// Returns the wait requested by `Retry-After` (RFC 9110 section 10.2.3).
  ///
  /// A date in `Retry-After` is compared with the response's `Date`, if valid, because the clocks of server
  /// and client may differ.
  func retryAfter(now: Date) -> Duration? {
    guard let text = headers.values(for: "Retry-After").first?.trimmingCharacters(in: .whitespaces) else {
      return nil
    }
    if let seconds = Decimals.count(text) { return .seconds(seconds) }
    guard let date = HTTPDate.parse(text, now: now) else { return nil }
    let wait = date.timeIntervalSince(serverDate(near: now) ?? now)
    // The clock of a test may return a date that is not a number.
    return wait.isNaN ? nil : .seconds(min(max(wait, 0), 1e9))
  }
}

struct ServerQuota: Hashable {
  /// The number of remaining requests; `nil`: unknown.
  var remaining: Int?
  var reset: Duration

  /// True if no requests remain, or if the number is unknown.
  ///
  /// Use only after status 429 or 503. Otherwise, an unknown number is no sign of an exhausted quota.
  var isSpent: Bool { remaining.map { $0 == 0 } ?? true }
}

extension HTTPResponse {
  /// Returns the quotas from the first family of headers that Errand can parse.
  ///
  /// 1. `RateLimit` of draft-ietf-httpapi-ratelimit-headers-10 (`"default";r=0;t=30`) or draft 7.
  /// 2. `RateLimit-Remaining` and `RateLimit-Reset` in seconds, as in the first drafts.
  /// 3. `X-RateLimit-…` and `X-Rate-Limit-…`, with a reset in seconds, or as a time since 1970.
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
      // Rounded to microseconds, because further digits of the difference of two times since 1970 are
      // inexact.
      let microseconds = reset > 0 ? (min(reset, 1e9) * 1e6).rounded() : 0
      return [ServerQuota(remaining: remaining, reset: .microseconds(Int64(microseconds)))]
    }
    return []
  }

  /// Returns the seconds until a reset.
  ///
  /// From 10⁹ on, the number is a time since 1970 in seconds. From 10¹¹ on, the unit is milliseconds.
  private static func delay(_ number: Double, now: Date) -> Double {
    guard number >= 1e9 else { return number }
    return (number >= 1e11 ? number / 1000 : number) - now.timeIntervalSince1970
  }

  /// Returns the response's `Date`; `now` determines the century of a year with two digits.
  func serverDate(near now: Date) -> Date? { headers["Date"].flatMap { HTTPDate.parse($0, now: now) } }
}

struct RateLimitFields {
  let quotas: [ServerQuota]

  init(_ headers: HTTPHeaders) {
    guard let text = headers["RateLimit"], let members = StructuredFieldList.members(of: text) else {
      quotas = []
      return
    }
    let windows = Self.windows(headers["RateLimit-Policy"])
    let named = members.compactMap { Self.quota($0, windows: windows) }
    quotas = named.isEmpty ? Self.dictionary(members) : named
  }

  /// Parses `"default";r=0;t=30`.
  private static func quota(
    _ member: StructuredFieldList.Member, windows: [Substring: Duration]
  ) -> ServerQuota? {
    guard let remaining = member.parameters["r"].flatMap({ Decimals.count($0) }) else { return nil }
    if let text = member.parameters["t"] {
      return Decimals.count(text).map { ServerQuota(remaining: remaining, reset: .seconds($0)) }
    }
    return windows[member.head].map { ServerQuota(remaining: remaining, reset: $0) }
  }

  /// Parses `limit=100, remaining=0, reset=30`.
  private static func dictionary(_ members: [StructuredFieldList.Member]) -> [ServerQuota] {
    let pairs = members.map { StructuredFieldList.pair($0.head) }
    func number(_ name: Substring) -> Int? {
      pairs.last { $0.name == name }.flatMap { Decimals.count($0.value) }
    }
    guard let remaining = number("remaining"), let reset = number("reset") else { return [] }
    return [ServerQuota(remaining: remaining, reset: .seconds(reset))]
  }

  /// Parses the windows in `"default";q=100;w=60`.
  private static func windows(_ text: String?) -> [Substring: Duration] {
    let members = text.flatMap(StructuredFieldList.members) ?? []
    let pairs = members.compactMap { member in
      member.parameters["w"].flatMap { Decimals.count($0) }.map { (member.head, Duration.seconds($0)) }
    }
    return Dictionary(pairs) { $1 }
  }
}

enum Decimals {
  static func count(_ text: some StringProtocol) -> Int? {
    let digits = text.trimmingCharacters(in: .whitespaces)
    guard !digits.isEmpty, digits.utf8.allSatisfy(ASCII.isDigit) else { return nil }
    return min(Int(digits) ?? .max, 1_000_000_000)
  }

  static func seconds(_ text: some StringProtocol) -> Double? {
    let text = text.trimmingCharacters(in: .whitespaces)
    let parts = text.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count),
      parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(ASCII.isDigit) })
    else { return nil }
    return Double(text).map { min($0, 1e18) }
  }
}
