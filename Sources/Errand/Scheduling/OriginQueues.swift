/// An object, because a check of an optional value of a protocol type calls the runtime.
final class AlgorithmBox: Sendable {
  let algorithm: any ConcurrencyAlgorithm

  init(_ algorithm: any ConcurrencyAlgorithm) { self.algorithm = algorithm }
}

struct OriginQueues<Waiter: Sendable>: Sendable {
  struct OriginQueue: Sendable {
    /// `nil`: the queue is unused.
    fileprivate(set) var origin: OriginNumber?
    var running = 0
    var waiting = WaitingList<Waiter>()
    /// Determines the limit of the origin; `nil`: the limit of the table applies.
    fileprivate(set) var algorithm: AlgorithmBox?

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

    mutating func record(_ latency: Duration, isOverload: Bool) -> ConcurrencyDecision? {
      let sample = ConcurrencySample(
        latency: latency, isOverload: isOverload, running: running, hasWaiters: !waiting.isEmpty)
      guard var algorithm = algorithm?.algorithm else { return nil }
      let reason = algorithm.record(sample)
      self.algorithm = AlgorithmBox(algorithm)
      return ConcurrencyDecision(limit: algorithm.limit, reason: reason)
    }

    @inline(__always)
    private func hasRoom(_ limit: Int) -> Bool {
      if algorithm != nil { return hasRoomByAlgorithm }
      return limit == 0 || running < limit
    }

    private var hasRoomByAlgorithm: Bool {
      @inline(never) get { algorithm.map { running < $0.algorithm.limit } ?? true }
    }
  }

  private var queues: [OriginQueue] = []
  private var free: [Int] = []
  private var found: [OriginNumber: Int] = [:]
  private var latest = 0
  /// The initial algorithm for each new origin; `nil`: the table has a fixed limit.
  private let algorithm: AlgorithmBox?
  /// The number of origins beyond which idle origins are removed.
  ///
  /// With an algorithm, more origins stay, because a removed origin loses its limit.
  private var idleLimit: Int { algorithm == nil ? 32 : 1000 }

  init(algorithm: (any ConcurrencyAlgorithm)? = nil) { self.algorithm = algorithm.map(AlgorithmBox.init) }

  subscript(index: Int) -> OriginQueue {
    // Accessed in place, because a getter would copy the queue.
    @inline(__always) _read { yield queues[index] }
    @inline(__always) _modify { yield &queues[index] }
  }

  var indices: Range<Int> { queues.indices }

  /// Returns the index of the origin's queue.
  ///
  /// The index stays constant while attempts hold slots of the origin, or wait for slots.
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
    queues[index].algorithm = algorithm
    found[origin] = index
    return index
  }

  /// Returns the algorithm of an origin, or else the initial algorithm; `nil`: the table has a fixed limit.
  func algorithm(of origin: OriginNumber) -> (any ConcurrencyAlgorithm)? {
    (found[origin].flatMap { queues[$0].algorithm } ?? algorithm)?.algorithm
  }

  mutating func forgetIfIdle(_ index: Int) {
    guard found.count > idleLimit, queues[index].running == 0, queues[index].waiting.isEmpty,
      let origin = queues[index].origin
    else { return }
    found[origin] = nil
    queues[index].origin = nil
    free.append(index)
  }
}
