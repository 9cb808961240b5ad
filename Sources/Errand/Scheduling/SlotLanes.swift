/// What a ``SlotTable`` keeps for each origin, found by its number; the one asked for last is found without a search.
struct SlotLanes<Waiter: Sendable>: Sendable {
  struct Lane: Sendable {
    /// `nil` while it is free.
    fileprivate(set) var origin: OriginNumber?
    var running = 0
    var waiting = WaitingList<Waiter>()

    @inline(__always)
    mutating func take(_ limit: Int, isExempt: Bool) -> Bool {
      guard isExempt || hasRoom(limit) && waiting.isEmpty else { return false }
      running += 1
      return true
    }

    mutating func serve(_ limit: Int) -> Waiter? {
      guard hasRoom(limit), let waiter = waiting.removeFirst() else { return nil }
      running += 1
      return waiter
    }

    private func hasRoom(_ limit: Int) -> Bool { limit == 0 || running < limit }
  }

  private var lanes: [Lane] = []
  private var free: [Int] = []
  private var found: [OriginNumber: Int] = [:]
  private var latest = 0
  /// Origins of which nothing runs are forgotten when there are more.
  private static var idleLimit: Int { 32 }

  subscript(index: Int) -> Lane {
    // Getting one would copy it.
    @inline(__always) _read { yield lanes[index] }
    @inline(__always) _modify { yield &lanes[index] }
  }

  var indices: Range<Int> { lanes.indices }

  /// The place of an origin's lane, which it keeps as long as anyone runs or waits there.
  @inline(__always)
  mutating func index(of origin: OriginNumber) -> Int {
    if latest < lanes.count, lanes[latest].origin == origin { return latest }
    latest = search(for: origin)
    return latest
  }

  @inline(never)
  private mutating func search(for origin: OriginNumber) -> Int {
    if let index = found[origin] { return index }
    let index = free.popLast() ?? lanes.count
    if index == lanes.count { lanes.append(Lane()) }
    lanes[index].origin = origin
    found[origin] = index
    return index
  }

  mutating func forgetIfIdle(_ index: Int) {
    guard found.count > Self.idleLimit, lanes[index].running == 0, lanes[index].waiting.isEmpty,
      let origin = lanes[index].origin
    else { return }
    found[origin] = nil
    lanes[index].origin = nil
    free.append(index)
  }
}
