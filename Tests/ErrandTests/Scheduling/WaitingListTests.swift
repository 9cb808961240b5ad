import Testing

@testable import Errand

@Suite("The list of waiters", .timeLimit(.minutes(5)))
struct WaitingListTests {
  private static func filled(_ count: Int, _ priority: (Int) -> Double) -> WaitingList<Int> {
    var list = WaitingList<Int>()
    for id in 0..<count {
      _ = list.insert(id, priority: priority(id), time: 0, number: UInt64(id))
    }
    return list
  }

  private static func drained(_ list: WaitingList<Int>) -> [Int] {
    var (list, order) = (list, [Int]())
    while let next = list.removeFirst() { order.append(next) }
    return order
  }

  @Test("100,000 waiters of equal priority leave in order of arrival")
  func arrival() {
    #expect(Self.drained(Self.filled(100_000) { _ in 0 }) == Array(0..<100_000))
  }

  @Test("100,000 waiters of different priorities leave by priority")
  func priorities() {
    // Multiplies by a prime, so every priority occurs once, in mixed order.
    let order = Self.drained(Self.filled(100_000) { Double($0 * 7919 % 100_000) })
    #expect(order.map { $0 * 7919 % 100_000 } == (0..<100_000).reversed())
  }

  @Test("A minute of waiting equals a point of priority, and the earlier arrival goes first for equal sums")
  func ageing() {
    var list = WaitingList<String>()
    let rows: [(String, Double, Double)] = [
      ("low at 0", -1, 0), ("default at 59", 0, 59), ("default at 60", 0, 60), ("high at 100", 1, 100),
      ("default at 61", 0, 61), ("high at 121", 1, 121),
    ]
    for (number, row) in rows.enumerated() {
      _ = list.insert(row.0, priority: row.1, time: row.2, number: UInt64(number))
    }
    var order: [String] = []
    while let next = list.removeFirst() { order.append(next) }
    #expect(
      order == ["high at 100", "default at 59", "low at 0", "default at 60", "default at 61", "high at 121"])
  }

  @Test("A waiter that comes back has the place of its arrival among equal priorities")
  func back() {
    var list = WaitingList<String>()
    var number: UInt64 = 0
    func insert(_ name: String, _ time: Double) -> WaitingList<String>.Place {
      number += 1
      return list.insert(name, priority: 0, time: time, number: number)
    }
    let first = insert("at 0", 0)
    let places = [10.0, 20, 30].map { insert("at \(Int($0))", $0) }
    #expect(list.remove(first) == "at 0")
    #expect(list.remove(places[1]) == "at 20")
    _ = insert("at 20, back", 20)
    _ = insert("at 0, back", 0)
    _ = insert("at 30, too", 30)
    var order: [String] = []
    while let next = list.removeFirst() { order.append(next) }
    #expect(order == ["at 0, back", "at 10", "at 20, back", "at 30", "at 30, too"])
  }

  @Test("A waiter that has left cannot be removed again, even if its memory is reused")
  func stale() {
    var list = WaitingList<Int>()
    let first = list.insert(1, priority: 0, time: 0, number: 1)
    var left = [list.remove(first)]
    _ = list.insert(2, priority: 0, time: 0, number: 2)
    left.append(list.remove(first))
    #expect(list.count == 1)
    left += [list.removeFirst(), list.removeFirst()]
    #expect(left == [1, nil, 2, nil] && list.isEmpty)
  }
}
