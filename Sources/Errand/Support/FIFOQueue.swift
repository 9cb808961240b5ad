/// A first-in, first-out queue whose elements are moved once each, however many wait.
///
/// Removing the first element of an array moves all elements behind it. This queue turns the array around instead, once for all that wait, and takes
/// elements off the end. An element leaves the queue's memory when it is taken.
struct FIFOQueue<Element> {
  /// The first elements, the last of them first.
  private var turned: [Element] = []
  /// The elements behind ``turned``, in their order.
  private var added: [Element]
  /// The number of elements that were turned around since the queue was made; tests bound the work by it.
  private(set) var moves = 0

  init(_ elements: [Element] = []) { added = elements }

  var count: Int { turned.count + added.count }
  var isEmpty: Bool { turned.isEmpty && added.isEmpty }
  /// The first element, which stays; `nil` for an empty queue.
  var first: Element? { turned.last ?? added.first }

  mutating func append(_ element: Element) { added.append(element) }

  /// Appends elements; an empty queue takes the array over without a copy.
  mutating func append(contentsOf elements: [Element]) {
    if added.isEmpty { added = elements } else { added += elements }
  }

  /// Removes elements, wherever they are; the others keep their order.
  mutating func removeAll(where isGone: (Element) -> Bool) {
    turned.removeAll(where: isGone)
    added.removeAll(where: isGone)
  }

  /// Removes the first element and returns it; `nil` for an empty queue.
  mutating func popFirst() -> Element? {
    if let first = turned.popLast() { return first }
    // The usual case: an element that comes alone needs no second array.
    guard added.count > 1 else { return added.popLast() }
    moves += added.count
    turned = added.reversed()
    added = []
    return turned.popLast()
  }
}

extension FIFOQueue: Sendable where Element: Sendable {}
