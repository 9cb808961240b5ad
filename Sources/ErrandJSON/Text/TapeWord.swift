/// A word of a ``Tape``: what a value is in the upper 4 bits, and where in the lower 28.
///
/// A scalar's word holds the offset of its first byte, that of text the offset behind the quote; a second word then holds its length in
/// bytes. The word of an array or object holds the place behind its last value on the tape, so that it is passed by in one step. The
/// members of an object are a text, its name, and a value each.
enum TapeWord {
  static let null: UInt32 = 0
  static let no: UInt32 = 1
  static let yes: UInt32 = 2
  /// Digits, with a minus before them perhaps.
  static let integer: UInt32 = 3
  /// A number with anything else in it; what it is worth is judged when it is read.
  static let fraction: UInt32 = 4
  /// Text that is ASCII, and written without escapes.
  static let plain: UInt32 = 5
  /// Text without escapes in what should be UTF-8, which is judged when it is read.
  static let utf8: UInt32 = 6
  /// Text with escapes or control characters, which are judged when it is read.
  static let escaped: UInt32 = 7
  static let array: UInt32 = 8
  /// An object whose names are plain, few and different.
  static let object: UInt32 = 9
  /// An object whose names have to be put into a dictionary to find one: of other texts, equal ones, or a great many.
  static let indexed: UInt32 = 10

  static let placeMask: UInt32 = 0x0FFF_FFFF

  @inline(__always) static func make(_ kind: UInt32, at place: Int) -> UInt32 {
    kind &<< 28 | UInt32(truncatingIfNeeded: place)
  }
  @inline(__always) static func kind(_ word: UInt32) -> UInt32 { word &>> 28 }
  @inline(__always) static func place(_ word: UInt32) -> Int { Int(truncatingIfNeeded: word & placeMask) }
  @inline(__always) static func isText(_ kind: UInt32) -> Bool { kind &- plain <= escaped - plain }
  @inline(__always) static func isNumber(_ kind: UInt32) -> Bool { kind &- integer <= fraction - integer }

  /// What it is called in messages, as Foundation calls it.
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

/// Eight bytes at a time.
enum ByteWord {
  static let ones: UInt64 = 0x0101_0101_0101_0101
  static let highs: UInt64 = 0x8080_8080_8080_8080

  /// Eight bytes from `bytes` on, the first one lowest.
  @inline(__always) static func load(_ bytes: UnsafePointer<UInt8>) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self))
  }
  @inline(__always) static func load4(_ bytes: UnsafePointer<UInt8>) -> UInt32 {
    UInt32(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt32.self))
  }

  /// A high bit at each byte that does not simply go on a string: quotes, backslashes, control characters and all beyond ASCII.
  ///
  /// Above the lowest of them there may be bits too many.
  @inline(__always) static func notPlain(_ word: UInt64) -> UInt64 {
    // Quotes and control characters in one: with 2 turned over they are those below 0x21.
    let low = (word ^ (ones &* 0x02)) &- (ones &* 0x21)
    let backslash = (word ^ (ones &* 0x5C)) &- ones
    return (low | backslash | word) & highs
  }

  /// A high bit at each quote, backslash and control character.
  ///
  /// Above the lowest of them there may be bits too many.
  @inline(__always) static func special(_ word: UInt64) -> UInt64 {
    let low = (word ^ (ones &* 0x02)) &- (ones &* 0x21)
    let backslash = (word ^ (ones &* 0x5C)) &- ones
    return (low | backslash) & ~word & highs
  }

  /// A bit at each byte of four that is zero, or beyond ASCII.
  @inline(__always) static func zeroOrHigh(_ word: UInt32) -> UInt32 {
    ((word &- 0x0101_0101) | word) & 0x8080_8080
  }

  /// Whether all eight are digits.
  @inline(__always) static func areDigits(_ word: UInt64) -> Bool {
    let high: UInt64 = 0xF0F0_F0F0_F0F0_F0F0
    return word & high | ((word &+ 0x0606_0606_0606_0606) & high) &>> 4 == 0x3333_3333_3333_3333
  }

  /// The number that eight digits are: of pairs, of fours, of all.
  @inline(__always) static func number(_ word: UInt64) -> UInt64 {
    let pairs = ((word & 0x0F0F_0F0F_0F0F_0F0F) &* 2561) &>> 8
    let fours = ((pairs & 0x00FF_00FF_00FF_00FF) &* 6_553_601) &>> 16
    return ((fours & 0x0000_FFFF_0000_FFFF) &* 42_949_672_960_001) &>> 32
  }

  /// Which of the bytes is the lowest that is marked.
  @inline(__always) static func first(_ marks: UInt64) -> Int { marks.trailingZeroBitCount &>> 3 }
}
