extension Dispatch {
  /// Waits for the turn of a serial request; gives the outcome where it does not come in time.
  ///
  /// A cancellation ends the wait too; the attempts begin by looking for one.
  @inline(never)
  func waitForTurn<Value>(_ ledger: inout Ledger) async -> Outcome<Value>? {
    ledger.stage = .serialGate
    let start = now
    let watch = deadlineWatch()
    defer { watch?.stop() }
    // One that rests from its start holds up no other. What ends the rest ends the wait too.
    try? await rest(watch)
    ledger.turn = agent.turns.take(.serial, isExempt: false)
    if ledger.turn == nil {
      ledger.turn = await agent.turns.wait(
        for: .serial, RefreshScope.isRefreshing ? .exempt : .default, at: start,
        unless: watch?.signal ?? cancellation)
      ledger.turnWait = now - start
    }
    noticeTask()
    guard !isCancelled, let expiry = watch?.expiry else { return nil }
    var attempt = Attempt(number: 0, started: start)
    attempt.stage = .serialGate
    return .failure(requestError(expiry, attempt))
  }

  /// Lets the next serial request run, where this one has the turn.
  @inline(__always)
  func passTurn(_ ledger: Ledger) {
    if let turn = ledger.turn { agent.turns.release(turn) }
  }
}

extension OriginNumber {
  /// Of no URL: the serial requests of an agent share one slot.
  fileprivate static let serial = OriginNumber(0)
}
