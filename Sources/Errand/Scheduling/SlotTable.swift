/// The held slots and the waiters of all origins, without locks and tasks.
///
/// While there are waiters for an origin, the origin has no free slot, unless ``hold()`` is active.
struct SlotTable<Waiter: Sendable>: Sendable {
  /// A held slot; release the slot once, and once more after each successful ``keep(_:)``.
  struct Slot: Sendable {
    fileprivate let lane: Int
    fileprivate let origin: OriginNumber
  }

  /// The location of a waiter in the table.
  struct Place: Sendable {
    fileprivate let lane: Int
    fileprivate let place: WaitingList<Waiter>.Place
    fileprivate let origin: OriginNumber

    /// The slot that the waiter gets when served.
    var slot: Slot { Slot(lane: lane, origin: origin) }
  }

  enum Entry: Sendable {
    case served(Slot)
    case waits(Place)
  }

  private(set) var limit: Int
  private(set) var running = 0
  private(set) var waiting = 0
  private var lanes = SlotLanes<Waiter>()
  private var lastNumber: UInt64 = 0
  /// The number of calls of ``hold()`` without a matching ``resume()``; above 0, no waiter is served.
  private var holds = 0

  init(limit: Int) { self.limit = max(limit, 0) }

  @inline(__always)
  mutating func take(of origin: OriginNumber, isExempt: Bool) -> Slot? {
    let lane = lanes.index(of: origin)
    guard lanes[lane].take(limit, isExempt: isExempt) else { return nil }
    running += 1
    return Slot(lane: lane, origin: origin)
  }

  /// Takes a slot, or adds a waiter.
  mutating func enter(
    _ waiter: Waiter, for origin: OriginNumber, priority: RequestPriority, time: Double
  ) -> Entry {
    if let slot = take(of: origin, isExempt: priority.isExempt) { return .served(slot) }
    waiting += 1
    lastNumber += 1
    let lane = lanes.index(of: origin)
    let place = lanes[lane].waiting.insert(
      waiter, priority: priority.value, time: time, number: lastNumber)
    return .waits(Place(lane: lane, place: place, origin: origin))
  }

  /// Takes an additional slot; see ``OriginSlots/Lease/keep()``.
  mutating func keep(_ slot: Slot) -> Bool {
    guard lanes[slot.lane].origin == slot.origin else { return false }
    running += 1
    return lanes[slot.lane].take(limit, isExempt: true)
  }

  /// Releases a slot; returns the waiter that now holds the slot.
  @inline(__always)
  mutating func release(_ slot: Slot) -> Waiter? {
    lanes[slot.lane].running -= 1
    running -= 1
    if !lanes[slot.lane].waiting.isEmpty, holds == 0, let next = lanes[slot.lane].serve(limit) {
      waiting -= 1
      running += 1
      return next
    }
    if lanes[slot.lane].running == 0 { lanes.forgetIfIdle(slot.lane) }
    return nil
  }

  /// Removes a waiter; returns `nil` if the waiter already holds a slot.
  mutating func leave(_ place: Place) -> Waiter? {
    guard let waiter = lanes[place.lane].waiting.remove(place.place) else { return nil }
    waiting -= 1
    lanes.forgetIfIdle(place.lane)
    return waiter
  }

  /// Changes the limit; returns the waiters that now hold a slot.
  mutating func setLimit(_ limit: Int) -> [Waiter] {
    self.limit = max(limit, 0)
    return serve()
  }

  /// Stops serving waiters until a matching call of ``resume()``.
  mutating func hold() { holds += 1 }

  /// Ends a call of ``hold()``; returns the waiters that now hold a slot.
  mutating func resume() -> [Waiter] {
    holds -= 1
    return serve()
  }

  private mutating func serve() -> [Waiter] {
    guard holds == 0, waiting > 0 else { return [] }
    var served: [Waiter] = []
    for lane in lanes.indices {
      while let waiter = lanes[lane].serve(limit) { served.append(waiter) }
    }
    waiting -= served.count
    running += served.count
    return served
  }
}
