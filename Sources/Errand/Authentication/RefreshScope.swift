/// The refreshes that a task is part of.
///
/// A task local: a request sent by a refresh that would wait for that refresh is found out and fails, instead of
/// waiting for ever.
enum RefreshScope {
  /// The stores whose refresh the running task is part of; empty outside of any.
  @TaskLocal static var stores: [ObjectIdentifier] = []

  /// Whether the running task renews credentials that others wait for: it must not queue behind them.
  static var isRefreshing: Bool { !stores.isEmpty }
}
