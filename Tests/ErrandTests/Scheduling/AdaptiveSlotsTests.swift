import Testing

@testable import Errand

@Suite("Slots with an algorithm")
struct AdaptiveSlotsTests {
  /// The limit is the number of whole seconds of the last latency.
  private struct LatencyAsLimit: ConcurrencyAlgorithm {
    var limit = 2
    var summary: String { "\(limit)" }
    mutating func record(_ sample: ConcurrencySample) -> String? {
      let before = limit
      limit = Int(sample.latency / .seconds(1))
      return limit == before ? nil : "\(sample.running) running, waiters \(sample.hasWaiters)"
    }
  }

  private typealias Table = SlotTable<Int>

  private static func slots(_ count: Int, in table: inout Table, origin: UInt64 = 1) -> [Table.Slot] {
    (0..<count).compactMap { _ in table.take(of: OriginNumber(origin), isExempt: false) }
  }

  private static func wait(_ waiters: ClosedRange<Int>, in table: inout Table) -> [Table.Slot] {
    waiters.compactMap { number in
      switch table.enter(number, for: OriginNumber(1), priority: .default, time: 0) {
      case .waits(let place, _): place.slot
      case .served, .refused: nil
      }
    }
  }

  @Test(
    "A higher limit serves waiters of the origin, a lower limit serves none, with and without a cap",
    arguments: [0, 4])
  func limits(cap: Int) {
    var table = Table(limit: 50, cap: cap, algorithm: LatencyAsLimit())
    let slots = Self.slots(5, in: &table)
    #expect(slots.count == 2)
    let waiting = Self.wait(1...4, in: &table)
    #expect(waiting.count == 4 && table.running == 2 && table.waiting == 4)

    let higher = table.record(.seconds(5), isOverload: false, of: slots[0])
    #expect(higher?.served == (cap == 0 ? [1, 2, 3] : [1, 2]))
    #expect(higher?.decision.limit == 5 && higher?.decision.reason == "2 running, waiters true")
    let afterHigher = table.release(slots[0])
    #expect(afterHigher == (cap == 0 ? 4 : 3))

    let lower = table.record(.seconds(1), isOverload: false, of: slots[1])
    #expect(lower?.served == [] && lower?.decision.limit == 1)
    let afterLower = table.release(slots[1])
    #expect(afterLower == nil)
    #expect(table.queues.algorithm(of: OriginNumber(1))?.limit == 1)
    #expect(table.queues.algorithm(of: OriginNumber(2))?.limit == 2)
  }

  @Test("A held table serves no waiter after a higher limit, and serves the waiters when resumed")
  func held() {
    var table = Table(limit: 50, algorithm: LatencyAsLimit())
    let slots = Self.slots(2, in: &table)
    _ = Self.wait(1...2, in: &table)
    table.hold()
    let held = table.record(.seconds(9), isOverload: false, of: slots[0])
    #expect(held?.served == [])
    let resumed = table.resume()
    #expect(resumed == [1, 2])
  }

  @Test("A change of the table's limit has no effect, and an equal limit is no change")
  func fixed() {
    var table = Table(limit: 50, algorithm: LatencyAsLimit())
    let slots = Self.slots(3, in: &table)
    let served = table.setLimit(9)
    let more = Self.slots(1, in: &table)
    #expect(served == [] && slots.count == 2 && more.isEmpty)
    let same = table.record(.seconds(2), isOverload: false, of: slots[0])
    #expect(same != nil && same?.decision.reason == nil)
    var plain = Table(limit: 3)
    let slot = Self.slots(1, in: &plain)[0]
    let unmeasured = plain.record(.seconds(2), isOverload: false, of: slot)
    #expect(unmeasured == nil)
  }

  @Test("Limits of 1,000 idle origins are kept")
  func idle() {
    var table = Table(limit: 50, algorithm: LatencyAsLimit())
    for origin in 1...1_001 {
      let slot = Self.slots(1, in: &table, origin: UInt64(origin))[0]
      _ = table.record(.seconds(7), isOverload: false, of: slot)
      _ = table.release(slot)
    }
    #expect(table.queues.algorithm(of: OriginNumber(1000))?.limit == 7)
    #expect(table.queues.algorithm(of: OriginNumber(1001))?.limit == 2)
  }
}
