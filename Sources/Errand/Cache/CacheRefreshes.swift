/// The background refreshes of an agent's cache, at most one per key, and the tickets for storing
/// responses.
///
/// A ticket is the permission to store the response to a request. A removal from the cache revokes tickets,
/// so a response in transfer during the removal is not stored.
final class CacheRefreshes: Sendable {
  private let running = Locked([CacheKey: Refresh]())

  /// The valid tickets with their keys and tags.
  private struct Tickets {
    var last = 0
    var valid: [Int: (key: CacheKey, tags: Set<String>)] = [:]
  }

  private let tickets = Locked(Tickets())

  /// The maximum number of simultaneous refreshes; further refreshes are skipped.
  private static let most = 32

  /// A running refresh.
  private final class Refresh: Sendable {
    let signal = CancellationSignal()
    let end = OneTime<Void>()
  }

  /// Issues a ticket for a response before the request is sent.
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

  /// Revokes the tickets for which the predicate is true; called before the removal of stored responses.
  func revoke(where isRemoved: (CacheKey, Set<String>) -> Bool) {
    tickets.withLock { $0.valid = $0.valid.filter { !isRemoved($1.key, $1.tags) } }
  }

  /// Revokes the tickets of a canonical URL.
  func revoke(_ url: String) {
    revoke { key, _ in key.url == url || key.url.hasPrefix(url + " ") }
  }

  /// Starts a refresh, unless a refresh of the key is running, or 32 refreshes are running.
  ///
  /// - Parameter limit: the time limit of the refresh; `nil`: 300 seconds.
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

  /// Cancels all running refreshes.
  func cancelAll() {
    for refresh in running.withLock({ Array($0.values) }) { refresh.signal.cancel(by: .agent) }
  }

  /// Waits until the refreshes running at present have ended.
  func wait() async {
    for refresh in running.withLock({ Array($0.values) }) { try? await refresh.end.wait() }
  }
}

/// The permission to store a response, revoked when the responses of its key are removed.
final class CacheTicket: Sendable {
  /// The reason for not storing a response after the ticket was revoked, as a clause.
  static let problem = "the response was removed from the cache during the transfer"

  private let number: Int
  private let refreshes: CacheRefreshes

  fileprivate init(_ number: Int, of refreshes: CacheRefreshes) {
    (self.number, self.refreshes) = (number, refreshes)
  }

  deinit { refreshes.end(number) }

  var isValid: Bool { refreshes.isValid(number) }
}
