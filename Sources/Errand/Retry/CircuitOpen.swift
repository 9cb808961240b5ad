/// Why nothing was sent: the ``CircuitBreaker`` of the origin is open; the cause of an error of kind
/// ``RequestError/Kind/circuitOpen``.
public struct CircuitOpen: Error, Sendable, Hashable {
  /// The origin, such as `https://api.example.com`.
  public let origin: String
  /// How many attempts had ended when it opened.
  public let requests: Int
  /// How many of them had failed.
  public let failures: Int
  /// How long until the next attempt may be sent; `nil` while such attempts are under way.
  public let wait: Duration?
}

extension CircuitOpen: CustomStringConvertible {
  /// Such as `the circuit breaker of https://api.example.com is open: 12 of 20 attempts failed; the next is let through
  /// in 15 s`.
  public var description: String {
    let next = wait.map { "the next is let through in \($0.secondsText)" } ?? "another is just tried"
    return "the circuit breaker of \(origin) is open: \(failures) of \(requests) attempts failed; \(next)"
  }
}
