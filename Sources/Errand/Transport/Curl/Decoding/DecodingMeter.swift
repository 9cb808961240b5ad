#if os(Linux)
/// Applies the limits against decompression bombs.
///
/// The output of each decoder counts, because the next decoder may turn a huge output into few bytes.
struct DecodingMeter {
  private let limits: TransferLimits
  var received = 0
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
        "decoding expands the body more than", limit: "decodedRatio", value: ratio, unit: "times")
    }
  }
}
#endif
