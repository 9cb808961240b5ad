/// Stops asking a server that fails most of the time, and tries it again after a while.
///
/// Off unless an agent's ``AgentConfiguration/circuitBreaker`` is set. Each origin (scheme, host and port) has a
/// circuit of its own, on the agent's clock:
///
/// - closed: everything is sent. Once ``minimumRequests`` attempts have ended within the ``window``, and ``failureRate``
///   of them have failed, it opens;
/// - open: attempts fail at once with ``RequestError/Kind/circuitOpen``, for ``openTime``;
/// - half-open: up to ``probes`` attempts are sent. When so many have succeeded it closes; the first failure opens it. Those that
///   have not ended after ``openTime``, 15 seconds at least, count no more, and another is sent.
///
/// What counts as a failure speaks of the server's health: one of the ``statuses``, a connection failure or a
/// timeout, also a ``Request/deadline`` that ends while the server is waited for. Any other response is a success, 404 too; a
/// cancellation is neither, and a dispatch that shared the transfer of another counts nothing. Credentials are fetched before the
/// circuit is asked for the last time, so that their request may be what tries the server.
public struct CircuitBreaker: Sendable, Hashable {
  /// The share of failures at which it opens; 0.5 by default.
  public var failureRate: Double
  /// How many attempts must have ended before their failures mean something; 20 by default.
  public var minimumRequests: Int
  /// How far back is counted; 30 seconds by default.
  public var window: Duration
  /// How long it stays open before it is tried again; 15 seconds by default.
  public var openTime: Duration
  /// How many attempts try it; 1 by default.
  public var probes: Int
  /// The statuses of a server that is not well; 500, 502, 503 and 504 by default.
  public var statuses: Set<Int> = RetryableStatuses.ofServer

  /// Makes a breaker; numbers below one are one, and an open time is not longer than 31 years.
  public init(
    failureRate: Double = 0.5, minimumRequests: Int = 20, window: Duration = .seconds(30),
    openTime: Duration = .seconds(15), probes: Int = 1
  ) {
    self.failureRate = failureRate
    self.minimumRequests = minimumRequests
    self.window = window
    self.openTime = openTime
    self.probes = probes
  }
}

extension CircuitBreaker {
  /// Why nothing was sent: the circuit breaker of the origin is open; the cause of an error of kind
  /// ``RequestError/Kind/circuitOpen``.
  public struct Open: Error, Sendable, Hashable {
    /// The origin, such as `https://api.example.com`.
    public let origin: String
    /// How many attempts had ended when it opened.
    public let requests: Int
    /// How many of them had failed.
    public let failures: Int
    /// How long until the next attempt may be sent; `nil` while such attempts are under way.
    public let wait: Duration?
  }
}

extension CircuitBreaker.Open: CustomStringConvertible {
  /// Such as `the circuit breaker of https://api.example.com is open: 12 of 20 attempts failed; the next is let through
  /// in 15 s`.
  public var description: String {
    let next =
      wait.map { "the next is let through in \($0.roundedUp.secondsText)" } ?? "another is just tried"
    return "the circuit breaker of \(origin) is open: \(failures) of \(requests) attempts failed; \(next)"
  }
}

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
  func refusal(at now: Duration, origin: Origin) -> CircuitBreaker.Open? {
    let wait: Duration?
    switch phase {
    case .closed: return nil
    case .open(let end) where now >= end: return nil
    case .open(let end): wait = end - now
    case .halfOpen(let running, let succeeded) where running + succeeded < probes: return nil
    case .halfOpen where now - lastProbe >= patience: return nil
    case .halfOpen: wait = nil
    }
    return CircuitBreaker.Open(
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
    case .closed: count(succeeded, at: now)
    case .halfOpen(let running, let before):
      switch succeeded {
      case nil: phase = .halfOpen(running: running - 1, succeeded: before)
      case true? where before + 1 >= probes: change(to: .closed)
      case true?: phase = .halfOpen(running: running - 1, succeeded: before + 1)
      case false?: open(now)
      }
    }
  }

  private mutating func count(_ succeeded: Bool?, at now: Duration) {
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
