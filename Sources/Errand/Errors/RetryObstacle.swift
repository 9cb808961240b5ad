enum RetryObstacle: String, Codable, Sendable {
  case budget
  case deadline
  case timeLimit
  case body

  var advice: String {
    switch self {
    case .budget:
      "Too many requests to this server fail, so Errand stops retrying. Send the request again later."
    case .deadline:
      "The deadline leaves no time for another attempt. Raise the deadline, or send the request again later."
    case .timeLimit:
      "The time limit of the retryPolicy leaves no time for another attempt. Raise the limit, or send the request again later."
    case .body:
      "A retry was due, but the body can be produced only once. Send a file, data, or a stream with a closure that produces the body again."
    }
  }
}
