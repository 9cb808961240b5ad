@testable import Errand

/// A simple and slow model of ``SlotTable``.
struct SlotModel {
  enum Entry: Equatable {
    case served, refused
    case waits(shed: Int?)
  }

  struct Waiting {
    let id: Int
    let origin: OriginNumber
    let rank: Double
  }

  var limit: Int
  var cap = 0
  var maxWaiting: Int?
  var isHeld = false
  /// Unordered.
  var running: [OriginNumber: [Int]] = [:]
  /// In order of arrival.
  var waiting: [Waiting] = []

  /// The number of origins with a running or waiting request.
  var busyCount: Int { Set(running.keys).union(waiting.map(\.origin)).count }

  private func hasRoom(_ origin: OriginNumber) -> Bool {
    limit == 0 || running[origin, default: []].count < limit
  }

  private var isUnderCap: Bool { cap == 0 || running.values.reduce(0) { $0 + $1.count } < cap }

  mutating func submit(
    _ id: Int, _ origin: OriginNumber, _ priority: RequestPriority, time: Double
  ) -> Entry {
    let isFirst = !waiting.contains { $0.origin == origin }
    let isHeldBack = cap > 0 && waiting.contains { hasRoom($0.origin) }
    if priority.isExempt || hasRoom(origin) && isFirst && isUnderCap && !isHeldBack {
      running[origin, default: []].append(id)
      return .served
    }
    let rank = time - 60 * priority.value
    var shed: Int?
    let queue = waiting.filter { $0.origin == origin }
    if let maxWaiting, queue.count >= maxWaiting {
      // Among equal ranks, the latest is the last.
      guard let last = queue.reversed().max(by: { $0.rank < $1.rank }), rank < last.rank else {
        return .refused
      }
      shed = last.id
      waiting.removeAll { $0.id == last.id }
    }
    waiting.append(Waiting(id: id, origin: origin, rank: rank))
    return .waits(shed: shed)
  }

  /// Frees the slot of a request, and returns the requests that start.
  mutating func finish(_ id: Int, _ origin: OriginNumber) -> [Int] {
    running[origin]?.removeAll { $0 == id }
    if running[origin]?.isEmpty == true { running[origin] = nil }
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

  mutating func setCap(_ cap: Int) -> [Int] {
    self.cap = cap
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

  /// The index of the waiter with the lowest rank among origins with free slots.
  ///
  /// Without a cap, origins do not compete.
  private func next() -> Int? {
    guard isUnderCap else { return nil }
    return waiting.indices.filter { hasRoom(waiting[$0].origin) }.min { waiting[$0].rank < waiting[$1].rank }
  }
}

extension SlotTable {
  /// The number of origins with a queue, including idle origins.
  var originCount: Int { queues.indices.filter { queues[$0].origin != nil }.count }
}
