extension JSONBuffer {
  @inline(__always)
  mutating func append(quoted text: String, escapingSlashes: Bool) {
    var text = text
    text.withUTF8 { append(quoted: $0, escapingSlashes: escapingSlashes) }
  }

  mutating func append(quoted bytes: UnsafeBufferPointer<UInt8>, escapingSlashes: Bool) {
    let length = bytes.count
    reserve(length &+ 2)
    var out = end
    out.pointee = 0x22
    out += 1
    let slash = JSONWord.slash(escaped: escapingSlashes)
    var place = 0
    while place < length, let source = bytes.baseAddress {
      let left = length &- place
      let word = JSONWord.load(source + place, left: left)
      // The whole word fits into the reserved bytes and the slack.
      JSONWord.store(word, at: out)
      let found = JSONWord.escapes(in: word, slash)
      let step = found == 0 ? 8 : found.trailingZeroBitCount &>> 3
      if found == 0 {
        out += min(step, left)
        place &+= step
      } else {
        out = store(escapeOf: source[place &+ step], at: out + step, left: left &- step)
        place &+= step &+ 1
      }
    }
    out.pointee = 0x22
    advance(out - end &+ 1)
  }

  /// Stores the escape of a byte at `place`, and returns the end of the escape.
  ///
  /// The bytes before `place` are stored but not yet counted.
  @inline(__always)
  private mutating func store(
    escapeOf byte: UInt8, at place: UnsafeMutablePointer<UInt8>, left: Int
  ) -> UnsafeMutablePointer<UInt8> {
    advance(place - end)
    reserve(left &+ 7)
    let out = end
    out[0] = 0x5C
    out[1] = byte
    if byte >= 0x20 { return out + 2 }
    return out + Self.store(controlEscapeOf: byte, at: out)
  }

  private static func store(controlEscapeOf byte: UInt8, at out: UnsafeMutablePointer<UInt8>) -> Int {
    switch byte {
    case 0x08: out[1] = 0x62
    case 0x0C: out[1] = 0x66
    case 0x0A: out[1] = 0x6E
    case 0x0D: out[1] = 0x72
    case 0x09: out[1] = 0x74
    default:
      (out[1], out[2], out[3]) = (0x75, 0x30, 0x30)
      out[4] = byte < 0x10 ? 0x30 : 0x31
      out[5] = byte & 15 < 10 ? 0x30 &+ (byte & 15) : 0x57 &+ (byte & 15)
      return 6
    }
    return 2
  }

  /// Appends a key in quotes, and returns a hash of the key.
  ///
  /// Appends nothing and returns `nil` if the key is empty or not ASCII, or contains a slash or a character
  /// to escape.
  @inline(__always)
  mutating func append(plainKey bytes: UnsafeBufferPointer<UInt8>) -> UInt32? {
    let length = bytes.count
    reserve(length &+ 2)
    guard let source = bytes.baseAddress, length > 0 else { return nil }
    let out = end
    out[0] = 0x22
    var (place, hash) = (0, UInt64(truncatingIfNeeded: length))
    while place < length {
      let left = length &- place
      let word = JSONWord.load(source + place, left: left)
      if JSONWord.escapes(in: word, JSONWord.slash(escaped: true)) | (word & JSONWord.highBits) != 0 {
        return nil
      }
      JSONWord.store(word, at: out + (1 &+ place))
      hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
      hash ^= hash &>> 29
      place &+= min(left, 8)
    }
    out[1 &+ length] = 0x22
    advance(length &+ 2)
    return UInt32(truncatingIfNeeded: hash &>> 32)
  }
}

/// Words of eight bytes of text; the first byte is in the lowest bits.
enum JSONWord {
  static var lowBits: UInt64 { 0x0101_0101_0101_0101 }
  static var highBits: UInt64 { 0x8080_8080_8080_8080 }

  /// Loads up to eight bytes; spaces replace missing bytes.
  @inline(__always)
  static func load(_ source: UnsafePointer<UInt8>, left: Int) -> UInt64 {
    let raw = UnsafeRawPointer(source)
    if left >= 8 { return UInt64(littleEndian: raw.loadUnaligned(as: UInt64.self)) }
    let shift = UInt64(truncatingIfNeeded: left) &<< 3
    let spaces = 0x2020_2020_2020_2020 as UInt64 &<< shift
    if left >= 4 {
      let low = UInt64(UInt32(littleEndian: raw.loadUnaligned(as: UInt32.self)))
      let high = UInt64(UInt32(littleEndian: (raw + (left &- 4)).loadUnaligned(as: UInt32.self)))
      return low | high &<< (shift &- 32) | spaces
    }
    var word = spaces | UInt64(source[0])
    if left > 1 { word |= UInt64(source[1]) &<< 8 }
    if left > 2 { word |= UInt64(source[2]) &<< 16 }
    return word
  }

  @inline(__always)
  static func store(_ word: UInt64, at place: UnsafeMutablePointer<UInt8>) {
    UnsafeMutableRawPointer(place).storeBytes(of: word.littleEndian, as: UInt64.self)
  }

  /// Returns eight slashes, as the argument of ``escapes(in:_:)``.
  ///
  /// If slashes are not escaped, returns eight backslashes, because `escapes` finds backslashes anyway.
  @inline(__always)
  static func slash(escaped: Bool) -> UInt64 { lowBits &* (escaped ? 0x2F : 0x5C) }

  /// Returns a word whose lowest set bit is the high bit of the first byte to escape; 0 without such a byte.
  ///
  /// Higher set bits have no meaning.
  @inline(__always)
  static func escapes(in word: UInt64, _ slash: UInt64) -> UInt64 {
    let control = (word &- lowBits &* 0x20) & ~word
    let quote = word ^ (lowBits &* 0x22)
    let backslash = word ^ (lowBits &* 0x5C)
    let third = word ^ slash
    let found =
      control | ((quote &- lowBits) & ~quote) | ((backslash &- lowBits) & ~backslash)
      | ((third &- lowBits) & ~third)
    return found & highBits
  }
}
