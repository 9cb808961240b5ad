import Foundation

extension BearerAuthenticator {
  /// How many refreshes a ``CredentialStore`` begins within a time; who needs one more fails in its place.
  ///
  /// Where a server gives tokens that have ended already, or refuses what it has just given, every request would ask for
  /// new ones. Refreshes that fail count as those that succeed do; setting the credential begins a new count.
  public struct RefreshWindow: Sendable, Hashable {
    /// How many; at least one.
    public let maximumRefreshes: Int
    /// Within how long, by the wall time of the agent's clock.
    public let interval: Duration

    /// Makes a window.
    ///
    /// - Parameters:
    ///   - maximumRefreshes: how many refreshes are begun within the interval; below one counts as one.
    ///   - interval: how long a refresh counts; of zero or less nothing is limited.
    public init(maximumRefreshes: Int, within interval: Duration) {
      self.maximumRefreshes = max(1, maximumRefreshes)
      self.interval = interval
    }

    /// Five within 30 seconds.
    public static let standard = BearerAuthenticator.RefreshWindow(maximumRefreshes: 5, within: .seconds(30))

    /// Forgets what counts no more, and notes a refresh that begins now; `false` where it may not.
    ///
    /// What lies ahead was noted before the wall time was set back.
    func admits(_ date: Date, begun: inout [Date]) -> Bool {
      let length = interval.clamped(to: AgentClock.longestSleep) / .seconds(1)
      guard length > 0 else { return true }
      begun.removeAll { !(0..<length).contains(date.timeIntervalSince($0)) }
      guard begun.count < maximumRefreshes else { return false }
      begun.append(date)
      return true
    }

    /// `5 times within 30 s`.
    var text: String {
      "\(maximumRefreshes == 1 ? "once" : "\(maximumRefreshes) times") within \(interval.secondsText)"
    }
  }
}
