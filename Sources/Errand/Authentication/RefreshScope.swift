/// The refreshes that a task is part of.
///
/// A task local: a request sent by a refresh that would wait for that refresh is found out and fails, instead of
/// waiting for ever. What a refresh started and left behind inherits it, so a refresh counts as long as it runs.
enum RefreshScope {
  /// The refreshes that the running task is, or was, part of; empty outside of any.
  @TaskLocal static var refreshes: [any RunningRefresh] = []

  /// Whether the running task renews credentials that others wait for: it must not queue behind them.
  static var isRefreshing: Bool { refreshes.contains { $0.isRunning } }
}

/// A refresh that others wait for as long as it runs.
protocol RunningRefresh: AnyObject, Sendable {
  var isRunning: Bool { get }
}
