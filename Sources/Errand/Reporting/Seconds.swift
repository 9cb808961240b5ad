/// A duration as machines read it: seconds, to the nanosecond up to 285 years, and then as exact as the number is.
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
    // What a `Duration` holds.
    guard abs(seconds) < 1e20 else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\(seconds) seconds are too many")
    }
    duration = abs(seconds) < 9e9 ? .nanoseconds(Int64((seconds * 1e9).rounded())) : .seconds(seconds)
  }
}
