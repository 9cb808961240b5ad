/// The responses in a ``MemoryCache``, guarded by the lock of the cache.
///
/// A stored or chosen variant moves to the end of its group.
struct MemoryResponses {
  struct GroupKey: Hashable {
    let key: CacheKey
    let variantGroup: String
  }

  typealias Item = (name: VariantName, response: CachedResponse)

  private struct Group {
    var items: [Item] = []
    var lastUse: UInt64 = 0
  }

  private var groups: [GroupKey: Group] = [:]
  private var groupNames: [CacheKey: Set<String>] = [:]
  /// The uses of groups in order; for a group, only the last entry counts.
  private var uses = FIFOQueue<(group: GroupKey, sequenceNumber: UInt64)>()
  private var useCount: UInt64 = 0
  /// In bytes, approximately, including keys.
  private(set) var cost = 0
  private(set) var count = 0

  var keys: [CacheKey] { Array(groupNames.keys) }
  var all: [(CacheKey, [CachedResponse])] { groupNames.keys.map { ($0, responses(for: $0, limit: .max)) } }

  func items(in group: GroupKey) -> [Item] { groups[group]?.items ?? [] }

  func responses(for key: CacheKey, limit: Int) -> [CachedResponse] {
    var found: [CachedResponse] = []
    for variantGroup in groupNames[key] ?? [] where found.count < limit {
      let items = items(in: GroupKey(key: key, variantGroup: variantGroup))
      found += items.prefix(limit - found.count).map(\.response)
    }
    return found
  }

  // MARK: Uses

  mutating func use(_ key: CacheKey) -> [CachedResponse] {
    for variantGroup in groupNames[key] ?? [] { use(GroupKey(key: key, variantGroup: variantGroup)) }
    return responses(for: key, limit: .max)
  }

  mutating func use(_ group: GroupKey, variants: Set<String> = []) {
    guard let index = groups.index(forKey: group) else { return }
    if !variants.isEmpty, groups.values[index].items.count > 1 {
      let items = groups.values[index].items
      groups.values[index].items =
        items.filter { !variants.contains($0.name.text) } + items.filter { variants.contains($0.name.text) }
    }
    useCount += 1
    groups.values[index].lastUse = useCount
    uses.append((group, useCount))
    if uses.count > 64, uses.count > 4 * groups.count { compact() }
  }

  // MARK: Changes

  /// Stores a response; returns the removed responses, for release outside the lock.
  mutating func store(_ response: CachedResponse, for key: CacheKey, capacity: Int) -> [CachedResponse] {
    let name = VariantName(response.variant)
    let group = GroupKey(key: key, variantGroup: name.variantGroup)
    var gone = remove(group) { $0 == name }
    groups[group, default: Group()].items.append((name, response))
    groupNames[key, default: []].insert(name.variantGroup)
    cost += Self.cost(response, for: key)
    count += 1
    use(group)
    if items(in: group).count > VariantName.maximumCount { gone += removeFirst(of: group) }
    while cost > capacity, let oldest = leastRecentlyUsedGroup() { gone += removeFirst(of: oldest) }
    return gone
  }

  mutating func remove(_ key: CacheKey, where isRemoved: (VariantName) -> Bool) -> [CachedResponse] {
    (groupNames[key] ?? []).flatMap { remove(GroupKey(key: key, variantGroup: $0), where: isRemoved) }
  }

  private mutating func removeFirst(of group: GroupKey) -> [CachedResponse] {
    guard let first = groups[group]?.items.first?.name else { return [] }
    return remove(group) { $0 == first }
  }

  private mutating func remove(_ group: GroupKey, where isRemoved: (VariantName) -> Bool) -> [CachedResponse]
  {
    guard let index = groups.index(forKey: group) else { return [] }
    let gone = groups.values[index].items.filter { isRemoved($0.name) }.map(\.response)
    guard !gone.isEmpty else { return [] }
    groups.values[index].items.removeAll { isRemoved($0.name) }
    if groups.values[index].items.isEmpty {
      groups[group] = nil
      groupNames[group.key]?.remove(group.variantGroup)
      if groupNames[group.key]?.isEmpty == true { groupNames[group.key] = nil }
    }
    cost -= gone.reduce(0) { $0 + Self.cost($1, for: group.key) }
    count -= gone.count
    return gone
  }

  private static func cost(_ response: CachedResponse, for key: CacheKey) -> Int {
    response.cost + key.url.utf8.count + key.partition.utf8.count
  }

  private mutating func leastRecentlyUsedGroup() -> GroupKey? {
    while let use = uses.first {
      if groups[use.group]?.lastUse == use.sequenceNumber { return use.group }
      _ = uses.popFirst()
    }
    return nil
  }

  private mutating func compact() {
    let groups = groups
    uses.removeAll { groups[$0.group]?.lastUse != $0.sequenceNumber }
  }
}
