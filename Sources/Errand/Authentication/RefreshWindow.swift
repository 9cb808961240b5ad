import Foundation

extension BearerAuthenticator {
  /// A limit on the number of refreshes within an interval.
  ///
  /// A refresh beyond the limit fails.
  public struct RefreshWindow: Sendable, Hashable {
    /// The maximum number of refreshes; at least 1.
    public let maximumRefreshes: Int
    /// The length of the window, in the wall time of the agent's clock.
    public let interval: Duration

    /// Creates a window; zero or less as `interval`: no limit.
    public init(maximumRefreshes: Int, within interval: Duration) {
      self.maximumRefreshes = max(1, maximumRefreshes)
      self.interval = interval
    }

    /// Five within 30 seconds.
    public static let standard = BearerAuthenticator.RefreshWindow(maximumRefreshes: 5, within: .seconds(30))

    /// Returns true if a refresh may start at `date`; usually records the date of an admitted refresh.
    ///
    /// Recorded dates in the future, for example from another clock, are dropped.
    func admits(_ date: Date, begun: inout [Date]) -> Bool {
      let length = interval.clamped(to: AgentClock.longestSleep) / .seconds(1)
      guard length > 0 else { return true }
      begun.removeAll { !(0..<length).contains(date.timeIntervalSince($0)) }
      guard begun.count < maximumRefreshes else { return false }
      begun.append(date)
      return true
    }

    var text: String {
      "\(maximumRefreshes == 1 ? "once" : "\(maximumRefreshes) times") within \(interval.secondsText)"
    }
  }
}
