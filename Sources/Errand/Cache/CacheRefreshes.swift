/// The transfers of an agent that bring its cache up to date behind answers that were given: one for a key; and what it has under way
/// for its cache, so that nothing is kept that was to be removed meanwhile.
final class CacheRefreshes: Sendable {
  // Guard: its lock.
  private let running = Locked([CacheKey: Refresh]())

  /// What may be kept.
  private struct Tickets {
    var last = 0
    var valid: [Int: (key: CacheKey, tags: Set<String>)] = [:]
  }

  // Guard: its lock.
  private let tickets = Locked(Tickets())

  /// How many run at once; what is not begun is left to who asks next.
  private static let most = 32

  /// One that runs.
  private final class Refresh: Sendable {
    let signal = CancellationSignal()
    let end = OneTime<Void>()
  }

  /// A ticket for an answer that is about to be asked for.
  func ticket(_ key: CacheKey, tags: Set<String>) -> CacheTicket {
    let number = tickets.withLock { tickets in
      tickets.last += 1
      tickets.valid[tickets.last] = (key, tags)
      return tickets.last
    }
    return CacheTicket(number, of: self)
  }

  fileprivate func isValid(_ ticket: Int) -> Bool { tickets.withLock { $0.valid[ticket] != nil } }

  fileprivate func end(_ ticket: Int) { tickets.withLock { $0.valid[ticket] = nil } }

  /// Ends the tickets of what is to be removed; asked before it is.
  func revoke(where isRemoved: (CacheKey, Set<String>) -> Bool) {
    tickets.withLock { $0.valid = $0.valid.filter { !isRemoved($1.key, $1.tags) } }
  }

  /// Ends those of a canonical URL.
  func revoke(_ url: String) {
    revoke { key, _ in key.url == url || key.url.hasPrefix(url + " ") }
  }

  /// Starts a refresh, unless a refresh of the key runs.
  ///
  /// - Parameter limit: after which the refresh is ended; `nil`: 300 seconds.
  func begin(
    _ key: CacheKey, within limit: Duration?, by clock: AgentClock,
    body: @escaping @Sendable (CancellationSignal) async -> Void
  ) {
    let refresh = Refresh()
    let isFirst = running.withLock { running in
      if running[key] != nil || running.count >= Self.most { return false }
      running[key] = refresh
      return true
    }
    guard isFirst else { return }
    let limit = (limit ?? .seconds(300)).clamped(to: AgentClock.longestSleep)
    Task {
      let end = clock.call(clock.now() + limit) { refresh.signal.cancel(by: .agent) }
      await body(refresh.signal)
      end.cancel()
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

/// The permission to keep an answer, which ends where what it would replace is removed.
final class CacheTicket: Sendable {
  /// Why something is not kept without, as a clause.
  static let problem = "it was removed from the cache while it came"

  private let number: Int
  private let refreshes: CacheRefreshes

  fileprivate init(_ number: Int, of refreshes: CacheRefreshes) {
    (self.number, self.refreshes) = (number, refreshes)
  }

  deinit { refreshes.end(number) }

  var isValid: Bool { refreshes.isValid(number) }
}
