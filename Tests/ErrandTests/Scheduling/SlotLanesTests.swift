import Testing

@testable import Errand

@Suite("The lanes of origins")
struct SlotLanesTests {
  @Test("Some of many idle origins are forgotten, and busy origins never share an index")
  func many() {
    var lanes = SlotLanes<Int>()
    for number in 0..<1000 {
      let index = lanes.index(of: OriginNumber(number))
      lanes.forgetIfIdle(index)
    }
    #expect(lanes.indices.count == 33)
    // The last removed lane was also the last looked-up lane.
    #expect(lanes.index(of: OriginNumber(999)) != lanes.index(of: OriginNumber(500)))
    let places = (0..<1000).map { number in
      let index = lanes.index(of: OriginNumber(number))
      lanes[index].running += 1
      return index
    }
    #expect(Set(places).count == 1000 && lanes.indices.count == 1000)
    #expect(lanes.indices.allSatisfy { lanes[$0].running == 1 })
    for place in places {
      lanes[place].running -= 1
      lanes.forgetIfIdle(place)
    }
    let again = (0..<1000).map { lanes.index(of: OriginNumber($0)) }
    #expect(Set(again).count == 1000 && lanes.indices.count == 1000)
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

  /// Requests `count` slots, and returns the number of acquired slots.
  private static func takes(_ count: Int, from table: inout SlotTable<Int>) -> Int {
    (0..<count).filter { _ in table.take(of: OriginNumber(1), isExempt: false) != nil }.count
  }
}

extension OriginNumber {
  fileprivate init(_ number: Int) { self.init(UInt64(number)) }
}
