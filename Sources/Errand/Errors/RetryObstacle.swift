/// What kept a dispatch from another attempt that its policy wanted.
enum RetryObstacle: String, Codable, Sendable {
  /// The ``RetryBudget`` of the origin was spent.
  case budget
  /// The wait before the attempt would have ended past the ``Request/deadline``.
  case deadline

  /// What to try.
  var advice: String {
    switch self {
    case .budget: "Too many requests to this server fail for more retries to help; come back later."
    case .deadline: "The deadline leaves no time for another attempt: raise it, or come back later."
    }
  }
}
