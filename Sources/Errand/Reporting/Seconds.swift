/// A duration as machines read it: seconds, to the nanosecond; longer than 285 years cannot be read.
struct Seconds: Codable {
  var duration: Duration

  init(_ duration: Duration) { self.duration = duration }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode((duration / .nanoseconds(1)).rounded() / 1e9)
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let seconds = try container.decode(Double.self)
    guard abs(seconds) < 9e9 else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\(seconds) seconds are too many")
    }
    duration = .nanoseconds(Int64((seconds * 1e9).rounded()))
  }
}
