#if os(Linux)
/// Counts what goes into the decoders of a body and what comes out of each, and stops bombs.
///
/// What one gives to the next may be large, and come to nothing there.
struct DecodingMeter {
  private let limits: TransferLimits
  /// Bytes as they came from the network.
  var received = 0
  /// By decoder.
  private var decoded: [Int]

  init(_ limits: TransferLimits, decoders: Int) {
    self.limits = limits
    decoded = Array(repeating: 0, count: decoders)
  }

  mutating func add(decoded count: Int, by decoder: Int) throws(TransportError) {
    decoded[decoder] += count
    let decoded = decoded[decoder]
    if let limit = limits.decodedSize, decoded > limit {
      throw .exceeded("the decoded body is longer than", limit: "decodedSize", value: limit, unit: "bytes")
    }
    guard let ratio = limits.decodedRatio, decoded > limits.decodedRatioGrace else { return }
    let (allowed, overflows) = received.multipliedReportingOverflow(by: ratio)
    guard overflows || decoded <= allowed else {
      throw .exceeded(
        "the body grows by decoding more than", limit: "decodedRatio", value: ratio, unit: "times")
    }
  }
}
#endif
