import Foundation

/// The stages `throttle` and `hostSlot` of an attempt.
struct OriginGate<R: Request>: Sendable {
  let dispatch: Dispatch<R>

  /// Checks the circuit breaker; returns the admission if a rate limit applies to the attempt.
  @inline(never)
  func admit(_ attempt: Attempt) throws -> Admission? {
    guard dispatch.agent.origins.isNeeded(for: dispatch.request),
      let origin = attempt.sent.request.flatMap({ Origin($0.url) })
    else { return nil }
    attempt.stage = .throttle
    let admission = Admission(
      OriginKey(
        origin: origin, name: dispatch.request.limitKey, overrideNumber: dispatch.entry.overrideNumber))
    attempt.admission = admission
    let isFirst =
      attempt.number == 1 && !dispatch.wire.mayMock(dispatch.request)
      && dispatch.agent.tools.responders.isEmpty
    return try dispatch.agent.origins.admit(admission, of: dispatch.request, isFirst: isFirst)
      ? admission : nil
  }

  @inline(never)
  func waitForRate(of admission: Admission, in attempt: Attempt) async throws {
    let waitedBefore = attempt.clock.throttleWait
    try await dispatch.agent.origins.waitForRate(
      of: admission, within: dispatch.time, clock: &attempt.clock
    ) {
      note(.waiting(.throttle))
    }
    if attempt.clock.throttleWait > waitedBefore { note(.running) }
  }

  @inline(never)
  private func note(_ state: LiveDispatch.State) {
    dispatch.agent.inFlight.note(state, of: dispatch.entry)
  }

  /// Takes a free slot, if needed; returns the origin if the attempt must wait for a slot.
  @inline(never)
  func takeFreeSlot(_ attempt: Attempt) -> OriginNumber? {
    attempt.stage = .hostSlot
    let text = attempt.hops.redirects.first?.from.absoluteString ?? attempt.sent.request?.location.text
    guard let text, let origin = OriginNumber(ofText: text)?.named(dispatch.request.limitKey) else {
      return nil
    }
    let suspension = dispatch.time.suspension
    if suspension == nil || suspension?.isSuspended == false {
      attempt.transferState.lease = dispatch.agent.slots.take(
        origin, isExempt: dispatch.wire.priority.isExempt)
    }
    return attempt.transferState.lease == nil ? origin : nil
  }

  /// Waits for a slot; with a rate limit, also for the end of a pause that the server has requested.
  @inline(never)
  func waitForSlot(of origin: OriginNumber, in attempt: Attempt) async throws {
    defer { note(.running) }
    repeat {
      note(.waiting(.hostSlot))
      try await enter(origin, in: attempt)
    } while try await hasWaitedForServer(attempt)
    // Checked before signing, because a request to an open circuit needs no credentials.
    if let admission = attempt.admission { try dispatch.agent.origins.checkCircuit(admission) }
  }

  @inline(__always)
  private func enter(_ origin: OriginNumber, in attempt: Attempt) async throws {
    let start = dispatch.time.pause(&attempt.clock)
    defer {
      attempt.clock.slotWait += dispatch.time.now - start
      dispatch.time.resume(&attempt.clock)
    }
    attempt.transferState.lease = try await dispatch.agent.slots.enter(
      origin, priority: dispatch.wire.priority, at: start,
      unless: TransferSignals(dispatch.time, watch: attempt.clock.watch))
  }

  /// Waits for the end of a pause that the server has requested; returns false without a pause.
  ///
  /// During the wait, the attempt holds no slot.
  private func hasWaitedForServer(_ attempt: Attempt) async throws -> Bool {
    guard let admission = attempt.admission, dispatch.agent.origins.returnTokenIfPaused(admission) else {
      return false
    }
    attempt.giveSlotBack()
    attempt.stage = .throttle
    try await dispatch.agent.origins.waitForRate(of: admission, within: dispatch.time, clock: &attempt.clock)
    {
      note(.waiting(.throttle))
    }
    attempt.stage = .hostSlot
    return true
  }
}
