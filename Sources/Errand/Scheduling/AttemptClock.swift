struct AttemptClock: Sendable {
  /// The start of the attempt, on the agent's clock.
  let started: Duration
  /// The duration of the attempt, without the retry decision and ``renewalWait``.
  var elapsed: Duration = .zero
  var slotWait: Duration = .zero
  var throttleWait: Duration = .zero
  var authenticationWait: Duration = .zero
  /// The part of ``authenticationWait`` for a renewal between the response and the validators.
  var renewalWait: Duration = .zero
  /// The start of the transfer, on the agent's clock; `nil` unless the limit on attempts is adaptive.
  var sent: Duration?
  /// `nil`: no time limit is running.
  fileprivate(set) var watch: TimeWatch?

  var expiry: Refusal? { watch?.expiry }

  mutating func addRenewal(_ wait: Duration) {
    renewalWait += wait
    authenticationWait += wait
    // The start moves, because the latency of the server does not include the renewal.
    if let sent { self.sent = sent + wait }
  }

  @inline(__always)
  func stop() { watch?.stop() }
}

struct TimeLimits: Sendable {
  let clock: AgentClock
  let started: Duration
  /// The deadline, counted from ``started``; `nil`: no limit.
  let deadline: Duration?
  /// The time limit of an attempt; `nil`: no limit.
  ///
  /// The waits for a slot, the rate limit, and a renewal after a response do not count.
  let attemptTimeout: Duration?
  let cancellation: CancellationSignal
  /// `nil`: the dispatch cannot be suspended.
  let suspension: SuspensionSignal?
  /// True to stop the attempt timeout when the response head is accepted, as for an endless body.
  var endsWithHead = false
  /// True if the dispatch inherited the deadline; see ``AmbientDeadline``.
  var isDeadlineInherited = false
  /// True if nested dispatches inherit the deadline, and requests may tell the server the remaining time.
  var passesDeadlineOn = false

  var now: Duration { clock.now() }

  var isCancelled: Bool { cancellation.isCancelled }

  /// Fires the signal if the current task is cancelled.
  ///
  /// Swift marks a task as cancelled before the cancellation handlers run. A hook may thus throw before the
  /// signal fires.
  func noticeTask() {
    if Task.isCancelled { cancellation.cancel(by: .task) }
  }

  @inline(__always)
  func attempt(from start: Duration) -> AttemptClock {
    var clock = AttemptClock(started: start)
    if deadline != nil || attemptTimeout != nil { clock.watch = watch(attemptFrom: start) }
    return clock
  }

  /// Stops the attempt timeout, but not the deadline, and returns the current time.
  func pause(_ clock: inout AttemptClock) -> Duration {
    if attemptTimeout != nil {
      clock.stop()
      clock.watch = deadlineWatch()
    }
    return now
  }

  func resume(_ clock: inout AttemptClock) {
    guard attemptTimeout != nil, clock.expiry == nil else { return }
    clock.stop()
    clock.watch = watch(attemptFrom: clock.started + clock.slotWait + clock.throttleWait + clock.renewalWait)
  }

  func deadlineWatch() -> TimeWatch? {
    deadline.map { watch(until: started + $0, breach(ofDeadline: $0)) }
  }

  var deadlineExpiry: Refusal? {
    deadline.flatMap { isPastDeadline() ? breach(ofDeadline: $0) : nil }
  }

  private func breach(ofDeadline limit: Duration) -> Refusal {
    Refusal(
      isDeadlineInherited
        ? "the dispatch took longer than the remaining \(limit.secondsText) of the deadline around it"
        : "the dispatch took longer than its deadline, \(limit.secondsText)",
      kind: .deadlineExceeded)
  }

  /// The remaining time of the dispatch, for the server and for nested dispatches; `nil`: not passed on.
  var passedDeadline: AmbientDeadline? {
    guard passesDeadlineOn, let deadline else { return nil }
    return AmbientDeadline(end: started + deadline, on: clock)
  }

  func isPastDeadline(after wait: Duration = .zero) -> Bool {
    deadline.map { now - started + wait.clamped(to: AgentClock.longestSleep) >= $0 } ?? false
  }

  func noteHead(_ clock: inout AttemptClock) {
    if endsWithHead { _ = pause(&clock) }
  }

  @inline(__always)
  func signal(_ watch: TimeWatch?) -> CancellationSignal { watch?.signal ?? cancellation }

  func checkCancellation() throws {
    if isCancelled { throw CancellationError() }
  }

  @inline(__always)
  func check(_ watch: TimeWatch?) throws {
    try checkCancellation()
    if let watch { try watch.check() }
  }

  @inline(__always)
  func waitWhileSuspended(_ watch: TimeWatch?) async throws {
    guard let suspension else { return }
    try await waitWhileSuspended(suspension, watch: watch)
  }

  @inline(never)
  private func waitWhileSuspended(_ suspension: SuspensionSignal, watch: TimeWatch?) async throws {
    if suspension.isSuspended { await suspension.wait(unless: signal(watch)) }
    try check(watch)
  }

  /// Sleeps for a time; returns early after a cancellation, or if `path` reports the end of an outage.
  func sleep(_ duration: Duration, cutBy path: NetworkPath?) async {
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

struct TransferSignals: Sendable {
  let cancellation: CancellationSignal
  let suspension: SuspensionSignal?
  let watch: TimeWatch?

  @inline(__always)
  init(_ time: TimeLimits, watch: TimeWatch?) {
    (cancellation, suspension, self.watch) = (time.cancellation, time.suspension, watch)
  }

  var end: CancellationSignal {
    @inline(__always) get { watch?.signal ?? cancellation }
  }

  @inline(__always)
  func check() throws {
    if cancellation.isCancelled { throw CancellationError() }
    if let watch { try watch.check() }
  }

  @inline(__always)
  func waitWhileSuspended() async throws {
    guard let suspension else { return }
    try await waitWhileSuspended(suspension)
  }

  @inline(never)
  private func waitWhileSuspended(_ suspension: SuspensionSignal) async throws {
    if suspension.isSuspended { await suspension.wait(unless: end) }
    try check()
  }
}

/// A timer for the attempt timeout or the deadline, with a signal that ends the running work.
final class TimeWatch: Sendable {
  /// Fires at the end time, or with the dispatch's signal.
  let signal = CancellationSignal()
  private let clock: AgentClock
  private let end: Duration
  private let breach: Refusal
  private let call: AgentClock.PendingCall
  private let dispatchSignal: CancellationSignal
  private let chain: CancellationSignal.HandlerID

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

  /// The failure of the time limit; also set after a cancellation, so check for a cancellation first.
  var expiry: Refusal? { signal.isCancelled || clock.now() >= end ? breach : nil }

  @inline(never)
  func check() throws {
    guard let expiry else { return }
    // The scheduled call, which also fires the signal, may be late.
    signal.cancel()
    throw expiry
  }

  func stop() {
    call.cancel()
    dispatchSignal.removeHandler(chain)
  }
}
