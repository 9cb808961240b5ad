/// The circuit of one origin; see ``CircuitBreaker``.
struct CircuitState {
  enum Phase: Equatable {
    case closed
    case open(until: Duration)
    case halfOpen(running: Int, succeeded: Int)
  }

  private let breaker: CircuitBreaker
  private(set) var phase = Phase.closed
  /// Attempts that ended, and those of them that failed.
  private var counts: SlidingCounts
  /// What it opened for.
  private var opening = (requests: 0, failures: 0)
  /// Counts the changes of phase: what began in an earlier one says nothing in this.
  private var era = 0
  /// When an attempt that tries the server was let through last.
  private var lastProbe = Duration.zero

  init(_ breaker: CircuitBreaker) {
    self.breaker = breaker
    counts = SlidingCounts(window: breaker.window)
  }

  /// Why nothing may be sent now; `nil` when something may.
  func refusal(at now: Duration, origin: Origin) -> CircuitOpen? {
    let wait: Duration?
    switch phase {
    case .closed: return nil
    case .open(let end) where now >= end: return nil
    case .open(let end): wait = end - now
    case .halfOpen(let running, let succeeded) where running + succeeded < probes: return nil
    case .halfOpen where now - lastProbe >= patience: return nil
    case .halfOpen: wait = nil
    }
    return CircuitOpen(
      origin: origin.shownText, requests: opening.requests, failures: opening.failures, wait: wait)
  }

  /// Lets an attempt through that ``refusal(at:origin:)`` does not stop; gives what to ``settle(_:succeeded:at:)`` it
  /// with.
  mutating func admit(at now: Duration) -> Int {
    switch phase {
    case .closed: return era
    case .halfOpen(let running, let succeeded) where running + succeeded < probes:
      phase = .halfOpen(running: running + 1, succeeded: succeeded)
    // Those that were let through before do not come to an end, and say nothing any more.
    case .open, .halfOpen: change(to: .halfOpen(running: 1, succeeded: 0))
    }
    lastProbe = now
    return era
  }

  /// Takes note of how an attempt ended; `nil` says nothing of the server.
  mutating func settle(_ ticket: Int, succeeded: Bool?, at now: Duration) {
    guard ticket == era else { return }
    switch phase {
    case .open: break
    case .closed: count(succeeded, now)
    case .halfOpen(let running, let before):
      switch succeeded {
      case nil: phase = .halfOpen(running: running - 1, succeeded: before)
      case true? where before + 1 >= probes: change(to: .closed)
      case true?: phase = .halfOpen(running: running - 1, succeeded: before + 1)
      case false?: open(now)
      }
    }
  }

  private mutating func count(_ succeeded: Bool?, _ now: Duration) {
    guard let succeeded else { return }
    counts.countFirst(at: now)
    guard !succeeded else { return }
    counts.countSecond(at: now)
    let (requests, failures) = counts.sums(at: now)
    guard requests >= max(breaker.minimumRequests, 1),
      Double(failures) >= breaker.failureRate * Double(requests)
    else { return }
    opening = (requests, failures)
    open(now)
  }

  private mutating func open(_ now: Duration) {
    change(to: .open(until: now + max(breaker.openTime, .zero).clamped(to: AgentClock.longestSleep)))
  }

  private mutating func change(to phase: Phase) {
    self.phase = phase
    counts = SlidingCounts(window: breaker.window)
    era += 1
  }

  private var probes: Int { max(breaker.probes, 1) }

  /// How long those that try the server are waited for: one may be suspended, or hang without a limit of time.
  private var patience: Duration {
    max(breaker.openTime, Self.leastPatience).clamped(to: AgentClock.longestSleep)
  }

  private static let leastPatience = Duration.seconds(15)
}
