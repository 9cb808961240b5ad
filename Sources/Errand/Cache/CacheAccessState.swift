/// The changing state of a ``CacheAccess``, guarded by the lock of the access.
struct CacheAccessState {
  /// A change of the store.
  typealias Change = @Sendable () async -> Void

  var verdict: ExchangeReport.CacheVerdict?
  /// The location of the last response in the cache, also before the response is stored.
  var place: StoredLocation?
  /// The locations of rejected responses, which later attempts of the dispatch skip.
  var refused: Set<StoredLocation> = []
  /// The changes of the store that wait until the dispatch has accepted the response.
  var changes: [Change] = []

  mutating func takeChanges() -> [Change] {
    defer { changes = [] }
    return changes
  }
}

/// The location of a response in the cache.
struct StoredLocation: Sendable, Hashable {
  let key: CacheKey
  let variant: String
}
