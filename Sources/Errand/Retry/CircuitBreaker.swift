/// The settings of a circuit breaker, which stops requests to a failing server for a time.
///
/// ``AgentConfiguration/circuitBreaker`` turns the circuit breaker on. Each origin has a separate circuit for
/// each `limitKey`. The agent's clock measures the times. The states of a circuit:
///
/// - closed: attempts run. Enough failures within the ``window`` open the circuit.
/// - open: new attempts fail with ``RequestError/Kind/circuitOpen``, usually for the ``openTime``.
/// - half-open: trial attempts are allowed, and further attempts fail as in the open state. The circuit
///   closes after ``probes`` successes, and opens after a failure.
///
/// A failure is a response with a status in ``statuses``, a connection failure or a timeout. If a stored
/// response is used instead, the circuit ignores the failure.
///
/// ``RequestAgent/circuits`` lists the circuits.
public struct CircuitBreaker: Sendable, Hashable {
  /// The share of failures at which a closed circuit opens; 0.5 by default.
  public var failureRate: Double
  /// The minimum number of counted attempts before failures open a closed circuit; 20 by default.
  public var minimumRequests: Int
  /// The period in which attempts are counted, at least 1 ms; 30 seconds by default.
  public var window: Duration
  /// The time after which a circuit opened by failures allows a trial attempt; 15 seconds by default.
  public var openTime: Duration
  /// The number of successful trial attempts that closes a circuit; 1 by default.
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
  /// A snapshot of a circuit; see ``RequestAgent/circuits`` and ``RequestAgent/circuit(of:key:)``.
  public struct Circuit: Sendable {
    /// The state of a circuit; see ``CircuitBreaker``.
    public enum State: Sendable, Hashable {
      /// No attempt is refused.
      case closed
      /// New attempts fail for the remaining time; `nil`: until ``CircuitBreaker/Circuit/close()``.
      case open(Duration?)
      /// A limited number of trial attempts is allowed.
      case halfOpen
    }

    /// The origin, such as `https://api.example.com`.
    public let origin: String
    /// The ``Request/limitKey`` of the requests; `nil` for requests without a key.
    public let key: String?
    /// The state at the time of the snapshot.
    public let state: State
    private let number: OriginKey
    private let states: OriginStates

    init(_ state: State, of number: OriginKey, in states: OriginStates) {
      (origin, key, self.state) = (number.origin.shownText, number.name, state)
      (self.number, self.states) = (number, states)
    }

    /// Opens the circuit, so that new attempts fail with ``RequestError/Kind/circuitOpen``.
    ///
    /// - Parameter time: The time until a trial attempt is allowed; `nil`, the default: no trial attempt
    ///   until ``CircuitBreaker/Circuit/close()``.
    public func open(for time: Duration? = nil) {
      states.changeCircuit(of: number) { $0.openByHand(for: time, at: $1) }
    }

    /// Closes the circuit, and forgets its failures.
    public func close() { states.changeCircuit(of: number) { circuit, _ in circuit.closeByHand() } }
  }
}

extension CircuitBreaker.Circuit: Hashable {
  /// Compares state, origin, key and the enclosing `withTransport` call.
  public static func == (a: CircuitBreaker.Circuit, b: CircuitBreaker.Circuit) -> Bool {
    a.number == b.number && a.state == b.state
  }

  /// Hashes state, origin, key and the enclosing `withTransport` call.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(number)
    hasher.combine(state)
  }
}

extension CircuitBreaker.Circuit: CustomStringConvertible {
  /// A text such as `https://api.example.com open for 15 s`.
  public var description: String {
    let name = key.map { "\(origin) (\($0))" } ?? origin
    return switch state {
    case .closed: "\(name) closed"
    case .open(let time?): "\(name) open for \(time.roundedUp.secondsText)"
    case .open(nil): "\(name) open until closed by hand"
    case .halfOpen: "\(name) half-open"
    }
  }
}

extension CircuitBreaker {
  /// The cause of an error of kind ``RequestError/Kind/circuitOpen``.
  struct Open: Error, Sendable, Hashable {
    let origin: String
    /// The number of attempts counted before the circuit opened; 0 if the app opened the circuit.
    let requests: Int
    let failures: Int
    /// `nil`: trial attempts are running, or the app must close the circuit.
    let wait: Duration?
    let isByHand: Bool
  }
}

extension RequestError {
  /// The time from the error until a trial attempt is allowed; `nil`: another error, or an unknown time.
  ///
  /// The time is unknown while trial attempts run, or if the app must close the circuit.
  public var circuitWait: Duration? { cause(as: CircuitBreaker.Open.self)?.wait }
}

