/// How a dispatch or an attempt ended, as it is written for machines.
enum OutcomeRecord: String, Codable {
  case success, failure, cancelled

  init(_ outcome: Outcome<Void>) {
    self =
      switch outcome {
      case .success: .success
      case .failure: .failure
      case .cancelled: .cancelled
      }
  }

  /// The outcome, with the failure of a failed one.
  func outcome(_ failure: RequestError?) throws -> Outcome<Void> {
    switch self {
    case .success: return .success(())
    case .cancelled: return .cancelled
    case .failure:
      guard let failure else {
        throw DecodingError.dataCorrupted(
          .init(codingPath: [], debugDescription: "the outcome is a failure, and the failure is not there"))
      }
      return .failure(failure)
    }
  }
}
