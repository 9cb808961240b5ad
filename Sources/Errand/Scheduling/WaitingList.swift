/// A list of waiters in the order of service; see ``RequestPriority``.
///
/// The waiter with the lowest rank comes first. The rank is the time of arrival, minus a minute for each
/// point of priority. Waiters of equal priority form a chain. A heap holds the first waiter of each chain.
struct WaitingList<Element: Sendable>: Sendable {
  /// The place of an element; invalid after the list has removed the element.
  struct Place: Sendable {
    fileprivate let index: Int
    fileprivate let number: UInt64
  }

  private struct Node {
    var element: Element?
    var rank: RankHeap.Rank
    var chain: Int
    var previous: Int?
    var next: Int?
  }

  private struct Chain {
    let priority: Double
    var first: Int
    var last: Int
  }

  private(set) var count = 0
  private var nodes: [Node] = []
  private var freeNodes: [Int] = []
  private var chains: [Chain] = []
  private var freeChains: [Int] = []
  private var chainOfPriority: [Double: Int] = [:]
  private var firsts = RankHeap()

  var isEmpty: Bool { count == 0 }

  /// Inserts an element by its rank.
  ///
  /// `time` is in seconds of the agent's clock, and `number` grows with each call.
  mutating func insert(_ element: Element, priority: Double, time: Double, number: UInt64) -> Place {
    let rank = RankHeap.Rank(value: time - 60 * priority, number: number)
    let node = Node(element: element, rank: rank, chain: chainOfPriority[priority] ?? -1)
    let index = freeNodes.popLast() ?? nodes.count
    if index == nodes.count { nodes.append(node) } else { nodes[index] = node }
    if node.chain >= 0 { append(index, to: node.chain) } else { begin(with: index, priority) }
    count += 1
    return Place(index: index, number: number)
  }

  var firstRank: RankHeap.Rank? { firsts.firstRank }

  /// Removes the last element; returns `nil` if a new element with these parameters would be the last.
  mutating func removeLast(after priority: Double, time: Double, number: UInt64) -> Element? {
    let rank = RankHeap.Rank(value: time - 60 * priority, number: number)
    let lasts = chainOfPriority.values.map { chains[$0].last }
    guard let last = lasts.max(by: { nodes[$0].rank < nodes[$1].rank }), rank < nodes[last].rank else {
      return nil
    }
    return remove(at: last)
  }

  mutating func removeFirst() -> Element? { firsts.first.flatMap { remove(at: chains[$0].first) } }

  mutating func remove(_ place: Place) -> Element? {
    guard nodes.indices.contains(place.index), nodes[place.index].rank.number == place.number else {
      return nil
    }
    return remove(at: place.index)
  }

  /// Inserts by rank, because a waiter may enter again with an old arrival time, for example after a
  /// suspension.
  private mutating func append(_ index: Int, to chain: Int) {
    var before: Int? = chains[chain].last
    while let last = before, nodes[index].rank < nodes[last].rank { before = nodes[last].previous }
    let after = before.map { nodes[$0].next } ?? chains[chain].first
    (nodes[index].previous, nodes[index].next) = (before, after)
    if let before {
      nodes[before].next = index
    } else {
      chains[chain].first = index
      firsts.setRank(nodes[index].rank, of: chain)
    }
    if let after { nodes[after].previous = index } else { chains[chain].last = index }
  }

  private mutating func begin(with index: Int, _ priority: Double) {
    let chain = freeChains.popLast() ?? chains.count
    let new = Chain(priority: priority, first: index, last: index)
    if chain == chains.count { chains.append(new) } else { chains[chain] = new }
    nodes[index].chain = chain
    chainOfPriority[priority] = chain
    firsts.insert(chain, rank: nodes[index].rank)
  }

  private mutating func remove(at index: Int) -> Element? {
    guard let element = nodes[index].element else { return nil }
    nodes[index].element = nil
    count -= 1
    unlink(nodes[index], at: index)
    freeNodes.append(index)
    // Releases the memory of a long list.
    if isEmpty, nodes.count > 64 { self = WaitingList() }
    return element
  }

  private mutating func unlink(_ node: Node, at index: Int) {
    let chain = node.chain
    if let next = node.next {
      nodes[next].previous = node.previous
    } else if let previous = node.previous {
      chains[chain].last = previous
    }
    if let previous = node.previous {
      nodes[previous].next = node.next
    } else if let next = node.next {
      chains[chain].first = next
      firsts.setRank(nodes[next].rank, of: chain)
    } else {
      firsts.remove(chain)
      chainOfPriority[chains[chain].priority] = nil
      freeChains.append(chain)
    }
  }
}
