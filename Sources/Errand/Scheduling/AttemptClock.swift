/// The time of one attempt: when it began, what it waited for, and what ends it when its time is up.
struct AttemptClock: Sendable {
  /// On the agent's clock.
  let started: Duration
  /// Until its verdict, without what is done to decide on the next.
  var elapsed: Duration = .zero
  /// How long it waited for a slot.
  var slotWait: Duration = .zero
  /// How long it waited for the rate limit of its origin.
  var throttleWait: Duration = .zero
  /// How long the authenticator took, before the request was sent and after it failed.
  var authenticationWait: Duration = .zero
  /// How much of that passed after the response: no time of the attempt.
  var renewalWait: Duration = .zero
  /// `nil` when the attempt has no limit of time.
  fileprivate(set) var watch: TimeWatch?

  /// What the attempt fails with, when its time is up and the dispatch was not cancelled.
  var expiry: Refusal? { watch?.expiry }

  /// Stops watching.
  @inline(__always)
  func stop() { watch?.stop() }
}

/// The time that one dispatch has: its limits, what lets it rest, and what ends it.
struct TimeLimits: Sendable {
  let clock: AgentClock
  /// When the dispatch began, on the clock.
  let started: Duration
  /// How long the dispatch may take, counted from ``started``; `nil` for any time.
  let deadline: Duration?
  /// How long an attempt may take, without its waits for others; `nil` for any time.
  let attemptTimeout: Duration?
  /// Fires when the dispatch is cancelled.
  let cancellation: CancellationSignal
  /// `nil` when the dispatch cannot be suspended.
  let suspension: SuspensionSignal?
  /// Whether the time of an attempt ends with the head that is accepted, as its body is endless.
  var endsWithHead = false

  var now: Duration { clock.now() }

  /// Whether the dispatch was cancelled.
  var isCancelled: Bool { cancellation.isCancelled }

  /// Looks at the flag of the task too, which is set before its handlers are called: a hook that polls it may know, and
  /// throw, before the signal does.
  func noticeTask() {
    if Task.isCancelled { cancellation.cancel(by: .task) }
  }

  /// Begins to watch the time of an attempt; at no cost when it has no limit.
  @inline(__always)
  func attempt(from start: Duration) -> AttemptClock {
    var clock = AttemptClock(started: start)
    if deadline != nil || attemptTimeout != nil { clock.watch = watch(attemptFrom: start) }
    return clock
  }

  /// Lets the deadline alone count while the attempt waits for others; gives the time.
  func pause(_ clock: inout AttemptClock) -> Duration {
    if attemptTimeout != nil {
      clock.stop()
      clock.watch = deadlineWatch()
    }
    return now
  }

  /// Lets the attempt's own time count again, without its waits.
  func resume(_ clock: inout AttemptClock) {
    guard attemptTimeout != nil, clock.expiry == nil else { return }
    clock.stop()
    clock.watch = watch(attemptFrom: clock.started + clock.slotWait + clock.throttleWait + clock.renewalWait)
  }

  /// Watches the deadline alone, between attempts and while the dispatch waits for others; `nil` without one.
  func deadlineWatch() -> TimeWatch? {
    deadline.map { limit in
      let breach = "the dispatch took longer than its deadline, \(limit.secondsText)"
      return watch(until: started + limit, Refusal(breach, kind: .deadlineExceeded))
    }
  }

  /// Whether the dispatch has no time left for another attempt after a wait.
  func isPastDeadline(after wait: Duration = .zero) -> Bool {
    deadline.map { now - started + wait.clamped(to: AgentClock.longestSleep) >= $0 } ?? false
  }

  /// Lets the deadline alone count from here on, where the head ends the attempt's own time.
  func noteHead(_ clock: inout AttemptClock) {
    if endsWithHead { _ = pause(&clock) }
  }

