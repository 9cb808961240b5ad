extension JSONBuffer {
  @inline(__always)
  mutating func append(integer value: some FixedWidthInteger) {
    let magnitude = UInt64(truncatingIfNeeded: value.magnitude)
    append(digits: magnitude, negative: value < 0)
  }

  mutating func append(digits value: UInt64, negative: Bool) {
    reserve(20)
    if negative { advance(byte: 0x2D) }
    if value < 10 { return advance(byte: 0x30 &+ UInt8(truncatingIfNeeded: value)) }
    let length = Self.digitCount(of: value)
    store(value, at: end, length: length)
    advance(length)
  }

  mutating func append(finite value: Double) {
    let magnitude = value.magnitude
    if magnitude < 0x1p53, magnitude == magnitude.rounded(.down) {
      return append(digits: UInt64(magnitude), negative: value.sign == .minus)
    }
    if magnitude >= 0.001, magnitude < 1e7, append(decimals: magnitude, negative: value < 0) { return }
    append(description: value.description)
  }

  mutating func append(finite value: Float) {
    let magnitude = value.magnitude
    if magnitude < 0x1p24, magnitude == magnitude.rounded(.down) {
      return append(digits: UInt64(magnitude), negative: value.sign == .minus)
    }
    append(description: value.description)
  }

  /// Appends a number with at most eight decimal places; returns `false` for other numbers.
  ///
  /// No shorter text gives the same `Double`, because different numbers of up to 15 digits give different
  /// doubles.
  private mutating func append(decimals magnitude: Double, negative: Bool) -> Bool {
    let scaled = (magnitude * 1e8).rounded()
    // Both operands are exact, so the quotient is the nearest `Double`.
    guard scaled < 1e15, scaled / 1e8 == magnitude else { return false }
    let (whole, rest) = UInt64(scaled).quotientAndRemainder(dividingBy: 100_000_000)
    append(digits: whole, negative: negative)
    reserve(9)
    advance(byte: 0x2E)
    let out = end
    var (digits, length) = (rest, 8)
    if digits % 10_000 == 0 { (digits, length) = (digits / 10_000, 4) }
    if digits % 100 == 0 { (digits, length) = (digits / 100, length - 2) }
    if digits % 10 == 0 { (digits, length) = (digits / 10, length - 1) }
    store(digits, at: out, length: length)
    advance(length)
    return true
  }

  private mutating func append(description: String) {
    var text = description
    text.withUTF8 { bytes in
      let length = bytes.count
      let whole = length > 2 && bytes[length - 1] == 0x30 && bytes[length - 2] == 0x2E
      append(UnsafeBufferPointer(rebasing: bytes[..<(whole ? length - 2 : length)]))
    }
  }

  /// Stores the `length` digits of a value.
  ///
  /// The caller must have reserved the memory.
  @inline(__always)
  private func store(_ value: UInt64, at out: UnsafeMutablePointer<UInt8>, length: Int) {
    var (value, place) = (value, length)
    while place > 1 {
      let (rest, pair) = value.quotientAndRemainder(dividingBy: 100)
      place &-= 2
      out[place] = 0x30 &+ UInt8(truncatingIfNeeded: pair / 10)
      out[place &+ 1] = 0x30 &+ UInt8(truncatingIfNeeded: pair % 10)
      value = rest
    }
    if place == 1 { out[0] = 0x30 &+ UInt8(truncatingIfNeeded: value) }
  }

  @inline(__always)
  mutating func advance(byte: UInt8) {
    end.pointee = byte
    advance(1)
  }

  private static func digitCount(of value: UInt64) -> Int {
    if value < 10_000 { return value < 100 ? (value < 10 ? 1 : 2) : (value < 1_000 ? 3 : 4) }
    if value < 100_000_000 {
      return value < 1_000_000 ? (value < 100_000 ? 5 : 6) : (value < 10_000_000 ? 7 : 8)
    }
    return 8 + digitCount(of: value / 100_000_000)
  }
}
