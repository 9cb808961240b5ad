extension Dispatch {
  /// Watches over the attempt when it has a limit of time; `nil`, at no cost, when it has none.
  func watch(attemptFrom start: Duration) -> AttemptWatch? {
    let attemptLimit = limits.attemptTimeout?.clamped(to: AgentClock.longestSleep)
    guard let attemptLimit, deadline.map({ started + $0 > start + attemptLimit }) ?? true else {
      return deadlineWatch()
    }
    let breach = Refusal(
      "the attempt took longer than limits.attemptTimeout, \(attemptLimit.secondsText)", kind: .timedOut)
    return watch(until: start + attemptLimit, breach)
  }

  /// Lets the deadline alone count while the attempt waits for others.
  func pauseLimit(of attempt: inout Attempt) {
    guard limits.attemptTimeout != nil else { return }
    attempt.watch?.stop()
    attempt.watch = deadlineWatch()
  }

  /// Lets the attempt's own time count again, without its waits.
  func resumeLimit(of attempt: inout Attempt) {
    guard limits.attemptTimeout != nil, attempt.watch?.expiry == nil else { return }
    attempt.watch?.stop()
    attempt.watch = watch(attemptFrom: attempt.started + attempt.slotWait + attempt.throttleWait)
  }

  private func watch(until end: Duration, _ breach: Refusal) -> AttemptWatch {
    AttemptWatch(clock: agent.configuration.clock, until: end, breach: breach, within: cancellation)
  }

  /// Watches over the deadline alone, between attempts and while the dispatch waits for others; `nil` without one.
  func deadlineWatch() -> AttemptWatch? {
    deadline.map { watch(until: started + $0, Self.breach(of: $0)) }
  }

  private static func breach(of deadline: Duration) -> Refusal {
    Refusal("the dispatch took longer than its deadline, \(deadline.secondsText)", kind: .deadlineExceeded)
  }

  /// Whether the dispatch has no time left for another attempt after a wait.
  func isPastDeadline(after wait: Duration = .zero) -> Bool {
    deadline.map { now - started + wait.clamped(to: AgentClock.longestSleep) >= $0 } ?? false
  }

  /// Whether the wait before another attempt ends before the deadline; otherwise the failure that stands says so.
  func hasTime(for retry: AttemptReport.Retry, _ error: inout RequestError) -> Bool {
    guard isPastDeadline(after: retry.wait) else { return true }
    error.reason +=
      "; the wait of \(retry.wait.secondsText) before another attempt would end past the deadline of"
      + " \((deadline ?? .zero).secondsText)"
    return false
  }

  /// Waits while the dispatch is suspended; a cancellation, and the end of the attempt's time, end the wait.
  @inline(__always)
  func rest(_ watch: AttemptWatch?) async throws {
    guard let suspension else { return }
    if suspension.isSuspended { await suspension.wait(unless: watch?.signal ?? cancellation) }
    try check(watch)
  }

  /// Ends the attempt when the dispatch was cancelled or the time is up; asked after every suspension.
  @inline(__always)
  func check(_ watch: AttemptWatch?) throws {
    try checkCancellation()
    guard let watch, let expiry = watch.expiry else { return }
    // The call may not have come yet, and what still runs is to end.
    watch.signal.cancel()
    throw expiry
  }
}
