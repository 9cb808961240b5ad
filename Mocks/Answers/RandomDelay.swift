import Errand

struct RandomDelay: Sendable {
  let range: ClosedRange<Duration>
  let seed: UInt64

  func delay(ofRequest number: Int) -> Duration {
    range.lowerBound + (range.upperBound - range.lowerBound) * fraction(number)
  }

  /// Returns a number from 0 to 1.
  private func fraction(_ number: Int) -> Double {
    // SplitMix64 gives unrelated values to neighbouring numbers.
    var bits = seed &+ UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    bits ^= bits >> 31
    return Double(bits >> 11) / Double((1 << 53) - 1)
  }
}
