/// Whether a failed attempt is made again.
public enum RetryDecision: Sendable, Hashable {
  /// The failure stands.
  case stop
  /// Another attempt after a wait; a negative wait is none.
  case retry(after: Duration)

  /// Another attempt at once.
  public static let retry = RetryDecision.retry(after: .zero)
}
