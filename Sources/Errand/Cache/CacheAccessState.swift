/// The state of a ``CacheAccess``, guarded by the lock of the access.
struct CacheAccessState {
  typealias Change = @Sendable () async -> Void

  var verdict: ExchangeReport.CacheVerdict?
  /// The location of the used response, or of the response to store.
  var place: StoredLocation?
  var refused: Set<StoredLocation> = []
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
