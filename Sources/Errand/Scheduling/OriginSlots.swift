/// Hands out slots by origin, to so many at once, and lets the others wait without a thread.
///
/// The lock guards a table of continuations. Whoever takes one out of the table resumes it, after the lock: so each is
/// resumed once.
final class OriginSlots: Sendable {
  private typealias Table = SlotTable<CheckedContinuation<Bool, Never>>
  typealias Slot = SlotTable<CheckedContinuation<Bool, Never>>.Slot

  private let table: Locked<Table>

  init(limit: Int) { table = Locked(Table(limit: limit)) }

  /// How many may have a slot of one origin at once; 0 for any number.
  var limit: Int {
    get { table.withLock { $0.limit } }
    set {
      let served = table.withLock { $0.setLimit(newValue) }
      for waiter in served { waiter.resume(returning: true) }
    }
  }

  /// How many have a slot, and how many wait for one.
  var load: (running: Int, waiting: Int) { table.withLock { ($0.running, $0.waiting) } }

  /// Does something during which nobody who waits is served.
  func holding(_ body: () -> Void) {
    table.withLock { $0.hold() }
    body()
    let served = table.withLock { $0.resume() }
    for waiter in served { waiter.resume(returning: true) }
  }

  /// Takes a slot, if one is free or is not asked for.
  @inline(__always)
  func take(_ origin: OriginNumber, isExempt: Bool) -> Slot? {
    table.withLock { $0.take(of: origin, isExempt: isExempt) }
  }

  /// Gives a slot back, to the next who waits.
  @inline(__always)
  func release(_ slot: Slot) {
    let next = table.withLock { $0.release(slot) }
    next?.resume(returning: true)
  }

  /// Waits for a slot; `nil` when the signal fires first.
  ///
  /// - Parameter time: on the agent's clock.
  func wait(
    for origin: OriginNumber, _ priority: RequestPriority, at time: Duration,
    unless signal: CancellationSignal
  ) async -> Slot? {
    let time = time / .seconds(1)
    var handler: CancellationSignal.HandlerID?
    var slot: Slot?
    let isServed = await withCheckedContinuation { continuation in
      let entry = table.withLock { table in
        table.enter(continuation, for: origin, priority: priority, time: time)
      }
      switch entry {
      case .served(let free):
        slot = free
        continuation.resume(returning: true)
      case .waits(let place):
        slot = place.slot
        // Runs at once when it has fired. The task goes on only after this closure, also when it is resumed meanwhile.
        handler = signal.onCancel { [self] in leave(place) }
      }
    }
    if let handler { signal.removeHandler(handler) }
    return isServed ? slot : nil
  }

  private func leave(_ place: Table.Place) {
    let waiter = table.withLock { $0.leave(place) }
    waiter?.resume(returning: false)
  }
}
