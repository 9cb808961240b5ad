import Testing

@testable import Errand

@Suite("The queues of origins")
struct OriginQueuesTests {
  @Test("Some of many idle origins are forgotten, and busy origins never share an index")
  func many() {
    var queues = OriginQueues<Int>()
    for number in 0..<1000 {
      let index = queues.index(of: OriginNumber(number))
      queues.forgetIfIdle(index)
    }
    #expect(queues.indices.count == 33)
    // The last removed queue was also the last looked-up queue.
    #expect(queues.index(of: OriginNumber(999)) != queues.index(of: OriginNumber(500)))
    let places = (0..<1000).map { number in
      let index = queues.index(of: OriginNumber(number))
      queues[index].running += 1
      return index
    }
    #expect(Set(places).count == 1000 && queues.indices.count == 1000)
    #expect(queues.indices.allSatisfy { queues[$0].running == 1 })
    for place in places {
      queues[place].running -= 1
      queues.forgetIfIdle(place)
    }
    let again = (0..<1000).map { queues.index(of: OriginNumber($0)) }
    #expect(Set(again).count == 1000 && queues.indices.count == 1000)
  }

  @Test("A table without a limit always grants a slot, from its start and later")
  func unlimited() {
    var table = SlotTable<Int>(limit: 0)
    #expect(Self.takes(100, from: &table) == 100)
    #expect(table.limit == 0 && table.running == 100)
    var limited = SlotTable<Int>(limit: 1)
    #expect(Self.takes(2, from: &limited) == 1)
    let served = limited.setLimit(-1)
    #expect(served == [] && limited.limit == 0)
    #expect(Self.takes(100, from: &limited) == 100)
  }

  @Test("A table with a cap forgets idle origins beyond 32, though each release serves another origin")
  func cap() throws {
    var table = SlotTable<Int>(limit: 0, cap: 1)
    let first = table.take(of: OriginNumber(0), isExempt: false)
    var slot = try #require(first)
    for number in 1...100 {
      let entry = table.enter(number, for: OriginNumber(number), priority: .default, time: 0)
      guard case .waits(let place, _) = entry else {
        Issue.record("the cap did not hold back request \(number)")
        return
      }
      let served = table.release(slot)
      #expect(served == number)
      slot = place.slot
    }
    #expect(table.originCount == 32)
    for number in 200..<300 {
      let refused = table.take(of: OriginNumber(number), isExempt: false)
      #expect(refused == nil)
    }
    let last = table.release(slot)
    #expect(last == nil && table.originCount == 32 && table.running == 0)
  }

  private static func takes(_ count: Int, from table: inout SlotTable<Int>) -> Int {
    (0..<count).filter { _ in table.take(of: OriginNumber(1), isExempt: false) != nil }.count
  }
}

extension OriginNumber {
  fileprivate init(_ number: Int) { self.init(UInt64(number)) }
}
