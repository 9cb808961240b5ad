/// The background refreshes of an agent's cache, and the tickets for storing responses.
final class CacheRefreshes: Sendable {
  private let running = Locked([CacheKey: Refresh]())

  private struct Tickets {
    var last = 0
    var valid: [Int: (key: CacheKey, tags: Set<String>)] = [:]
  }

  private let tickets = Locked(Tickets())

  private static let most = 32

  private final class Refresh: Sendable {
    let signal = CancellationSignal()
    let end = OneTime<Void>()
  }

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

  /// Revokes tickets before a removal, so that running transfers do not store removed responses again.
  func revoke(except own: CacheTicket? = nil, where isRemoved: (CacheKey, Set<String>) -> Bool) {
    let kept = own?.number
    tickets.withLock { $0.valid = $0.valid.filter { $0 == kept || !isRemoved($1.key, $1.tags) } }
  }

  func revoke(_ url: String, except own: CacheTicket? = nil) {
    revoke(except: own) { key, _ in key.url == url || key.url.hasPrefix(url + " ") }
  }

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
      // The refresh may outlive the dispatch, and its deadline.
      await AmbientDeadline.$current.withValue(nil) { await body(refresh.signal) }
      end.cancel()
      running.withLock { $0[key] = nil }
      refresh.end.set(())
    }
  }

  func cancelAll() {
    for refresh in running.withLock({ Array($0.values) }) { refresh.signal.cancel(by: .agent) }
  }

  func wait() async {
    for refresh in running.withLock({ Array($0.values) }) { try? await refresh.end.wait() }
  }
}

final class CacheTicket: Sendable {
  static let problem = "the response was removed from the cache during the transfer"

  fileprivate let number: Int
  private let refreshes: CacheRefreshes

  fileprivate init(_ number: Int, of refreshes: CacheRefreshes) {
    (self.number, self.refreshes) = (number, refreshes)
  }

  deinit { refreshes.end(number) }

  var isValid: Bool { refreshes.isValid(number) }
}
