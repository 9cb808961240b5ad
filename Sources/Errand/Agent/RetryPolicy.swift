/// Placeholder.
public struct RetryPolicy: Sendable {
  /// None.
  public static let none = RetryPolicy()
  /// The agent's.
  public static let inherited = RetryPolicy()
}
