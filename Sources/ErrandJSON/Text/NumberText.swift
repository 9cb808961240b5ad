import Foundation

/// Converts the text of a number.
///
/// At least eight readable bytes must follow the text. The first of the bytes must not be a digit, a sign, a
/// point, `e` or `E`.
enum NumberText {
  /// Converts digits with an optional minus, and ignores the text after the digits.
  ///
  /// Returns `nil` without digits, for leading zeros, and for a number outside the type.
  @inline(__always)
  static func integer<Value: FixedWidthInteger>(_ text: UnsafePointer<UInt8>, as type: Value.Type) -> Value? {
    let isNegative = text.pointee == 0x2D
    let start = isNegative ? text + 1 : text
    var p = start
    var value: UInt64 = 0
    while true {
      let digit = p.pointee &- 0x30
      if digit > 9 { break }
      value = value &* 10 &+ UInt64(digit)
      p += 1
    }
    let count = p - start
    guard count <= 18, count > 0, start.pointee != 0x30 || count == 1 else {
      return longInteger(start, count: count, isNegative: isNegative, as: type)
    }
    let signed = Int64(truncatingIfNeeded: value)
    return Value(exactly: isNegative ? 0 &- signed : signed)
  }

  @inline(never)
  private static func longInteger<Value: FixedWidthInteger>(
    _ start: UnsafePointer<UInt8>, count: Int, isNegative: Bool, as type: Value.Type
  ) -> Value? {
    guard count > 0, start.pointee != 0x30 || count == 1 else { return nil }
    var value: Value = 0
    for index in 0..<count {
      guard let digit = Value(exactly: start[index] &- 0x30) else { return nil }
      let (tenfold, isTooLong) = value.multipliedReportingOverflow(by: 10)
      let (sum, isTooLarge) =
        isNegative ? tenfold.subtractingReportingOverflow(digit) : tenfold.addingReportingOverflow(digit)
      if isTooLong || isTooLarge { return nil }
      value = sum
    }
    return value
  }

  /// Returns the length of the number; `nil` for an invalid number (RFC 8259 section 6).
  static func length(_ text: UnsafePointer<UInt8>) -> Int? {
    var p = text
    func digits() -> Bool {
      let start = p
      while p.pointee &- 0x30 < 10 { p += 1 }
      return p > start
    }
    if p.pointee == 0x2D { p += 1 }
    if p.pointee == 0x30 { p += 1 } else if !digits() { return nil }
    if p.pointee == 0x2E {
      p += 1
      if !digits() { return nil }
    }
    if p.pointee | 0x20 == 0x65 {
      p += 1
      if p.pointee == 0x2B || p.pointee == 0x2D { p += 1 }
      if !digits() { return nil }
    }
    return TapeBuilder.isOfNumber(p.pointee) ? nil : p - text
  }

  static func string(_ text: UnsafePointer<UInt8>) -> String? {
    length(text).map { String(decoding: UnsafeBufferPointer(start: text, count: $0), as: UTF8.self) }
  }

  /// Converts a number to the nearest double.
  ///
  /// Returns `nil` for an invalid number, for overflow, and for underflow to zero.
  @inline(__always)
  static func double(_ text: UnsafePointer<UInt8>) -> Double? {
    guard let parts = DecimalParts(text) else { return longDouble(text) }
    return parts.double ?? longDouble(text)
  }

  @inline(never)
  private static func longDouble(_ text: UnsafePointer<UInt8>) -> Double? {
    guard let string = string(text), let value = Double(string), value.isFinite else { return nil }
    return value != 0 || isZero(text) ? value : nil
  }

  static func float(_ text: UnsafePointer<UInt8>) -> Float? {
    // Digits and power are exact as floats, so a single rounding happens.
    if let parts = DecimalParts(text), parts.digits < 1 << 24, (-10...10).contains(parts.exponent) {
      let digits = Float(parts.digits)
      let power = Float(DecimalParts.powersOfTen[abs(parts.exponent)])
      let value = parts.exponent < 0 ? digits / power : digits * power
      return parts.isNegative ? -value : value
    }
    guard let string = string(text), let value = Float(string), value.isFinite else { return nil }
    return value != 0 || isZero(text) ? value : nil
  }

  /// Converts a number with `JSONDecoder`, so that rare forms have the same result.
  static func byFoundation(_ text: UnsafePointer<UInt8>, as type: any Decodable.Type) -> Any? {
    length(text).flatMap { try? JSONDecoder().decode(type, from: Data(bytes: text, count: $0)) }
  }

  static func decimal(_ text: UnsafePointer<UInt8>) -> Decimal? {
    guard let parts = DecimalParts(text), (-60...60).contains(parts.exponent), let string = string(text)
    else {
      return byFoundation(text, as: Decimal.self) as? Decimal
    }
    return Decimal(string: string, locale: nil)
  }

