/// The reason why a retry was decided but did not happen.
enum RetryObstacle: String, Codable, Sendable {
  /// The ``RetryBudget`` of the origin was spent.
  case budget
  /// The wait before the retry would have ended past the ``Request/deadline``.
  case deadline

  /// The advice for the developer.
  var advice: String {
    switch self {
    case .budget: "Too many requests to this server fail for more retries to help; come back later."
    case .deadline: "The deadline leaves no time for another attempt: raise it, or come back later."
    }
  }
}
