/// The responses in a ``MemoryCache``, grouped by key and ``VariantName/shelf``.
///
/// A shelf holds the variants of a key with the same fixed lifetime, or without a fixed lifetime.
/// Each shelf is sorted from the least to the most recently used variant.
struct MemoryShelves {
  struct Place: Hashable {
    let key: CacheKey
    let shelf: String
  }

  typealias Item = (name: VariantName, response: CachedResponse)

  private struct Shelf {
    var items: [Item] = []
    /// The value of `lastUse` at the shelf's last use.
    var used: UInt64 = 0
  }

  private var shelves: [Place: Shelf] = [:]
  private var places: [CacheKey: Set<String>] = [:]
  /// The uses in order; only the last entry of each shelf counts.
  private var uses = FIFOQueue<(place: Place, number: UInt64)>()
  private var lastUse: UInt64 = 0
  /// The size of all responses and keys in bytes.
  private(set) var cost = 0
  private(set) var count = 0

  var keys: [CacheKey] { Array(places.keys) }
  var all: [(CacheKey, [CachedResponse])] { places.keys.map { ($0, others(of: $0, most: .max)) } }

  func items(on place: Place) -> [Item] { shelves[place]?.items ?? [] }

  func others(of key: CacheKey, most: Int) -> [CachedResponse] {
    var found: [CachedResponse] = []
    for shelf in places[key] ?? [] where found.count < most {
      found += items(on: Place(key: key, shelf: shelf)).prefix(most - found.count).map(\.response)
    }
    return found
  }

  // MARK: Uses

  mutating func use(_ key: CacheKey) -> [CachedResponse] {
    for shelf in places[key] ?? [] { use(Place(key: key, shelf: shelf)) }
    return others(of: key, most: .max)
  }

  mutating func use(_ place: Place, variants: Set<String> = []) {
    guard let index = shelves.index(forKey: place) else { return }
    if !variants.isEmpty, shelves.values[index].items.count > 1 {
      let items = shelves.values[index].items
      shelves.values[index].items =
        items.filter { !variants.contains($0.name.text) } + items.filter { variants.contains($0.name.text) }
    }
    lastUse += 1
    shelves.values[index].used = lastUse
    uses.append((place, lastUse))
    if uses.count > 64, uses.count > 4 * shelves.count { compact() }
  }

  // MARK: Changes

  /// Stores a response, and replaces the response with the same variant.
  ///
  /// - Returns: the removed responses, which the caller releases outside the lock.
  mutating func store(_ response: CachedResponse, for key: CacheKey, capacity: Int) -> [CachedResponse] {
    let name = VariantName(response.variant)
    let place = Place(key: key, shelf: name.shelf)
    var gone = remove(place) { $0 == name }
    shelves[place, default: Shelf()].items.append((name, response))
    places[key, default: []].insert(name.shelf)
    cost += Self.cost(response, for: key)
    count += 1
    use(place)
    if items(on: place).count > VariantName.most { gone += removeFirst(of: place) }
    while cost > capacity, let oldest = nextOut() { gone += removeFirst(of: oldest) }
    return gone
  }

  mutating func remove(_ key: CacheKey, where isRemoved: (VariantName) -> Bool) -> [CachedResponse] {
    (places[key] ?? []).flatMap { remove(Place(key: key, shelf: $0), where: isRemoved) }
  }

  private mutating func removeFirst(of place: Place) -> [CachedResponse] {
    guard let first = shelves[place]?.items.first?.name else { return [] }
    return remove(place) { $0 == first }
  }

  private mutating func remove(_ place: Place, where isRemoved: (VariantName) -> Bool) -> [CachedResponse] {
    guard let index = shelves.index(forKey: place) else { return [] }
    let gone = shelves.values[index].items.filter { isRemoved($0.name) }.map(\.response)
    guard !gone.isEmpty else { return [] }
    shelves.values[index].items.removeAll { isRemoved($0.name) }
    if shelves.values[index].items.isEmpty {
      shelves[place] = nil
      places[place.key]?.remove(place.shelf)
      if places[place.key]?.isEmpty == true { places[place.key] = nil }
    }
    cost -= gone.reduce(0) { $0 + Self.cost($1, for: place.key) }
    count -= gone.count
    return gone
  }

  private static func cost(_ response: CachedResponse, for key: CacheKey) -> Int {
    response.cost + key.url.utf8.count + key.partition.utf8.count
  }

  /// Returns the least recently used shelf, without removing the shelf.
  private mutating func nextOut() -> Place? {
    while let use = uses.first {
      if shelves[use.place]?.used == use.number { return use.place }
      _ = uses.popFirst()
    }
    return nil
  }

  private mutating func compact() {
    let shelves = shelves
    uses.removeAll { shelves[$0.place]?.used != $0.number }
  }
}
