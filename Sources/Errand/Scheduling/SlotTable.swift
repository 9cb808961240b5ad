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
    case waits(Place)
  }

  private(set) var limit: Int
  private(set) var running = 0
  private(set) var waiting = 0
  private var queues = OriginQueues<Waiter>()
  private var lastNumber: UInt64 = 0
  /// Above 0, no waiter is served.
  private var holds = 0

  init(limit: Int) { self.limit = max(limit, 0) }

  @inline(__always)
  mutating func take(of origin: OriginNumber, isExempt: Bool) -> Slot? {
    let queue = queues.index(of: origin)
    guard queues[queue].take(limit, isExempt: isExempt) else { return nil }
    running += 1
    return Slot(queue: queue, origin: origin)
  }

  mutating func enter(
    _ waiter: Waiter, for origin: OriginNumber, priority: RequestPriority, time: Double
  ) -> Entry {
    if let slot = take(of: origin, isExempt: priority.isExempt) { return .served(slot) }
    waiting += 1
    lastNumber += 1
    let queue = queues.index(of: origin)
    let place = queues[queue].waiting.insert(
      waiter, priority: priority.value, time: time, number: lastNumber)
    return .waits(Place(queue: queue, place: place, origin: origin))
  }

  mutating func takeExtraSlot(_ slot: Slot) -> Bool {
    guard queues[slot.queue].origin == slot.origin else { return false }
    running += 1
    return queues[slot.queue].take(limit, isExempt: true)
  }

  /// Releases a slot; returns the waiter that now holds the slot, if any.
  @inline(__always)
  mutating func release(_ slot: Slot) -> Waiter? {
    queues[slot.queue].running -= 1
    running -= 1
    if !queues[slot.queue].waiting.isEmpty, holds == 0, let next = queues[slot.queue].serve(limit) {
      waiting -= 1
      running += 1
      return next
    }
    if queues[slot.queue].running == 0 { queues.forgetIfIdle(slot.queue) }
    return nil
  }

  /// Removes a waiter; returns `nil` if the waiter already has a slot.
  mutating func leave(_ place: Place) -> Waiter? {
    guard let waiter = queues[place.queue].waiting.remove(place.place) else { return nil }
    waiting -= 1
    queues.forgetIfIdle(place.queue)
    return waiter
  }

  /// Sets the limit; returns the waiters that got a slot by the change.
  mutating func setLimit(_ limit: Int) -> [Waiter] {
    self.limit = max(limit, 0)
    return serve()
  }

  mutating func hold() { holds += 1 }

  mutating func resume() -> [Waiter] {
    holds -= 1
    return serve()
  }

  private mutating func serve() -> [Waiter] {
    guard holds == 0, waiting > 0 else { return [] }
    var served: [Waiter] = []
    for queue in queues.indices {
      while let waiter = queues[queue].serve(limit) { served.append(waiter) }
    }
    waiting -= served.count
    running += served.count
    return served
  }
}
