/// A first-in, first-out queue.
///
/// Removal is cheap: elements usually leave from the end of a reversed array.
struct FIFOQueue<Element> {
  private var reversed: [Element] = []
  private var added: [Element]
  private(set) var moves = 0

  init(_ elements: [Element] = []) { added = elements }

  var count: Int { reversed.count + added.count }
  var isEmpty: Bool { reversed.isEmpty && added.isEmpty }
  var first: Element? { reversed.last ?? added.first }

  mutating func append(_ element: Element) { added.append(element) }

  mutating func append(contentsOf elements: [Element]) {
    if added.isEmpty { added = elements } else { added += elements }
  }

  mutating func removeAll(where isGone: (Element) -> Bool) {
    reversed.removeAll(where: isGone)
    added.removeAll(where: isGone)
  }

  mutating func popFirst() -> Element? {
    if let first = reversed.popLast() { return first }
    guard added.count > 1 else { return added.popLast() }
    moves += added.count
    reversed = added.reversed()
    added = []
    return reversed.popLast()
  }
}

extension FIFOQueue: Sendable where Element: Sendable {}
