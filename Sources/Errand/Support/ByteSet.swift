/// A set of ASCII characters, asked byte by byte.
struct ByteSet: Sendable {
  private let low: UInt64
  private let high: UInt64

  /// Makes the set of the ASCII characters that satisfy a rule.
  init(_ isMember: (UInt8) -> Bool) {
    var (low, high): (UInt64, UInt64) = (0, 0)
    for byte in 0..<UInt8(64) {
      if isMember(byte) { low |= 1 << UInt64(byte) }
      if isMember(byte | 64) { high |= 1 << UInt64(byte) }
    }
    (self.low, self.high) = (low, high)
  }

  func contains(_ byte: UInt8) -> Bool {
    let half = byte & 64 == 0 ? low : high
    return byte < 128 && (half >> UInt64(byte & 63)) & 1 == 1
  }

  /// Whether every byte of a text is in the set.
  func containsAll(of text: some StringProtocol) -> Bool {
    text.withBytes { bytes in bytes.allSatisfy(contains) }
  }
}
