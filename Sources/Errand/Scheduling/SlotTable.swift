/// The held slots and the waiters of all origins, without locks and tasks.
struct SlotTable<Waiter: Sendable>: Sendable {
  /// A held slot; release the slot once, and once more after each successful ``takeExtraSlot(_:)``.
  struct Slot: Sendable {
    fileprivate let queue: Int
    fileprivate let origin: OriginNumber
  }

  struct Place: Sendable {
    fileprivate let queue: Int
    fileprivate let place: WaitingList<Waiter>.Place
    fileprivate let origin: OriginNumber

    var slot: Slot { Slot(queue: queue, origin: origin) }
  }

  enum Entry: Sendable {
    case served(Slot)
    /// The new waiter waits; `shed` is the waiter removed from a full queue in favor of the new waiter.
    case waits(Place, shed: Waiter?)
    /// The queue of the origin is full, and the new waiter would be the last in the queue.
    case refused
  }

  private(set) var limit: Int
  /// The maximum number of held slots over all origins; 0: no maximum.
  ///
  /// Exempt requests and extra slots count, and may exceed the maximum.
  private(set) var cap: Int
  let maxWaiting: Int?
  private(set) var running = 0
  private(set) var waiting = 0
  private(set) var queues: OriginQueues<Waiter>
  /// The queues that have a waiter and a free slot of their origin; empty without a cap.
  private var ready = RankHeap()
  private var lastNumber: UInt64 = 0
  /// The number of running holds; above 0, no waiter gets a slot.
  private var holds = 0

  init(
    limit: Int, cap: Int = 0, maxWaiting: Int? = nil, algorithm: (any ConcurrencyAlgorithm)? = nil
  ) {
    queues = OriginQueues(algorithm: algorithm)
    (self.limit, self.cap) = (max(limit, 0), max(cap, 0))
    self.maxWaiting = maxWaiting.map { max($0, 0) }
  }

  @inline(__always)
  mutating func take(of origin: OriginNumber, isExempt: Bool) -> Slot? {
    let queue = queues.index(of: origin)
    guard cap == 0 || isExempt || isUnderCap, queues[queue].take(limit, isExempt: isExempt) else {
      // Only with a cap, the queue of a refused slot may be idle.
      if cap > 0 { queues.forgetIfIdle(queue) }
      return nil
    }
    running += 1
    if cap > 0 { noteReady(queue) }
    return Slot(queue: queue, origin: origin)
  }

  private var isUnderCap: Bool { running < cap && ready.isEmpty }

  mutating func enter(
    _ waiter: Waiter, for origin: OriginNumber, priority: RequestPriority, time: Double
  ) -> Entry {
    if let slot = take(of: origin, isExempt: priority.isExempt) { return .served(slot) }
    let queue = queues.index(of: origin)
    lastNumber += 1
    var shed: Waiter?
    if let maxWaiting, queues[queue].waiting.count >= maxWaiting {
      shed = queues[queue].waiting.removeLast(after: priority.value, time: time, number: lastNumber)
      guard shed != nil else {
        queues.forgetIfIdle(queue)
        return .refused
      }
      waiting -= 1
    }
    waiting += 1
    let place = queues[queue].waiting.insert(
      waiter, priority: priority.value, time: time, number: lastNumber)
    noteReady(queue)
    return .waits(Place(queue: queue, place: place, origin: origin), shed: shed)
  }

  mutating func takeExtraSlot(_ slot: Slot) -> Bool {
    guard queues[slot.queue].origin == slot.origin else { return false }
    running += 1
    defer { noteReady(slot.queue) }
    return queues[slot.queue].take(limit, isExempt: true)
  }

  /// Releases a slot.
  ///
  /// The caller must resume the returned waiter, which now holds a slot.
  @inline(__always)
  mutating func release(_ slot: Slot) -> Waiter? {
    queues[slot.queue].running -= 1
    running -= 1
    if cap > 0 {
      noteReady(slot.queue)
      let next = serveReady()
      queues.forgetIfIdle(slot.queue)
      return next
    }
    if !queues[slot.queue].waiting.isEmpty, holds == 0, let next = queues[slot.queue].serve(limit) {
      waiting -= 1
      running += 1
      return next
    }
    if queues[slot.queue].running == 0 { queues.forgetIfIdle(slot.queue) }
    return nil
  }

  /// Removes a waiter; returns `nil` if the waiter already got a slot, or was shed.
  mutating func leave(_ place: Place) -> Waiter? {
    guard let waiter = queues[place.queue].waiting.remove(place.place) else { return nil }
    waiting -= 1
    noteReady(place.queue)
    queues.forgetIfIdle(place.queue)
    return waiter
  }

  /// Sets the limit.
  ///
  /// The caller must resume the returned waiters, which now hold a slot.
  mutating func setLimit(_ limit: Int) -> [Waiter] {
    self.limit = max(limit, 0)
    for queue in queues.indices { noteReady(queue) }
    return serve()
  }

  /// Sets the cap.
  ///
  /// The caller must resume the returned waiters, which now hold a slot.
  mutating func setCap(_ cap: Int) -> [Waiter] {
    self.cap = max(cap, 0)
    ready = RankHeap()
    for queue in queues.indices { noteReady(queue) }
    return serve()
  }

  /// Records a latency for the algorithm of the slot's origin.
  ///
  /// Returns the limit after the record, and the waiters that got a slot. Returns `nil` without an algorithm.
  mutating func record(
    _ latency: Duration, isOverload: Bool, of slot: Slot
  ) -> (decision: ConcurrencyDecision, served: [Waiter])? {
    let queue = slot.queue
    guard queues[queue].origin == slot.origin,
      let decision = queues[queue].record(latency, isOverload: isOverload)
    else { return nil }
    noteReady(queue)
    return (decision, decision.reason == nil ? [] : serve(queue))
  }

  mutating func hold() { holds += 1 }

  mutating func resume() -> [Waiter] {
    holds -= 1
    return serve()
  }

  private mutating func serve() -> [Waiter] {
    guard holds == 0, waiting > 0 else { return [] }
    var served: [Waiter] = []
    if cap > 0 {
      while let waiter = serveReady() { served.append(waiter) }
      return served
    }
    for queue in queues.indices {
      while let waiter = queues[queue].serve(limit) { served.append(waiter) }
    }
    waiting -= served.count
    running += served.count
    return served
  }

  private mutating func serve(_ queue: Int) -> [Waiter] {
    guard holds == 0, cap == 0 else { return serve() }
    var served: [Waiter] = []
    while let waiter = queues[queue].serve(limit) { served.append(waiter) }
    waiting -= served.count
    running += served.count
    return served
  }

  /// Gives a slot to the first waiter among the origins with a free slot, if the cap allows another slot.
  private mutating func serveReady() -> Waiter? {
    guard holds == 0, running < cap, let queue = ready.first, let next = queues[queue].serve(limit) else {
      return nil
    }
    waiting -= 1
    running += 1
    noteReady(queue)
    return next
  }

  private mutating func noteReady(_ queue: Int) {
    guard cap > 0 else { return }
    switch (queues[queue].readyRank(limit), ready.contains(queue)) {
    case (let rank?, true): ready.setRank(rank, of: queue)
    case (let rank?, false): ready.insert(queue, rank: rank)
    case (nil, true): ready.remove(queue)
    case (nil, false): break
    }
  }
}
