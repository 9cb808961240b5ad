struct OriginQueues<Waiter: Sendable>: Sendable {
  struct OriginQueue: Sendable {
    /// `nil`: unused.
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

    func readyRank(_ limit: Int) -> RankHeap.Rank? { hasRoom(limit) ? waiting.firstRank : nil }

    private func hasRoom(_ limit: Int) -> Bool { limit == 0 || running < limit }
  }

  private var queues: [OriginQueue] = []
  private var free: [Int] = []
  private var found: [OriginNumber: Int] = [:]
  private var latest = 0
  /// The number of origins beyond which idle origins are removed.
  private static var idleLimit: Int { 32 }

  subscript(index: Int) -> OriginQueue {
    // Accessed in place, because a getter would copy the queue.
    @inline(__always) _read { yield queues[index] }
    @inline(__always) _modify { yield &queues[index] }
  }

  var indices: Range<Int> { queues.indices }

  /// The index of an origin stays constant while attempts hold slots of the origin, or wait for slots.
  @inline(__always)
  mutating func index(of origin: OriginNumber) -> Int {
    if latest < queues.count, queues[latest].origin == origin { return latest }
    latest = search(for: origin)
    return latest
  }

  @inline(never)
  private mutating func search(for origin: OriginNumber) -> Int {
    if let index = found[origin] { return index }
    let index = free.popLast() ?? queues.count
    if index == queues.count { queues.append(OriginQueue()) }
    queues[index].origin = origin
    found[origin] = index
    return index
  }

  mutating func forgetIfIdle(_ index: Int) {
    guard found.count > Self.idleLimit, queues[index].running == 0, queues[index].waiting.isEmpty,
      let origin = queues[index].origin
    else { return }
    found[origin] = nil
    queues[index].origin = nil
    free.append(index)
  }
}
