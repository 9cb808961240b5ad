/// The mutable state of a ``CacheAccess``, guarded by the lock of the access.
struct CacheAccessState {
  typealias Change = @Sendable () async -> Void

  var verdict: ExchangeReport.CacheVerdict?
  /// The cache location of the dispatch's last response, stored or being stored; `nil`: no location, or a
  /// location filled only after `accept()`.
  var place: StoredLocation?
  /// The locations of rejected responses; later attempts of the dispatch usually ask the server first.
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
