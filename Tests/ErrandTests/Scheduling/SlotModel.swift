@testable import Errand

struct SlotModel {
  struct Waiting {
    let id: Int
    let origin: OriginNumber
    let rank: Double
  }

  var limit: Int
  var isHeld = false
  /// By origin, unordered.
  var running: [OriginNumber: [Int]] = [:]
  /// In order of arrival.
  var waiting: [Waiting] = []

  private func hasRoom(_ origin: OriginNumber) -> Bool {
    limit == 0 || running[origin, default: []].count < limit
  }

  /// Returns true if the request gets a slot at once.
  mutating func submit(
    _ id: Int, _ origin: OriginNumber, _ priority: RequestPriority, time: Double
  ) -> Bool {
    if priority.isExempt || hasRoom(origin) && !waiting.contains(where: { $0.origin == origin }) {
      running[origin, default: []].append(id)
      return true
    }
    waiting.append(Waiting(id: id, origin: origin, rank: time - 60 * priority.value))
    return false
  }

  mutating func finish(_ id: Int, _ origin: OriginNumber) -> [Int] {
    running[origin]?.removeAll { $0 == id }
    return start()
  }

  mutating func cancel(_ id: Int) -> Bool {
    let count = waiting.count
    waiting.removeAll { $0.id == id }
    return waiting.count < count
  }

  mutating func setLimit(_ limit: Int) -> [Int] {
    self.limit = limit
    return start()
  }

  mutating func setHeld(_ isHeld: Bool) -> [Int] {
    self.isHeld = isHeld
    return isHeld ? [] : start()
  }

  private mutating func start() -> [Int] {
    if isHeld { return [] }
    var started: [Int] = []
    while let next = next() {
      let waiter = waiting.remove(at: next)
      running[waiter.origin, default: []].append(waiter.id)
      started.append(waiter.id)
    }
    return started
  }

  /// The lowest rank among origins with free slots; origins do not compete.
  private func next() -> Int? {
    waiting.indices.filter { hasRoom(waiting[$0].origin) }.min { waiting[$0].rank < waiting[$1].rank }
  }
}
