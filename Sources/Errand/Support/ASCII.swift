/// Questions about bytes that only know ASCII.
enum ASCII {
  /// The byte with a capital letter made small.
  static func lowercased(_ byte: UInt8) -> UInt8 {
    (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
  }

  static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

  static func isAlphanumeric(_ byte: UInt8) -> Bool { isDigit(byte) || isLetter(byte) }

  /// Space, tab, line feed or carriage return.
  static func isWhitespace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  /// The value of a hexadecimal digit, in either case.
  static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46, 0x61...0x66: (byte | 0x20) - 0x61 + 10
    default: nil
    }
  }
}

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
