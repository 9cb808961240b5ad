/// Limits the number of concurrent transfers for each origin and `limitKey`, and over all origins.
///
/// A lock guards the table. Continuations are resumed after unlocking.
package final class OriginSlots: Sendable {
  /// The end of a wait.
  fileprivate enum End {
    case served
    /// `left`: the signal fired; `shed`: the full queue refused or removed the waiter.
    case left, shed
  }

  fileprivate typealias Table = SlotTable<CheckedContinuation<End, Never>>

  /// A held slot; call ``end()`` once, and once more after each successful ``takeExtraSlot()``.
  struct Lease: Sendable {
    fileprivate let slots: OriginSlots
    fileprivate let slot: Table.Slot

    func end() { slots.release(slot) }

    /// Records the latency of the transfer; returns the limit found by the origin's algorithm, if any.
    func record(_ latency: Duration, isOverload: Bool) -> ConcurrencyDecision? {
      slots.record(latency, isOverload: isOverload, of: slot)
    }

    /// Takes another slot, even beyond the limit; returns `false` if the table has removed the origin.
    func takeExtraSlot() -> Bool { slots.table.withLock { $0.takeExtraSlot(slot) } }
  }

  struct Turn {
    /// `nil`: a cancellation or the deadline ended the wait.
    let lease: Lease?
    let wait: Duration
    /// The error of a passed deadline, even after a cancellation.
    ///
    /// Check for a cancellation first.
    let expiry: Refusal?
  }

  private let table: Locked<Table>
  /// True if an algorithm finds the limit of each origin.
  let isAdaptive: Bool

  /// Creates an empty table of slots.
  ///
  /// - Parameters:
  ///   - limit: the initial ``limit`` on the slots of each origin; 0: no limit.
  ///   - cap: the initial ``cap`` on the slots of all origins together; 0: no cap.
  ///   - maxWaiting: the maximum number of waiters per origin; `nil`: no maximum.
  ///   - algorithm: finds the limit of each origin in place of `limit`; `nil`: none.
  init(
    limit: Int, cap: Int = 0, maxWaiting: Int? = nil, algorithm: (any ConcurrencyAlgorithm)? = nil
  ) {
    table = Locked(Table(limit: limit, cap: cap, maxWaiting: maxWaiting, algorithm: algorithm))
    isAdaptive = algorithm != nil
  }

  var limit: Int {
    get { table.withLock { $0.limit } }
    set {
      let served = table.withLock { $0.setLimit(newValue) }
      for waiter in served { waiter.resume(returning: .served) }
    }
  }

  var cap: Int {
    get { table.withLock { $0.cap } }
    set {
      let served = table.withLock { $0.setCap(newValue) }
      for waiter in served { waiter.resume(returning: .served) }
    }
  }

  var load: (running: Int, waiting: Int) { table.withLock { ($0.running, $0.waiting) } }

  /// Returns the algorithm of an origin and a limit key; `nil` if the limit is fixed, or the URL has no
  /// origin.
  package func algorithm(of url: String, key: String?) -> (any ConcurrencyAlgorithm)? {
    guard isAdaptive, let origin = OriginNumber(ofText: url)?.named(key) else { return nil }
    return table.withLock { $0.queues.algorithm(of: origin) }
  }

  /// Runs a closure during which no waiter gets a slot.
  func holding(_ body: () -> Void) {
    table.withLock { $0.hold() }
    body()
    let served = table.withLock { $0.resume() }
    for waiter in served { waiter.resume(returning: .served) }
  }

  func take(_ origin: OriginNumber, isExempt: Bool) -> Lease? {
    table.withLock { $0.take(of: origin, isExempt: isExempt) }.map { Lease(slots: self, slot: $0) }
  }

  /// Waits for a slot.
  ///
  /// The caller must pause the attempt timeout during the wait.
  func enter(
    _ origin: OriginNumber, priority: RequestPriority, at start: Duration, unless signals: TransferSignals
  ) async throws -> Lease {
    // Requests of a credential refresh, or under a ``HeldSlotMark``, are exempt from the limit, because the
    // holder of a slot may wait for such a request.
    let rank = RefreshScope.isRefreshing || HeldSlotMark.isHeld ? .exempt : priority
    while true {
      try await signals.waitWhileSuspended()
      let lease = try await wait(for: origin, rank, at: start, unless: signals.end)
      do {
        try signals.check()
        guard let lease else { throw CancellationError() }
        if signals.suspension?.isSuspended != true { return lease }
      } catch {
        lease?.end()
        throw error
      }
      lease?.end()
    }
  }

  /// Waits for the turn of a serial request; the serial requests to all origins share a slot.
  func turn(_ time: TimeLimits) async -> Turn {
    let start = time.now
    let watch = time.deadlineWatch()
    defer { watch?.stop() }
    // A suspended dispatch waits here, so that other dispatches are not delayed.
    try? await time.waitWhileSuspended(watch)
    if let lease = take(.serial, isExempt: false) {
      return Turn(lease: lease, wait: .zero, expiry: watch?.expiry)
    }
    // The queue of serial requests has no maximum, so the wait throws no error.
    let lease = try? await wait(
      for: .serial, RefreshScope.isRefreshing ? .exempt : .default, at: start,
      unless: watch?.signal ?? time.cancellation)
    return Turn(lease: lease, wait: time.now - start, expiry: watch?.expiry)
  }

  @inline(never)
  private func release(_ slot: Table.Slot) {
    let next = table.withLock { $0.release(slot) }
    next?.resume(returning: .served)
  }

  private func record(_ latency: Duration, isOverload: Bool, of slot: Table.Slot) -> ConcurrencyDecision? {
    let change = table.withLock { $0.record(latency, isOverload: isOverload, of: slot) }
    for waiter in change?.served ?? [] { waiter.resume(returning: .served) }
    return change?.decision
  }

  /// Waits for a slot; returns `nil` if the signal fires first, and throws if the queue is full.
  ///
  /// `time` is the start of the wait, on the agent's clock.
  private func wait(
    for origin: OriginNumber, _ priority: RequestPriority, at time: Duration,
    unless signal: CancellationSignal
  ) async throws -> Lease? {
    let time = time / .seconds(1)
    var handler: CancellationSignal.HandlerID?
    var slot: Table.Slot?
    let end = await withCheckedContinuation { (continuation: CheckedContinuation<End, Never>) in
      let entry = table.withLock { table in
        table.enter(continuation, for: origin, priority: priority, time: time)
      }
      switch entry {
      case .served(let free):
        slot = free
        continuation.resume(returning: .served)
      case .refused: continuation.resume(returning: .shed)
      case .waits(let place, let shed):
        slot = place.slot
        shed?.resume(returning: .shed)
        // If the signal has already fired, `onCancel` calls the handler at once.
        handler = signal.onCancel { [self] in leave(place) }
      }
    }
    if let handler { signal.removeHandler(handler) }
    switch end {
    case .served: return slot.map { Lease(slots: self, slot: $0) }
    case .left: return nil
    case .shed: throw refusal(hasWaited: slot != nil)
    }
  }

  private func leave(_ place: Table.Place) {
    let waiter = table.withLock { $0.leave(place) }
    waiter?.resume(returning: .left)
  }

  private func refusal(hasWaited: Bool) -> Refusal {
    let clause =
      hasWaited
      ? "a request of higher priority took the place in the queue of the origin"
      : "no slot is free, and the queue of the origin is full"
    let most = table.withLock(\.maxWaiting) ?? 0
    return Refusal("\(clause): maxWaitingPerOrigin is \(most)", kind: .queueFull)
  }
}

extension OriginNumber {
  fileprivate static let serial = OriginNumber(0)
}
