extension Dispatch {
  /// Waits until it is the attempt's turn by the rate limit.
  @inline(never)
  func waitForRate(of key: OriginKey, _ attempt: inout Attempt) async throws {
    var hasTurn = true
    if RefreshScope.isRefreshing {
      // Those in line may wait for these credentials.
      try await waitForServer(of: key, &attempt)
      agent.origins.borrowTurn(of: key)
    } else if let place = agent.origins.enterLine(of: key) {
      hasTurn = await throttled(&attempt) { [origins = agent.origins] signal in
        await origins.waitInLine(of: key, at: place, unless: signal)
      }
    }
    attempt.pass = OriginPass(key: key, turn: hasTurn ? now : nil, ticket: attempt.pass?.ticket)
    try check(attempt.watch)
  }

  /// Waits, in no line, until the server wants to be asked.
  private func waitForServer(of key: OriginKey, _ attempt: inout Attempt) async throws {
    let sleep = agent.configuration.clock.sleep
    while case let quiet = agent.origins.quietTime(of: key), quiet > .zero {
      await throttled(&attempt) { signal in try? await signal.cancelling { try await sleep(quiet) } }
      try check(attempt.watch)
    }
  }

  /// Whether the server has said, since the attempt took its turn, that it wants nothing for now.
  ///
  /// Then slot and turn go back, and the attempt has waited for another turn.
  func hasWaitedForServer(_ attempt: inout Attempt) async throws -> Bool {
    guard let pass = attempt.pass, let turn = pass.turn, agent.origins.quietTime(of: pass.key) > .zero
    else { return false }
    giveSlotBack(&attempt)
    agent.origins.returnTurn(of: pass.key, takenAt: turn)
    // A probe of the circuit stays one: the hop of a redirect waits here too.
    attempt.pass = OriginPass(key: pass.key, ticket: pass.ticket)
    attempt.stage = .throttle
    try await waitForRate(of: pass.key, &attempt)
    attempt.stage = .hostSlot
    return true
  }

  /// Counts a wait as what it is, and toward the deadline alone.
  private func throttled<Result>(
    _ attempt: inout Attempt, _ wait: (CancellationSignal) async -> Result
  ) async -> Result {
    let start = now
    pauseLimit(of: &attempt)
    defer {
      attempt.throttleWait += now - start
      resumeLimit(of: &attempt)
    }
    return await wait(attempt.watch?.signal ?? cancellation)
  }
}