extension CircuitBreaker.Open: Advised {
  var advice: Advice? { isByHand ? .openedByHand : nil }
}

extension CircuitBreaker.Open: CustomStringConvertible {
  var description: String {
    let next =
      wait.map { "the next attempt is allowed in \($0.roundedUp.secondsText)" }
      ?? (isByHand ? "no attempt is allowed" : "a trial attempt is under way")
    let reason = isByHand ? "opened by hand" : "\(failures) of \(requests) attempts failed"
    return "the circuit breaker of \(origin) is open: \(reason); \(next)"
  }
}

struct CircuitState {
  enum Phase: Equatable {
    case closed
    case open(until: Duration)
    case openUntilClosed
    case halfOpen(running: Int, succeeded: Int)
  }

  private let breaker: CircuitBreaker
  private(set) var phase = Phase.closed
  /// The first counter counts attempts, and the second counter failed attempts.
  private var counts: SlidingCounts
  private var opening = (requests: 0, failures: 0, isByHand: false)
  /// The number of the phase.
  ///
  /// The results of attempts from an earlier phase are ignored.
  private var phaseNumber = 0
  private var lastProbe = Duration.zero

  init(_ breaker: CircuitBreaker) {
    self.breaker = breaker
    counts = SlidingCounts(window: breaker.window)
  }

  func refusal(at now: Duration, of key: OriginKey) -> CircuitBreaker.Open? {
    let wait: Duration?
    switch phase {
    case .closed: return nil
    case .open(let end) where now >= end: return nil
    case .open(let end): wait = end - now
    case .openUntilClosed: wait = nil
    case .halfOpen(let running, let succeeded) where running + succeeded < probes: return nil
    case .halfOpen where now - lastProbe >= probeTimeout: return nil
    case .halfOpen: wait = nil
    }
    return CircuitBreaker.Open(
      origin: key.shownText, requests: opening.requests, failures: opening.failures, wait: wait,
      isByHand: opening.isByHand)
  }

  func state(at now: Duration) -> CircuitBreaker.Circuit.State {
    switch phase {
    case .closed: .closed
    case .open(let end) where now < end: .open(end - now)
    case .openUntilClosed: .open(nil)
    case .open, .halfOpen: .halfOpen
    }
  }

  /// Returns true after a change that ``AgentEvent/Kind/circuitChanged(_:)`` reports.
  func isChanged(since before: Phase) -> Bool {
    if case (.halfOpen, .halfOpen) = (before, phase) { return false }
    return phase != before
  }

  mutating func openByHand(for time: Duration?, at now: Duration) {
    opening = (0, 0, isByHand: true)
    guard let time else { return change(to: .openUntilClosed) }
    change(to: .open(until: now + max(time, .zero).clamped(to: AgentClock.longestSleep)))
  }

  mutating func closeByHand() { change(to: .closed) }

  /// Admits an attempt, and returns a ticket for ``settle(_:succeeded:at:)``.
  ///
  /// Call only after ``refusal(at:of:)`` returned `nil`.
  mutating func admit(at now: Duration) -> Int {
    switch phase {
    case .closed: return phaseNumber
    case .halfOpen(let running, let succeeded) where running + succeeded < probes:
      phase = .halfOpen(running: running + 1, succeeded: succeeded)
    // The change of phase makes the tickets of unfinished trial attempts invalid.
    case .open, .openUntilClosed, .halfOpen: change(to: .halfOpen(running: 1, succeeded: 0))
    }
    lastProbe = now
    return phaseNumber
  }

  /// Records the end of an admitted attempt.
  ///
  /// `succeeded` is `nil` if the attempt reveals nothing about the server.
  mutating func settle(_ ticket: Int, succeeded: Bool?, at now: Duration) {
    guard ticket == phaseNumber else { return }
    switch phase {
    case .open, .openUntilClosed: break
    case .closed: count(succeeded, at: now)
    case .halfOpen(let running, let before):
      switch succeeded {
      case nil: phase = .halfOpen(running: running - 1, succeeded: before)
      case true? where before + 1 >= probes: change(to: .closed)
      case true?: phase = .halfOpen(running: running - 1, succeeded: before + 1)
      case false?:
        if opening.isByHand { opening = (1, 1, isByHand: false) }
        open(now)
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
    opening = (requests, failures, isByHand: false)
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

  /// The time after which a new trial attempt is allowed, although earlier trial attempts have not ended.
  private var probeTimeout: Duration {
    max(breaker.openTime, Self.minimumProbeTimeout).clamped(to: AgentClock.longestSleep)
  }

  private static let minimumProbeTimeout = Duration.seconds(15)
}
