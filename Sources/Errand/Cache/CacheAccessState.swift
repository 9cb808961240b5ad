/// Guarded by the lock of the ``CacheAccess``.
struct CacheAccessState {
  typealias Change = @Sendable () async -> Void

  var verdict: ExchangeReport.CacheVerdict?
  /// `nil`: no location, or a location filled after `accept()`.
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
