/// A binary heap of ids with changeable ranks; the lowest rank comes first.
struct RankHeap: Sendable {
  struct Rank: Sendable {
    var value: Double
    var number: UInt64

    static func < (a: Rank, b: Rank) -> Bool {
      a.value != b.value ? a.value < b.value : a.number < b.number
    }
  }

  private struct Entry {
    let id: Int
    var rank: Rank
  }

  private var entries: [Entry] = []
  /// The position of each id in ``entries``; -1 or missing if the id is not in the heap.
  private var indices: [Int] = []

  var first: Int? { entries.first?.id }

  var firstRank: Rank? { entries.first?.rank }

  var isEmpty: Bool { entries.isEmpty }

  func contains(_ id: Int) -> Bool { id < indices.count && indices[id] >= 0 }

  /// Inserts an id that is not yet in the heap.
  ///
  /// Memory grows with the largest id.
  mutating func insert(_ id: Int, rank: Rank) {
    while id >= indices.count { indices.append(-1) }
    entries.append(Entry(id: id, rank: rank))
    indices[id] = entries.count - 1
    rise(from: entries.count - 1)
  }

  mutating func setRank(_ rank: Rank, of id: Int) {
    entries[indices[id]].rank = rank
    settle(at: indices[id])
  }

  mutating func remove(_ id: Int) {
    let (place, last) = (indices[id], entries.count - 1)
    if place != last { exchange(place, last) }
    entries.removeLast()
    indices[id] = -1
    if place != last { settle(at: place) }
  }

  private mutating func settle(at place: Int) {
    let id = entries[place].id
    rise(from: place)
    sink(from: indices[id])
  }

  private mutating func rise(from place: Int) {
    var place = place
    while place > 0, entries[place].rank < entries[(place - 1) / 2].rank {
      exchange(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  private mutating func sink(from place: Int) {
    var place = place
    while 2 * place + 1 < entries.count {
      var child = 2 * place + 1
      if child + 1 < entries.count, entries[child + 1].rank < entries[child].rank { child += 1 }
      guard entries[child].rank < entries[place].rank else { return }
      exchange(place, child)
      place = child
    }
  }

  private mutating func exchange(_ a: Int, _ b: Int) {
    entries.swapAt(a, b)
    indices[entries[a].id] = a
    indices[entries[b].id] = b
  }
}
