import Foundation

/// The stages `throttle` and `hostSlot` of an attempt.
struct OriginGate<R: Request>: Sendable {
  let dispatch: Dispatch<R>

  func admit(_ http: HTTPRequest, in attempt: inout Attempt) async throws {
    guard let origin = Origin(http.url) else { return }
    attempt.stage = .throttle
    let admission = Admission(
      OriginKey(
        origin: origin, name: dispatch.request.limitKey, overrideNumber: dispatch.entry.overrideNumber))
    attempt.admission = admission
    let waitedBefore = attempt.clock.throttleWait
    try await dispatch.agent.origins.admit(
      admission, of: dispatch.request,
      isFirst: attempt.number == 1 && !dispatch.wire.mayMock(dispatch.request), within: dispatch.time,
      clock: &attempt.clock
    ) {
      note(.waiting(.throttle))
    }
    if attempt.clock.throttleWait > waitedBefore { note(.running) }
  }

  private func note(_ state: LiveDispatch.State) {
    dispatch.agent.inFlight.note(state, of: dispatch.entry)
  }

  /// Takes a free slot of the URL's origin, or of the request's share of the origin, unless the dispatch is suspended.
  ///
  /// Returns the origin if the attempt must wait for a slot; otherwise `nil`.
  @inline(never)
  func takeFreeSlot(for url: WrittenURL, in attempt: inout Attempt) -> OriginNumber? {
    attempt.stage = .hostSlot
    guard let origin = OriginNumber(ofText: url.text)?.named(dispatch.request.limitKey) else { return nil }
    let suspension = dispatch.time.suspension
    if suspension == nil || suspension?.isSuspended == false {
      attempt.transferState.lease = dispatch.agent.slots.take(
        origin, isExempt: dispatch.wire.priority.isExempt)
    }
    return attempt.transferState.lease == nil ? origin : nil
  }

  /// Waits for a slot; with a rate limit, also for the end of a pause that the server has requested.
  @inline(never)
  func waitForSlot(of origin: OriginNumber, in attempt: inout Attempt) async throws {
    let slots = dispatch.agent.slots
    defer { note(.running) }
    repeat {
      note(.waiting(.hostSlot))
      attempt.transferState.lease = try await slots.enter(
        origin, priority: dispatch.wire.priority, within: dispatch.time, clock: &attempt.clock)
    } while try await hasWaitedForServer(&attempt)
    // Checked before signing, because a request to an open circuit needs no credentials.
    if let admission = attempt.admission { try dispatch.agent.origins.checkCircuit(admission) }
  }

  /// With a rate limit, waits if the server has requested a pause; returns true after a wait.
  ///
  /// During the wait, the attempt holds no slot.
  private func hasWaitedForServer(_ attempt: inout Attempt) async throws -> Bool {
    let origins = dispatch.agent.origins
    guard let admission = attempt.admission, origins.returnTokenIfPaused(admission) else { return false }
    attempt.giveSlotBack()
    attempt.stage = .throttle
    try await origins.waitAgain(admission, within: dispatch.time, clock: &attempt.clock) {
      note(.waiting(.throttle))
    }
    attempt.stage = .hostSlot
    return true
  }
}
