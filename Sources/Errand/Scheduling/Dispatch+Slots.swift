import Foundation

extension Dispatch {
  /// Takes a slot of the origin that the attempt is for, if one is free; else gives the origin to wait for.
  ///
  /// It is that of the first URL of the attempt: a redirect keeps it, wherever it leads.
  @inline(__always)
  func takeFreeSlot(for url: URL, _ attempt: inout Attempt) -> OriginNumber? {
    attempt.stage = .hostSlot
    guard let origin = OriginNumber(of: url) else { return nil }
    if suspension == nil || suspension?.isSuspended == false {
      attempt.slot = agent.slots.take(origin, isExempt: priority.isExempt)
    }
    return attempt.slot == nil ? origin : nil
  }

  @inline(__always)
  func giveSlotBack(_ attempt: inout Attempt) {
    guard let slot = attempt.slot else { return }
    attempt.slot = nil
    agent.slots.release(slot)
  }

  /// Ends what the transfer holds of its origin, as soon as nothing more is wanted of it: what follows is nobody's business
  /// but the dispatch's own.
  ///
  /// The state of the origin is told first, so that who gets the slot knows of it.
  @inline(__always)
  func endTransfer(_ attempt: inout Attempt) {
    if attempt.pass != nil { settle(&attempt, Outcome<Void>.success(())) }
    giveSlotBack(&attempt)
  }

  /// Waits until the origin has a slot, and its server wants to be asked.
  @inline(never)
  func waitForSlot(of origin: OriginNumber, _ attempt: inout Attempt) async throws {
    repeat { try await waitInQueue(of: origin, &attempt) } while try await hasWaitedForServer(&attempt)
    // Before credentials are fetched for nothing.
    try checkCircuit(&attempt)
  }

  private func waitInQueue(of origin: OriginNumber, _ attempt: inout Attempt) async throws {
    let start = now
    // Those who have the slots may wait for these credentials, or for what one of their hooks sends.
    let rank = RefreshScope.isRefreshing || SlotHold.isHeld ? .exempt : priority
    pauseLimit(of: &attempt)
    defer {
      attempt.slotWait += now - start
      resumeLimit(of: &attempt)
    }
    repeat {
      // Suspended while it waited, it lets others go first, and waits anew.
      giveSlotBack(&attempt)
      try await rest(attempt.watch)
      let signal = attempt.watch?.signal ?? cancellation
      attempt.slot = await agent.slots.wait(for: origin, rank, at: now, unless: signal)
      try check(attempt.watch)
      guard attempt.slot != nil else { throw CancellationError() }
    } while suspension?.isSuspended == true
  }
}