  private static func isZero(_ text: UnsafePointer<UInt8>) -> Bool {
    var p = text
    while TapeBuilder.isOfNumber(p.pointee), p.pointee | 0x20 != 0x65 {
      if p.pointee &- 0x31 < 9 { return false }
      p += 1
    }
    return true
  }
}

struct DecimalParts {
  var isNegative = false
  var digits: UInt64 = 0
  var exponent = 0

  /// The powers of ten that are exact as a double.
  static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20,
    1e21, 1e22,
  ]

  /// Reads a number; `nil` for an invalid number, and for a number that needs a slower conversion.
  @inline(__always)
  init?(_ text: UnsafePointer<UInt8>) {
    var p = text
    if p.pointee == 0x2D {
      isNegative = true
      p += 1
    }
    let start = p
    p = Self.digits(p, into: &digits)
    var count = p - start
    guard count > 0, start.pointee != 0x30 || count == 1 else { return nil }
    if p.pointee == 0x2E {
      let point = p + 1
      p = Self.digits(point, into: &digits)
      exponent = point - p
      guard exponent < 0 else { return nil }
      count &-= exponent
    }
    if count > 19 {
      guard start.pointee == 0x30 else { return nil }
      var first = start + 2
      while first.pointee == 0x30 { first += 1 }
      guard p - first <= 19 else { return nil }
    }
    if p.pointee | 0x20 == 0x65 {
      guard let (written, end) = Self.exponent(p + 1) else { return nil }
      exponent &+= written
      p = end
    }
    if TapeBuilder.isOfNumber(p.pointee) { return nil }
  }

  @inline(__always)
  private static func digits(_ start: UnsafePointer<UInt8>, into value: inout UInt64) -> UnsafePointer<UInt8>
  {
    var p = start
    while true {
      let word = ByteWord.load(p)
      guard ByteWord.areDigits(word) else { break }
      value = value &* 100_000_000 &+ ByteWord.number(word)
      p += 8
    }
    while true {
      let digit = p.pointee &- 0x30
      if digit > 9 { return p }
      value = value &* 10 &+ UInt64(digit)
      p += 1
    }
  }

  @inline(never)
  private static func exponent(_ text: UnsafePointer<UInt8>) -> (Int, UnsafePointer<UInt8>)? {
    var (p, value) = (text, UInt64(0))
    if p.pointee == 0x2B || p.pointee == 0x2D { p += 1 }
    let start = p
    p = digits(p, into: &value)
    guard p > start, p - start <= 5 else { return nil }
    return (text.pointee == 0x2D ? -Int(value) : Int(value), p)
  }

  /// The nearest double; `nil` if the fast methods cannot decide.
  @inline(__always)
  var double: Double? {
    if digits == 0 { return isNegative ? -0.0 : 0.0 }
    if digits <= 1 << 53, (-22...22).contains(exponent) {
      let value = Double(Int64(truncatingIfNeeded: digits))
      let power = Self.powersOfTen[abs(exponent)]
      let result = exponent < 0 ? value / power : value * power
      return isNegative ? -result : result
    }
    return long
  }

  /// The nearest double by the method of Eisel and Lemire; see ``PowersOfFive``.
  ///
  /// `nil` if the exponent is outside the table, if 128 bits do not decide, or if the result is not a normal
  /// double.
  @inline(never)
  private var long: Double? {
    guard (PowersOfFive.first...PowersOfFive.last).contains(exponent) else { return nil }
    let index = 2 &* (exponent &- PowersOfFive.first)
    let zeros = digits.leadingZeroBitCount
    let shifted = digits &<< UInt64(zeros)
    var (high, low) = shifted.multipliedFullWidth(by: PowersOfFive.words[index])
    if high & 0x1FF == 0x1FF {
      // The product with the lower 64 bits of the power may carry into the upper bits.
      let (more, _) = shifted.multipliedFullWidth(by: PowersOfFive.words[index &+ 1])
      let (sum, overflow) = low.addingReportingOverflow(more)
      low = sum
      if overflow { high &+= 1 }
      if low == .max { return nil }
    }
    let upper = Int(truncatingIfNeeded: high &>> 63)
    // The mantissa has 54 bits; the last bit decides the rounding.
    var mantissa = high &>> UInt64(truncatingIfNeeded: upper &+ 9)
    var binary = ((217_706 &* exponent) &>> 16) &+ 63 &+ 1023 &+ upper &- zeros
    // A tie rounds to the even double.
    if low <= 1, exponent >= -4, exponent <= 23, mantissa & 3 == 1,
      mantissa &<< UInt64(truncatingIfNeeded: upper &+ 9) == high
    {
      mantissa &= ~1
    }
    mantissa = (mantissa &+ (mantissa & 1)) &>> 1
    if mantissa >= 1 << 53 {
      mantissa = 1 << 52
      binary &+= 1
    }
    guard binary > 0, binary < 2047 else { return nil }
    let sign: UInt64 = isNegative ? 1 &<< 63 : 0
    return Double(bitPattern: sign | UInt64(truncatingIfNeeded: binary) &<< 52 | mantissa & ~(1 << 52))
  }
}
