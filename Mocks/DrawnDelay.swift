import Errand

/// Draws waits that are the same again for the same seed.
struct DrawnDelay: Sendable {
  let range: ClosedRange<Duration>
  let seed: UInt64

  /// The wait of the request of that number.
  func delay(ofRequest number: Int) -> Duration {
    range.lowerBound + (range.upperBound - range.lowerBound) * fraction(number)
  }

  /// A number from 0 to 1: one of 2⁵³ steps, the most that a `Double` tells apart.
  private func fraction(_ number: Int) -> Double {
    // A step of the golden ratio, and then SplitMix64's mixing, so that neighbours have nothing in common.
    var bits = seed &+ UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    bits ^= bits >> 31
    return Double(bits >> 11) / Double((1 << 53) - 1)
  }
}
