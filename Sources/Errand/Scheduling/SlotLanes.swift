/// The held slots and the waiters of each origin, for a ``SlotTable``.
struct SlotLanes<Waiter: Sendable>: Sendable {
  /// The number of held slots of an origin, and the waiters.
  struct Lane: Sendable {
    /// The origin of the lane; `nil`: the lane is unused.
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
  /// The number of origins beyond which idle origins are removed.
  private static var idleLimit: Int { 32 }

  subscript(index: Int) -> Lane {
    // Accessed in place, because a getter would copy the lane.
    @inline(__always) _read { yield lanes[index] }
    @inline(__always) _modify { yield &lanes[index] }
  }

  var indices: Range<Int> { lanes.indices }

  /// Returns the index of an origin's lane, which stays the same while slots are held or waited for.
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
