/// A word of the tape: a kind of value in the upper 4 bits, and a position in the lower 28 bits.
///
/// For a number, boolean or null, the position is the offset of the first byte. For a text, the position is
/// the offset after the quote, and a second word has the length. For an array or object, the position is the
/// tape index after the container.
enum TapeWord {
  static let null: UInt32 = 0
  static let no: UInt32 = 1
  static let yes: UInt32 = 2
  /// Digits with an optional minus; the syntax is unchecked, so `-` and `007` are possible.
  static let integer: UInt32 = 3
  /// Any other number; the syntax is unchecked.
  static let fraction: UInt32 = 4
  /// ASCII text without escapes.
  static let plain: UInt32 = 5
  /// Text without escapes and with bytes beyond ASCII.
  static let utf8: UInt32 = 6
  /// Text with escapes or control characters, or a name that decoding must convert.
  static let escaped: UInt32 = 7
  static let array: UInt32 = 8
  static let object: UInt32 = 9
  /// An object whose members are found with a ``NameTable``, such as an object with repeated names.
  static let indexed: UInt32 = 10

  static let placeMask: UInt32 = 0x0FFF_FFFF

  @inline(__always) static func make(_ kind: UInt32, at place: Int) -> UInt32 {
    kind &<< 28 | UInt32(truncatingIfNeeded: place)
  }
  @inline(__always) static func kind(_ word: UInt32) -> UInt32 { word &>> 28 }
  @inline(__always) static func place(_ word: UInt32) -> Int { Int(truncatingIfNeeded: word & placeMask) }
  @inline(__always) static func isText(_ kind: UInt32) -> Bool { kind &- plain <= escaped - plain }
  @inline(__always) static func isNumber(_ kind: UInt32) -> Bool { kind &- integer <= fraction - integer }

  static func name(_ kind: UInt32) -> String {
    switch kind {
    case null: "null value"
    case no, yes: "bool"
    case integer, fraction: "number"
    case plain, utf8, escaped: "a string"
    case array: "an array"
    default: "a dictionary"
    }
  }
}

enum ByteWord {
  static let ones: UInt64 = 0x0101_0101_0101_0101
  static let highs: UInt64 = 0x8080_8080_8080_8080

  @inline(__always) static func load(_ bytes: UnsafePointer<UInt8>) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self))
  }
  @inline(__always) static func load4(_ bytes: UnsafePointer<UInt8>) -> UInt32 {
    UInt32(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt32.self))
  }

  /// Sets the high bit of each quote, backslash, control character and byte beyond ASCII.
  ///
  /// Only the lowest set bit is reliable.
  @inline(__always) static func notPlain(_ word: UInt64) -> UInt64 {
    // XOR with 2 maps quotes and control characters to the values below 0x21.
    let low = (word ^ (ones &* 0x02)) &- (ones &* 0x21)
    let backslash = (word ^ (ones &* 0x5C)) &- ones
    return (low | backslash | word) & highs
  }

  /// Like `notPlain`, but ignores bytes beyond ASCII.
  @inline(__always) static func special(_ word: UInt64) -> UInt64 {
    let low = (word ^ (ones &* 0x02)) &- (ones &* 0x21)
    let backslash = (word ^ (ones &* 0x5C)) &- ones
    return (low | backslash) & ~word & highs
  }

  /// Sets the high bit of each zero byte and each byte beyond ASCII; only the lowest set bit is reliable.
  @inline(__always) static func zeroOrHigh(_ word: UInt32) -> UInt32 {
    ((word &- 0x0101_0101) | word) & 0x8080_8080
  }

  @inline(__always) static func areDigits(_ word: UInt64) -> Bool {
    let high: UInt64 = 0xF0F0_F0F0_F0F0_F0F0
    return word & high | ((word &+ 0x0606_0606_0606_0606) & high) &>> 4 == 0x3333_3333_3333_3333
  }

  @inline(__always) static func number(_ word: UInt64) -> UInt64 {
    let pairs = ((word & 0x0F0F_0F0F_0F0F_0F0F) &* 2561) &>> 8
    let fours = ((pairs & 0x00FF_00FF_00FF_00FF) &* 6_553_601) &>> 16
    return ((fours & 0x0000_FFFF_0000_FFFF) &* 42_949_672_960_001) &>> 32
  }

  @inline(__always) static func first(_ marks: UInt64) -> Int { marks.trailingZeroBitCount &>> 3 }
}
