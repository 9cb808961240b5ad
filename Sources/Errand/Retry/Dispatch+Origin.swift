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
    try agent.origins.checkCircuit(of: key)
    if attempt.number == 1, isCounted { agent.origins.countRequest(to: key) }
    guard agent.origins.rules.limit != nil else { return }
    var hasTurn = true
    if let place = agent.origins.enterLine(of: key) { hasTurn = await wait(at: place, of: key, &attempt) }
    attempt.pass = OriginPass(key: key, hasTurn: hasTurn)
    try check(attempt.watch)
  }

  /// Waits until it is the attempt's turn by the rate limit; `false` when it was ended before.
  @inline(never)
  private func wait(at place: UInt64, of key: OriginKey, _ attempt: inout Attempt) async -> Bool {
    let start = now
    pauseLimit(of: &attempt)
    defer {
      attempt.throttleWait = now - start
      resumeLimit(of: &attempt)
    }
    return await agent.origins.waitInLine(
      of: key, at: place, unless: attempt.watch?.signal ?? cancellation)
  }

  /// Asks the circuit once more, after whatever was waited for since; from here on the attempt is settled.
  func enterCircuit(_ attempt: inout Attempt) throws {
    guard let pass = attempt.pass else { return }
    attempt.stage = .throttle
    let ticket = try agent.origins.enterCircuit(of: pass.key)
    attempt.pass = OriginPass(key: pass.key, hasTurn: pass.hasTurn, ticket: ticket)
  }

  /// Tells circuit and bucket how the attempt ended, as soon as it has; a turn that sent nothing goes back.
  @inline(never)
  func settle<Value>(_ attempt: inout Attempt, _ result: Outcome<Value>) {
    guard let pass = attempt.pass, agent.origins.guardsAll else { return }
    if pass.hasTurn, attempt.first == nil { agent.origins.returnTurn(of: pass.key) }
    let leftOrigin = attempt.redirects.contains { Origin($0.to) != pass.origin }
    if let ticket = pass.ticket {
      let health = leftOrigin ? true : health(attempt.response, result.error)
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
    if let failure, failure.stage == .transport, failure.isConnectionFailure { return false }
    guard let status = response?.status else { return nil }
    return agent.origins.rules.breaker?.statuses.contains(status.code) != true
  }

  /// Takes the retry from the origin's budget; without one the failure that stands says so.
  func hasBudget(for attempt: Attempt, _ error: inout RequestError) -> Bool {
    guard let pass = attempt.pass, let used = agent.origins.withdrawRetry(to: pass.key)
    else { return true }
    error.isOverRetryBudget = true
    error.reason +=
      "; it was not tried again, as the retry budget of \(pass.origin.shownText) is spent: \(used.retries) retries"
      + " to \(used.requests) requests within \(agent.origins.rules.budget.window.secondsText)"
    return false
  }

  func returnBudget(of attempt: Attempt) {
    if let pass = attempt.pass { agent.origins.refundRetry(to: pass.key) }
  }
}
