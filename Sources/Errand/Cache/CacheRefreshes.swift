/// The transfers of an agent that bring its cache up to date behind answers that were given: one for a key.
final class CacheRefreshes: Sendable {
  // Guard: its lock.
  private let running = Locked([CacheKey: Refresh]())

  /// One that runs.
  private final class Refresh: Sendable {
    let signal = CancellationSignal()
    let end = OneTime<Void>()
  }

  /// Begins one, unless one of the key runs.
  func begin(_ key: CacheKey, _ body: @escaping @Sendable (CancellationSignal) async -> Void) {
    let refresh = Refresh()
    let isFirst = running.withLock { running in
      if running[key] != nil { return false }
      running[key] = refresh
      return true
    }
    guard isFirst else { return }
    Task {
      await body(refresh.signal)
      running.withLock { $0[key] = nil }
      refresh.end.set(())
    }
  }

  /// Ends all transfers, and keeps nothing of them.
  func cancelAll() {
    for refresh in running.withLock({ Array($0.values) }) { refresh.signal.cancel(by: .agent) }
  }

  /// Waits until those that run now have ended.
  func wait() async {
    for refresh in running.withLock({ Array($0.values) }) { try? await refresh.end.wait() }
  }
}
