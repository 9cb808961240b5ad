import Foundation

/// The stages `throttle` and `hostSlot` of an attempt: waits for the leave of an origin, and for a slot there.
struct OriginGate<R: Request>: Sendable {
  let dispatch: Dispatch<R>

  /// Asks for the origin's leave, and waits for it.
  func admit(_ http: HTTPRequest, in attempt: inout Attempt) async throws {
    guard let origin = Origin(http.url) else { return }
    attempt.stage = .throttle
    let admission = Admission(OriginKey(origin: origin, overrideNumber: dispatch.entry.overrideNumber))
    attempt.admission = admission
    let waitedBefore = attempt.clock.throttleWait
    try await dispatch.agent.origins.admit(
      admission, of: dispatch.request, isFirst: attempt.number == 1, within: dispatch.time,
      clock: &attempt.clock
    ) {
      note(.waiting(.throttle))
    }
    if attempt.clock.throttleWait > waitedBefore { note(.running) }
  }

  /// Notes how far the dispatch is, for whoever lists them.
  private func note(_ state: LiveDispatch.State) {
    dispatch.agent.inFlight.note(state, of: dispatch.entry)
  }

  /// Takes a slot of the origin that the attempt is for, if one is free.
  ///
  /// It is that of the first URL of the attempt: a redirect keeps it, wherever it leads.
  ///
  /// - Returns: the origin whose slot is to be waited for; `nil` where there is nothing to wait for.
  @inline(never)
  func takeFreeSlot(for url: URL, in attempt: inout Attempt) -> OriginNumber? {
    attempt.stage = .hostSlot
    guard let origin = OriginNumber(of: url) else { return nil }
    let suspension = dispatch.time.suspension
    if suspension == nil || suspension?.isSuspended == false {
      attempt.transferState.lease = dispatch.agent.slots.take(
        origin, isExempt: dispatch.wire.priority.isExempt)
    }
    return attempt.transferState.lease == nil ? origin : nil
  }

  /// Waits until the origin has a slot, and its server wants to be asked.
  @inline(never)
  func waitForSlot(of origin: OriginNumber, in attempt: inout Attempt) async throws {
    let slots = dispatch.agent.slots
    defer { note(.running) }
    repeat {
      note(.waiting(.hostSlot))
      attempt.transferState.lease = try await slots.enter(
        origin, priority: dispatch.wire.priority, within: dispatch.time, clock: &attempt.clock)
    } while try await hasWaitedForServer(&attempt)
    // Before credentials are fetched for nothing.
    if let admission = attempt.admission { try dispatch.agent.origins.checkCircuit(admission) }
  }

  /// Whether the server has said, since the attempt took its turn, that it wants nothing for now.
  ///
  /// Then slot and turn have gone back, and the attempt has waited for another turn.
  private func hasWaitedForServer(_ attempt: inout Attempt) async throws -> Bool {
    let origins = dispatch.agent.origins
    guard let admission = attempt.admission, origins.isHeldUp(admission) else { return false }
    attempt.giveSlotBack()
    attempt.stage = .throttle
    try await origins.waitAgain(admission, within: dispatch.time, clock: &attempt.clock) {
      note(.waiting(.throttle))
    }
    attempt.stage = .hostSlot
    return true
  }
}
