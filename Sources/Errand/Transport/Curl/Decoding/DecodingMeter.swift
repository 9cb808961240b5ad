#if os(Linux)
/// Counts what goes into the decoders of a body and what comes out, and stops bombs.
struct DecodingMeter {
  private let limits: TransferLimits
  /// Bytes as they came from the network.
  var received = 0
  private var decoded = 0

  init(_ limits: TransferLimits) { self.limits = limits }

  mutating func add(decoded count: Int) throws(TransportError) {
    decoded += count
    if let limit = limits.decodedSize, decoded > limit {
      throw .exceeded("the decoded body is longer than", "decodedSize", limit, "bytes")
    }
    guard let ratio = limits.decodedRatio, decoded > limits.decodedRatioGrace else { return }
    let (allowed, overflows) = received.multipliedReportingOverflow(by: ratio)
    guard overflows || decoded <= allowed else {
      throw .exceeded("the body grows by decoding more than", "decodedRatio", ratio, "times")
    }
  }
}
#endif
