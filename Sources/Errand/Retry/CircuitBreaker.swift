/// Stops asking a server that fails most of the time, and tries it again after a while.
///
/// Off unless an agent's ``RequestAgent/Configuration/circuitBreaker`` is set. Each origin (scheme, host and port) has a
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
/// cancellation is neither, and whoever shared the transfer of another counts nothing. Credentials are fetched before the
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
  public var statuses: Set<Int> = [500, 502, 503, 504]

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
