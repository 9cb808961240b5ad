/// The settings of a circuit breaker, which stops requests to a failing server for a time.
///
/// ``AgentConfiguration/circuitBreaker`` turns the circuit breaker on. Each origin has a separate circuit, on
/// the agent's clock:
///
/// - closed: attempts run. Enough failures within the ``window`` open the circuit.
/// - open: attempts fail with ``RequestError/Kind/circuitOpen`` for the ``openTime``.
/// - half-open: trial attempts run. The circuit closes after ``probes`` successes, and opens after a failure.
///
/// A failure is a response with a status in ``statuses``, a connection failure, or a timeout of the transfer.
public struct CircuitBreaker: Sendable, Hashable {
  /// The share of failures at which a closed circuit opens; 0.5 by default.
  public var failureRate: Double
  /// The minimum number of counted attempts before a closed circuit opens; 20 by default.
  public var minimumRequests: Int
  /// The period of counting, at least 1 ms, exact to a tenth of the period; 30 seconds by default.
  public var window: Duration
  /// The time from the opening of a circuit to the first trial attempt; 15 seconds by default.
  public var openTime: Duration
  /// The number of trial attempts that must succeed; 1 by default.
  public var probes: Int
  /// The status codes that count as failures; 500, 502, 503 and 504 by default.
  public var statuses: Set<Int> = RetryableStatuses.ofServer

  /// Creates a circuit breaker; counts below 1 act as 1.
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
  /// The cause of an error of kind ``RequestError/Kind/circuitOpen``.
  struct Open: Error, Sendable, Hashable {
    /// Such as `https://api.example.com`.
    let origin: String
    /// The number of attempts counted when the closed circuit opened.
    let requests: Int
    let failures: Int
    /// The time until a trial attempt is allowed; `nil`: trial attempts are running.
    let wait: Duration?
  }
}

extension RequestError {
  /// The time from the error until a trial attempt is allowed; `nil` for another error, or while trial
  /// attempts run.
  public var circuitWait: Duration? { cause(as: CircuitBreaker.Open.self)?.wait }
}

extension CircuitBreaker.Open: CustomStringConvertible {
  var description: String {
    let next =
      wait.map { "the next attempt is allowed in \($0.roundedUp.secondsText)" }
      ?? "a trial attempt is under way"
    return "the circuit breaker of \(origin) is open: \(failures) of \(requests) attempts failed; \(next)"
  }
}

struct CircuitState {
  enum Phase: Equatable {
    case closed
    case open(until: Duration)
    case halfOpen(running: Int, succeeded: Int)
  }

  private let breaker: CircuitBreaker
  private(set) var phase = Phase.closed
  /// The first counter counts attempts, and the second counter failed attempts.
  private var counts: SlidingCounts
  private var opening = (requests: 0, failures: 0)
  /// The number of the phase, to ignore the results of attempts from an earlier phase.
  private var phaseNumber = 0
  private var lastProbe = Duration.zero

  init(_ breaker: CircuitBreaker) {
    self.breaker = breaker
    counts = SlidingCounts(window: breaker.window)
  }

  func refusal(at now: Duration, origin: Origin) -> CircuitBreaker.Open? {
    let wait: Duration?
    switch phase {
    case .closed: return nil
    case .open(let end) where now >= end: return nil
    case .open(let end): wait = end - now
    case .halfOpen(let running, let succeeded) where running + succeeded < probes: return nil
    case .halfOpen where now - lastProbe >= probeTimeout: return nil
    case .halfOpen: wait = nil
    }
    return CircuitBreaker.Open(
      origin: origin.shownText, requests: opening.requests, failures: opening.failures, wait: wait)
  }

  /// Call only after ``refusal(at:origin:)`` returned `nil`.
  mutating func admit(at now: Duration) -> Int {
    switch phase {
    case .closed: return phaseNumber
    case .halfOpen(let running, let succeeded) where running + succeeded < probes:
      phase = .halfOpen(running: running + 1, succeeded: succeeded)
    // The change of phase makes the tickets of unfinished trial attempts invalid.
    case .open, .halfOpen: change(to: .halfOpen(running: 1, succeeded: 0))
    }
    lastProbe = now
    return phaseNumber
  }

  /// `succeeded` is `nil` if the attempt reveals nothing about the server.
  mutating func settle(_ ticket: Int, succeeded: Bool?, at now: Duration) {
    guard ticket == phaseNumber else { return }
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
    phaseNumber += 1
  }

  private var probes: Int { max(breaker.probes, 1) }

  /// The time after the start of a trial attempt at which another trial attempt may start.
  ///
  /// A running trial attempt may have no timeout, and may never end.
  private var probeTimeout: Duration {
    max(breaker.openTime, Self.minimumProbeTimeout).clamped(to: AgentClock.longestSleep)
  }

  private static let minimumProbeTimeout = Duration.seconds(15)
}