  /// What a transfer listens to: fires when the dispatch is cancelled, or the time of the attempt is up.
  @inline(__always)
  func signal(_ watch: TimeWatch?) -> CancellationSignal { watch?.signal ?? cancellation }

  /// Throws when the dispatch was cancelled.
  func checkCancellation() throws {
    if isCancelled { throw CancellationError() }
  }

  /// Throws when the dispatch was cancelled or the time of the attempt is up; asked after every suspension.
  @inline(__always)
  func check(_ watch: TimeWatch?) throws {
    try checkCancellation()
    if let watch { try watch.check() }
  }

  /// Waits while the dispatch is suspended; a cancellation, and the end of the watched time, end the wait.
  @inline(__always)
  func rest(_ watch: TimeWatch?) async throws {
    guard let suspension else { return }
    try await rest(suspension, watch: watch)
  }

  @inline(never)
  private func rest(_ suspension: SuspensionSignal, watch: TimeWatch?) async throws {
    if suspension.isSuspended { await suspension.wait(unless: signal(watch)) }
    try check(watch)
  }

  /// Waits on the clock; a cancellation ends it at once, and so does the return of a path.
  func sleep(_ duration: Duration, cutBy path: (any NetworkPath)?) async {
    guard duration > .zero else { return }
    guard let path else {
      try? await cancellation.cancelling { [clock] in try await clock.sleep(duration) }
      return
    }
    let end = CancellationSignal()
    let chain = cancellation.onCancel { end.cancel() }
    let watch = Task {
      if await path.comesBack() { end.cancel() }
    }
    try? await end.cancelling { [clock] in try await clock.sleep(duration) }
    watch.cancel()
    cancellation.removeHandler(chain)
  }

  @inline(never)
  private func watch(attemptFrom start: Duration) -> TimeWatch? {
    guard let attemptTimeout, deadline.map({ started + $0 > start + attemptTimeout }) ?? true else {
      return deadlineWatch()
    }
    let breach =
      endsWithHead
      ? "no response was accepted within the timeout of \(attemptTimeout.secondsText)"
      : "the attempt took longer than limits.attemptTimeout, \(attemptTimeout.secondsText)"
    return watch(until: start + attemptTimeout, Refusal(breach, kind: .timedOut))
  }

  private func watch(until end: Duration, _ breach: Refusal) -> TimeWatch {
    TimeWatch(clock: clock, until: end, breach: breach, within: cancellation)
  }
}

/// Fires a signal of its own when a time is reached.
final class TimeWatch: Sendable {
  /// What a transfer listens to instead of the dispatch's signal; fires with it.
  let signal = CancellationSignal()
  private let clock: AgentClock
  private let end: Duration
  private let breach: Refusal
  private let call: AgentClock.PendingCall
  private let dispatchSignal: CancellationSignal
  private let chain: CancellationSignal.HandlerID

  /// Starts watching.
  ///
  /// - Parameters:
  ///   - end: on the clock.
  ///   - breach: what fails then.
  fileprivate init(
    clock: AgentClock, until end: Duration, breach: Refusal, within dispatchSignal: CancellationSignal
  ) {
    self.clock = clock
    self.end = end
    self.breach = breach
    self.dispatchSignal = dispatchSignal
    chain = dispatchSignal.onCancel { [signal] in signal.cancel() }
    call = clock.call(end) { [signal] in signal.cancel() }
  }

  /// What fails, when the time is up and the dispatch was not cancelled.
  ///
  /// The clock decides too, so that it is the same whether the call came in time or not.
  var expiry: Refusal? { signal.isCancelled || clock.now() >= end ? breach : nil }

  /// Throws what fails, when the time is up.
  @inline(never)
  func check() throws {
    guard let expiry else { return }
    // The call may not have come yet, and what still runs is to end.
    signal.cancel()
    throw expiry
  }

  func stop() {
    call.cancel()
    dispatchSignal.removeHandler(chain)
  }
}
