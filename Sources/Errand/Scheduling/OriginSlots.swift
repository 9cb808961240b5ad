/// Hands out slots by origin, to so many at once, and lets the others wait without a thread.
///
/// The lock guards a table of continuations. The code that takes one out of the table resumes it, after the lock: so each is
/// resumed once.
final class OriginSlots: Sendable {
  private typealias Table = SlotTable<CheckedContinuation<Bool, Never>>

  /// A slot that was taken: to be ended once.
  struct Lease: Sendable {
    fileprivate let slots: OriginSlots
    fileprivate let slot: SlotTable<CheckedContinuation<Bool, Never>>.Slot

    /// Gives the slot back, to the next who waits.
    func end() { slots.release(slot) }

    /// Takes one more slot, free or not, for a transfer that was given up: it is ended too, once the connection is closed.
    ///
    /// - Returns: `false` where nothing was taken, as nothing of the origin runs any more.
    func keep() -> Bool { slots.table.withLock { $0.keep(slot) } }
  }

  /// What came of waiting for the turn of a serial request.
  struct Turn {
    /// `nil` where it did not come in time.
    let lease: Lease?
    let wait: Duration
    /// What the dispatch fails with, when its time is up.
    let expiry: Refusal?
  }

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

  /// Does something during which those that wait get no slot.
  func holding(_ body: () -> Void) {
    table.withLock { $0.hold() }
    body()
    let served = table.withLock { $0.resume() }
    for waiter in served { waiter.resume(returning: true) }
  }

  /// Takes a slot, if one is free or is not asked for.
  func take(_ origin: OriginNumber, isExempt: Bool) -> Lease? {
    table.withLock { $0.take(of: origin, isExempt: isExempt) }.map { Lease(slots: self, slot: $0) }
  }

  /// Waits for a slot, as long as the time of the attempt lets it: toward the deadline, and no limit of its own.
  ///
  /// Suspended while it waited, it lets others go first, and waits anew.
  func enter(
    _ origin: OriginNumber, priority: RequestPriority, within time: TimeLimits, clock: inout AttemptClock
  ) async throws -> Lease {
    // Those who have the slots may wait for these credentials, or for what one of their hooks sends.
    let rank = RefreshScope.isRefreshing || SlotHold.isHeld ? .exempt : priority
    let start = time.pause(&clock)
    defer {
      clock.slotWait += time.now - start
      time.resume(&clock)
    }
    while true {
      try await time.rest(clock.watch)
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

  /// Waits for the turn of a serial request: these slots are one, whatever the origin.
  ///
  /// A cancellation ends the wait too.
  func turn(_ time: TimeLimits) async -> Turn {
    let start = time.now
    let watch = time.deadlineWatch()
    defer { watch?.stop() }
    // One that rests from its start holds up no other. What ends the rest ends the wait too.
    try? await time.rest(watch)
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

  /// Waits for a slot; `nil` when the signal fires first.
  ///
  /// - Parameter time: on the agent's clock.
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
        // Runs at once when it has fired. The task goes on only after this closure, also when it is resumed meanwhile.
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
  /// Of no URL: the serial requests of an agent share one slot.
  fileprivate static let serial = OriginNumber(0)
}
