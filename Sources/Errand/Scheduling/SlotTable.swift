/// The slots of all origins, and who waits for them: the scheduler without its locks and tasks.
///
/// As long as anyone waits for an origin, it has no free slot, unless the table is held.
struct SlotTable<Waiter: Sendable>: Sendable {
  /// A slot that was taken, to be given back once.
  struct Slot: Sendable {
    fileprivate let lane: Int
    fileprivate let origin: OriginNumber
  }

  /// Finds a waiter again.
  struct Place: Sendable {
    fileprivate let lane: Int
    fileprivate let place: WaitingList<Waiter>.Place
    fileprivate let origin: OriginNumber

    /// The slot that the waiter has once it was served.
    var slot: Slot { Slot(lane: lane, origin: origin) }
  }

  /// What came of entering.
  enum Entry: Sendable {
    case served(Slot)
    case waits(Place)
  }

  /// How many may run at once for an origin; 0 for any number.
  private(set) var limit: Int
  /// How many run.
  private(set) var running = 0
  /// How many wait.
  private(set) var waiting = 0
  private var lanes = SlotLanes<Waiter>()
  private var lastNumber: UInt64 = 0
  /// How many keep those that wait from being served.
  private var holds = 0

  init(limit: Int) { self.limit = max(limit, 0) }

  /// Takes a slot, if one is free or is not asked for.
  @inline(__always)
  mutating func take(of origin: OriginNumber, isExempt: Bool) -> Slot? {
    let lane = lanes.index(of: origin)
    guard lanes[lane].take(limit, isExempt: isExempt) else { return nil }
    running += 1
    return Slot(lane: lane, origin: origin)
  }

  /// Takes a slot, or lets a waiter wait for one.
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

  /// Takes one more slot of the same origin, free or not, to be given back too; `false` where the slot was given back, and the origin is forgotten.
  mutating func keep(_ slot: Slot) -> Bool {
    guard lanes[slot.lane].origin == slot.origin else { return false }
    running += 1
    return lanes[slot.lane].take(limit, isExempt: true)
  }

  /// Gives a slot back; gives the waiter who has it now.
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

  /// Takes a waiter out; `nil` when it has a slot.
  mutating func leave(_ place: Place) -> Waiter? {
    guard let waiter = lanes[place.lane].waiting.remove(place.place) else { return nil }
    waiting -= 1
    lanes.forgetIfIdle(place.lane)
    return waiter
  }

  /// Changes the limit; gives the waiters who have a slot now.
  mutating func setLimit(_ limit: Int) -> [Waiter] {
    self.limit = max(limit, 0)
    return serve()
  }

  /// Gives no slot to those that wait until ``resume()`` was called as often.
  mutating func hold() { holds += 1 }

  /// Gives the waiters who have a slot now.
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
