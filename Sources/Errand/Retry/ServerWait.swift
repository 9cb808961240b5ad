import Foundation

extension HTTPResponse {
  /// How long the server asks to wait, and by what; `nil` when it does not.
  ///
  /// `Retry-After` comes first; the limits it tells of count where it refuses for them, with 429 or 503, and the longest
  /// of those that are spent.
  func serverWait(now: Date) -> AttemptReport.Retry? {
    if let wait = retryAfter(now: now) { return AttemptReport.Retry(wait: wait, source: .retryAfter) }
    guard refusesForNow else { return nil }
    return quotas(now: now).filter(\.isSpent).map(\.reset).max()
      .map { AttemptReport.Retry(wait: $0, source: .rateLimit) }
  }

  /// How long nothing is to be sent to the server: as it refuses for now, or as nothing is left; `nil` for no time.
  func quietTime(now: Date) -> Duration? {
    if refusesForNow, let asked = serverWait(now: now) { return asked.wait }
    return quotas(now: now).filter { $0.remaining == 0 }.map(\.reset).max()
  }

  private var refusesForNow: Bool { status.code == 429 || status.code == 503 }

  /// How long the server asks to wait (RFC 9110 section 10.2.3): seconds, or a date, which is read against the
  /// server's own `Date` where there is one, so that its clock need not agree with ours.
  func retryAfter(now: Date) -> Duration? {
    guard let text = headers.values(for: "Retry-After").first?.trimmingCharacters(in: .whitespaces) else {
      return nil
    }
    if let seconds = Decimals.count(text) { return .seconds(seconds) }
    guard let date = HTTPDate.parse(text, now: now) else { return nil }
    let wait = date.timeIntervalSince(serverDate(near: now) ?? now)
    // A clock of a test may give a date that is no number.
    return wait.isNaN ? nil : .seconds(min(max(wait, 0), 1e9))
  }
}

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

/// `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers), in the forms of its drafts.
struct RateLimitFields {
  /// What they say; empty when they are absent or cannot be read.
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

  /// `"default";r=0;t=30`.
  private static func quota(
    _ member: StructuredFieldList.Member, windows: [Substring: Duration]
  ) -> ServerQuota? {
    guard let remaining = member.parameters["r"].flatMap({ Decimals.count($0) }) else { return nil }
    if let text = member.parameters["t"] {
      return Decimals.count(text).map { ServerQuota(remaining: remaining, reset: .seconds($0)) }
    }
    return windows[member.head].map { ServerQuota(remaining: remaining, reset: $0) }
  }

  /// `limit=100, remaining=0, reset=30`.
  private static func dictionary(_ members: [StructuredFieldList.Member]) -> [ServerQuota] {
    let pairs = members.map { StructuredFieldList.pair($0.head) }
    func number(_ name: Substring) -> Int? {
      pairs.last { $0.name == name }.flatMap { Decimals.count($0.value) }
    }
    guard let remaining = number("remaining"), let reset = number("reset") else { return [] }
    return [ServerQuota(remaining: remaining, reset: .seconds(reset))]
  }

  /// The window of each policy: `"default";q=100;w=60`.
  private static func windows(_ text: String?) -> [Substring: Duration] {
    let members = text.flatMap(StructuredFieldList.members) ?? []
    let pairs = members.compactMap { member in
      member.parameters["w"].flatMap { Decimals.count($0) }.map { (member.head, Duration.seconds($0)) }
    }
    return Dictionary(pairs) { $1 }
  }
}

/// Reads the numbers of servers, which may be anything.
enum Decimals {
  /// A whole number of digits only, cut at a billion; `nil` for anything else.
  static func count(_ text: some StringProtocol) -> Int? {
    let digits = text.trimmingCharacters(in: .whitespaces)
    guard !digits.isEmpty, digits.utf8.allSatisfy(ASCII.isDigit) else { return nil }
    return min(Int(digits) ?? .max, 1_000_000_000)
  }

  /// Digits, perhaps with a fraction, as seconds; `nil` for anything else.
  static func seconds(_ text: some StringProtocol) -> Double? {
    let text = text.trimmingCharacters(in: .whitespaces)
    let parts = text.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count),
      parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(ASCII.isDigit) })
    else { return nil }
    return Double(text).map { min($0, 1e18) }
  }
}
