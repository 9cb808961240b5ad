/// Limits the number of concurrent transfers for each origin.
///
/// A lock guards the table. Continuations are resumed after unlocking.
final class OriginSlots: Sendable {
  private typealias Table = SlotTable<CheckedContinuation<Bool, Never>>

  /// A held slot; call ``end()`` once, and once more after each successful ``takeExtraSlot()``.
  struct Lease: Sendable {
    fileprivate let slots: OriginSlots
    fileprivate let slot: SlotTable<CheckedContinuation<Bool, Never>>.Slot

    func end() { slots.release(slot) }

    /// Acquires a further slot, even beyond the limit; returns `false` if the table has removed the origin.
    func takeExtraSlot() -> Bool { slots.table.withLock { $0.takeExtraSlot(slot) } }
  }

  struct Turn {
    /// `nil`: a cancellation or the deadline ended the wait.
    let lease: Lease?
    let wait: Duration
    /// The failure of the deadline; also set after a cancellation, so check for a cancellation first.
    let expiry: Refusal?
  }

  private let table: Locked<Table>

  init(limit: Int) { table = Locked(Table(limit: limit)) }

  /// The maximum number of concurrent transfers for an origin; 0: no limit.
  var limit: Int {
    get { table.withLock { $0.limit } }
    set {
      let served = table.withLock { $0.setLimit(newValue) }
      for waiter in served { waiter.resume(returning: true) }
    }
  }

  var load: (running: Int, waiting: Int) { table.withLock { ($0.running, $0.waiting) } }

  /// Runs a closure during which no waiter gets a slot.
  func holding(_ body: () -> Void) {
    table.withLock { $0.hold() }
    body()
    let served = table.withLock { $0.resume() }
    for waiter in served { waiter.resume(returning: true) }
  }

  func take(_ origin: OriginNumber, isExempt: Bool) -> Lease? {
    table.withLock { $0.take(of: origin, isExempt: isExempt) }.map { Lease(slots: self, slot: $0) }
  }

  /// Waits for a slot, with a paused attempt timeout.
  ///
  /// A dispatch that is suspended when it gets the slot returns the slot, and waits again later.
  func enter(
    _ origin: OriginNumber, priority: RequestPriority, within time: TimeLimits, clock: inout AttemptClock
  ) async throws -> Lease {
    // Requests of a credential refresh or of a marked hook (``HeldSlotMark``) are exempt from the limit,
    // because a slot's holder may wait for the request.
    let rank = RefreshScope.isRefreshing || HeldSlotMark.isHeld ? .exempt : priority
    let start = time.pause(&clock)
    defer {
      clock.slotWait += time.now - start
      time.resume(&clock)
    }
    while true {
      try await time.waitWhileSuspended(clock.watch)
      let lease = await wait(for: origin, rank, at: start, unless: time.signal(clock.watch))
      do {
        try time.check(clock.watch)
        guard let lease else { throw CancellationError() }
        if time.suspension?.isSuspended != true { return lease }
      } catch {
        lease?.end()
        throw error
      }
      lease?.end()
    }
  }

  /// Waits for the turn of a serial request; one slot serves the serial requests to all origins.
  func turn(_ time: TimeLimits) async -> Turn {
    let start = time.now
    let watch = time.deadlineWatch()
    defer { watch?.stop() }
    // A suspended dispatch waits here, so that other dispatches are not delayed.
    try? await time.waitWhileSuspended(watch)
    if let lease = take(.serial, isExempt: false) {
      return Turn(lease: lease, wait: .zero, expiry: watch?.expiry)
    }
    let lease = await wait(
      for: .serial, RefreshScope.isRefreshing ? .exempt : .default, at: start,
      unless: watch?.signal ?? time.cancellation)
    return Turn(lease: lease, wait: time.now - start, expiry: watch?.expiry)
  }

  @inline(never)
  private func release(_ slot: Table.Slot) {
    let next = table.withLock { $0.release(slot) }
    next?.resume(returning: true)
  }

  /// Waits for a slot; returns `nil` if the signal fires first.
  ///
  /// - Parameter time: the start of the wait, on the agent's clock.
  private func wait(
    for origin: OriginNumber, _ priority: RequestPriority, at time: Duration,
    unless signal: CancellationSignal
  ) async -> Lease? {
    let time = time / .seconds(1)
    var handler: CancellationSignal.HandlerID?
    var slot: Table.Slot?
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
        // If the signal has fired, the handler runs before the closure returns.
        handler = signal.onCancel { [self] in leave(place) }
      }
    }
    if let handler { signal.removeHandler(handler) }
    return isServed ? slot.map { Lease(slots: self, slot: $0) } : nil
  }

  private func leave(_ place: Table.Place) {
    let waiter = table.withLock { $0.leave(place) }
    waiter?.resume(returning: false)
  }
}

extension OriginNumber {
  fileprivate static let serial = OriginNumber(0)
}
