// What stands between the hooks of an attempt and the wire, where a retry policy, a breaker or a rate limit asks for it.
extension Dispatch {
  /// Whether anything of this file is needed; the way of most requests ends here.
  @inline(__always)
  var isGuarded: Bool { agent.origins.guardsAll || isCounted }

  /// Whether the retry budget counts the dispatch.
  @inline(__always)
  private var isCounted: Bool {
    let states = agent.origins
    guard states.countsRetries else { return false }
    let own = request.retryPolicy
    return own.isInherited ? states.agentRetries : !own.isOff
  }

  /// Fails at once where the circuit is open, counts the request, and waits for its turn.
  func takeTurn(_ http: HTTPRequest, _ attempt: inout Attempt) async throws {
    guard let origin = Origin(http.url) else { return }
    attempt.stage = .throttle
    let key = OriginKey(origin: origin, overrideNumber: entry.overrideNumber)
    attempt.pass = OriginPass(key: key)
    try checkCircuit(&attempt)
    if attempt.number == 1, isCounted { agent.origins.countRequest(to: key) }
    if agent.origins.rules.limit != nil { try await waitForRate(of: key, &attempt) }
  }

  /// Fails where the circuit is open, unless it has let the attempt through.
  func checkCircuit(_ attempt: inout Attempt) throws {
    guard let pass = attempt.pass, pass.ticket == nil else { return }
    do {
      try agent.origins.checkCircuit(of: pass.key)
    } catch {
      attempt.stage = .throttle
      throw error
    }
  }

  /// Asks the circuit once more, after whatever was waited for since; from here on the attempt is settled.
  ///
  /// Credentials come first: a refresh sent to the same origin may be what tries whether a server is well again.
  func enterCircuit(_ attempt: inout Attempt) throws {
    guard let pass = attempt.pass, pass.ticket == nil, agent.origins.rules.breaker != nil else { return }
    do {
      let ticket = try agent.origins.enterCircuit(of: pass.key)
      attempt.pass = OriginPass(key: pass.key, turn: pass.turn, ticket: ticket)
    } catch {
      attempt.stage = .throttle
      throw error
    }
  }

  /// Tells circuit and bucket, once, how the attempt ended, as soon as it has; a turn that sent nothing goes back.
  @inline(never)
  func settle<Value>(_ attempt: inout Attempt, _ result: Outcome<Value>) {
    guard let pass = attempt.pass, agent.origins.guardsAll, !attempt.isSettled else { return }
    attempt.isSettled = true
    let leftOrigin = attempt.redirects.contains { Origin($0.to) != pass.origin }
    // A transfer that another dispatch began is counted by that one.
    let endsWithOwn = attempt.first != nil && !attempt.isLastHopShared && !leftOrigin
    if let turn = pass.turn, !endsWithOwn, !attempt.hasOwnAnswer {
      agent.origins.returnTurn(of: pass.key, takenAt: turn)
    }
    if let ticket = pass.ticket {
      let health =
        endsWithOwn ? health(attempt.response, result.error) : attempt.hasOwnAnswer ? true : nil
      agent.origins.settleCircuit(of: pass.key, ticket, succeeded: health)
    }
    guard agent.origins.rules.limit != nil, !leftOrigin, let response = attempt.response else { return }
    if let wait = response.quietTime(now: agent.configuration.clock.date) {
      agent.origins.close(pass.key, for: wait)
    }
  }

  /// Whether the server is well; `nil` when the attempt does not tell.
  private func health(_ response: HTTPResponse?, _ failure: RequestError?) -> Bool? {
    if isCancelled { return nil }
    if let failure, failure.stage == .transport, failure.isConnectionFailure || failure.isTimeout {
      return false
    }
    guard let status = response?.status else { return nil }
    return agent.origins.rules.breaker?.statuses.contains(status.code) != true
  }

  /// Takes the retry from the origin's budget; without one the failure that stands says so.
  func hasBudget(for attempt: inout Attempt, _ error: inout RequestError) -> Bool {
    guard let pass = attempt.pass else { return true }
    guard let used = agent.origins.withdrawRetry(to: pass.key) else {
      attempt.hasBudgetedRetry = true
      return true
    }
    error.isOverRetryBudget = true
    error.reason +=
      "; it was not tried again, as the retry budget of \(pass.origin.shownText) is spent: \(used.retries) retries"
      + " to \(used.requests) requests within \(agent.origins.rules.budget.window.secondsText)"
    return false
  }

  /// Gives back what was taken for a retry that is not made.
  func returnBudget(of attempt: inout Attempt) {
    guard attempt.hasBudgetedRetry, let pass = attempt.pass else { return }
    attempt.hasBudgetedRetry = false
    agent.origins.refundRetry(to: pass.key)
  }
}
