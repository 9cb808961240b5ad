/// Guarded by the lock of the ``CacheAccess``.
struct CacheAccessState {
  typealias Change = @Sendable () async -> Void

  var verdict: ExchangeReport.CacheVerdict?
  /// The location of the dispatch's last response; `nil`: no location, or a location filled after `accept()`.
  var place: StoredLocation?
  /// The locations of rejected responses.
  var refused: Set<StoredLocation> = []
  /// The changes to run after the dispatch accepts the response.
  var changes: [Change] = []

  mutating func takeChanges() -> [Change] {
    defer { changes = [] }
    return changes
  }
}

struct StoredLocation: Sendable, Hashable {
  let key: CacheKey
  let variant: String
}
