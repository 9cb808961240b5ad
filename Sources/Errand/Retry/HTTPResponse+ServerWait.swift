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
