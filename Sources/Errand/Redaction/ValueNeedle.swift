import Foundation

/// A form in which a hidden value may be printed.
struct ValueNeedle: Sendable {
  enum Form: Sendable {
    /// Text in which any character may be escaped as in URLs, JSON or HTML.
    case text
    /// `margins` are the numbers of characters at the start and the end that also depend on neighbouring
    /// bytes.
    case base64(margins: (before: Int, after: Int))
    case hex
  }

  let form: Form
  let bytes: [UInt8]
  let standsAlone: Bool

  /// Returns the printed forms of a value.
  ///
  /// A value of less than six bytes has only the form ``Form/text``.
  static func needles(of value: HiddenValue) -> [ValueNeedle] {
    let text = ValueNeedle(form: .text, bytes: value.bytes, standsAlone: value.standsAlone)
    guard value.bytes.count >= 6 else { return [text] }
    let hex = value.bytes.flatMap { [hexDigits[Int($0 >> 4)], hexDigits[Int($0 & 15)]] }
    return [text, ValueNeedle(form: .hex, bytes: hex, standsAlone: false)]
      + (0..<3).map { base64(value.bytes, after: $0) }
  }

  private static let hexDigits = Array("0123456789abcdef".utf8)

  /// Returns the Base64 characters that depend on the value alone; `shift` is the number of bytes before the
  /// value, modulo 3.
  private static func base64(_ bytes: [UInt8], after shift: Int) -> ValueNeedle {
    let encoded = Array(Data([UInt8](repeating: 0, count: shift) + bytes).base64EncodedString().utf8)
    let bits = 8 * (shift + bytes.count)
    let (first, end) = ((8 * shift + 5) / 6, bits / 6)
    return ValueNeedle(
      form: .base64(margins: (first - 8 * shift / 6, (bits + 5) / 6 - end)),
      bytes: Array(encoded[first..<end]), standsAlone: false)
  }

  var firstBytes: [UInt8] {
    let first = bytes[0]
    switch form {
    case .text: return [first]
    case .base64:
      let other = first == UInt8(ascii: "+") ? UInt8(ascii: "-") : UInt8(ascii: "_")
      return Self.isSpecial(first) ? [first, other] : [first]
    case .hex: return ASCII.isLetter(first) ? [first, first & 0xDF] : [first]
    }
  }

  /// Returns the range to hide for an occurrence at `start`; in Base64, the range includes the margins.
  ///
  /// With a spent budget, the range may reach to the end of the text.
  func occurrence(
    in text: UnsafeBufferPointer<UInt8>, at start: Int, isCut: Bool, _ budget: inout ComparisonBudget
  ) -> Range<Int>? {
    let length = budget.isSpent ? min(bytes.count, ComparisonBudget.freeLength) : bytes.count
    let plain = plainEnd(in: text, at: start, length: length, budget: &budget)
    let escaped = escapedEnd(
      in: text, at: start, length: length, isCut: isCut && plain == nil, budget: &budget)
    guard plain != nil || escaped != nil else { return nil }
    let end = max(plain ?? start, escaped ?? start)
    if length < bytes.count { return start..<text.count }
    if standsAlone, !WordBoundary.isApart(start..<end, in: text) { return nil }
    guard case .base64(let margins) = form else { return start..<end }
    return Self.extended(start..<end, by: margins, in: text)
  }

  private func plainEnd(
    in text: UnsafeBufferPointer<UInt8>, at start: Int, length: Int, budget: inout ComparisonBudget
  ) -> Int? {
    let end = start + length
    guard end <= text.count else { return nil }
    var matched = 0
    while matched < length, text[start + matched] == bytes[matched] { matched += 1 }
    budget.charge(matched)
    return matched == length ? end : nil
  }

  private func escapedEnd(
    in text: UnsafeBufferPointer<UInt8>, at start: Int, length: Int, isCut: Bool,
    budget: inout ComparisonBudget
  ) -> Int? {
    var (position, matched, escapes) = (start, 0, 0)
    defer { budget.charge(matched + escapes * ComparisonBudget.escapeCost) }
    while matched < length {
      guard position < text.count else {
        return isCut && matched >= Self.shortestCut ? position : nil
      }
      if let line = lineBreakEnd(in: text, at: position), matched > 0 {
        position = line
        escapes += 1
        continue
      }
      // Without a matching escape, the mark, such as `%`, may be a plain character of the value.
      if EscapedByte.isMark(text[position]),
        let step = EscapedByte.step(in: text, at: position, for: bytes[matched...], isSame)
      {
        (position, matched) = step
        escapes += 1
      } else if isSame(text[position], as: bytes[matched]) {
        (position, matched) = (position + 1, matched + 1)
      } else {
        return nil
      }
    }
    return position
  }

  /// The minimum length in bytes at which the beginning of a cut value is hidden.
  private static let shortestCut = 4

  /// Matches a line break within Base64 (RFC 2045 section 6.8), plain or escaped.
  private func lineBreakEnd(in text: UnsafeBufferPointer<UInt8>, at position: Int) -> Int? {
    guard case .base64 = form else { return nil }
    switch text[position] {
    case 0x0A, 0x0D: return position + 1
    case UInt8(ascii: "\\") where position + 1 < text.count:
      let letter = text[position + 1]
      return letter == UInt8(ascii: "n") || letter == UInt8(ascii: "r") ? position + 2 : nil
    default: return nil
    }
  }

  private func isSame(_ printed: UInt8, as own: UInt8) -> Bool {
    switch form {
    case .text: printed == own
    case .hex: ASCII.lowercased(printed) == own
    case .base64:
      switch printed {
      case UInt8(ascii: "-"): own == UInt8(ascii: "+")
      case UInt8(ascii: "_"): own == UInt8(ascii: "/")
      default: printed == own
      }
    }
  }

  private static func extended(
    _ range: Range<Int>, by margins: (before: Int, after: Int), in text: UnsafeBufferPointer<UInt8>
  ) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    if margins.before > 0, start > 0, isDigit(text[start - 1]) { start -= 1 }
    if margins.after > 0, end < text.count, isDigit(text[end]) { end += 1 }
    while end < text.count, text[end] == UInt8(ascii: "=") { end += 1 }
    return start..<end
  }

  private static func isDigit(_ byte: UInt8) -> Bool { ASCII.isAlphanumeric(byte) || isSpecial(byte) }

  private static func isSpecial(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
    default: false
    }
  }
}

enum WordBoundary {
  static func isApart(_ range: Range<Int>, in text: UnsafeBufferPointer<UInt8>) -> Bool {
    let after = range.upperBound
    return (after == text.count || !isWordByte(text[after])) && !isWord(before: range.lowerBound, in: text)
  }

  /// Returns true if a word character precedes the index.
  ///
  /// For an escape such as `%2F`, the encoded character decides. The letter after a backslash, as in `\n`,
  /// does not count.
  private static func isWord(before index: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard index > 0, isWordByte(text[index - 1]) else { return false }
    if index > 1, text[index - 2] == UInt8(ascii: "\\") { return false }
    guard index > 2, text[index - 3] == UInt8(ascii: "%"), let high = ASCII.hexDigit(text[index - 2]),
      let low = ASCII.hexDigit(text[index - 1])
    else { return true }
    return isWordByte(high << 4 | low)
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    ASCII.isAlphanumeric(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
  }
}

/// A limit on the work of comparing a text with long values, because a server may control the text.
struct ComparisonBudget {
  /// The part of a comparison that is not charged, in bytes.
  static let freeLength = 64
  /// The charge for a matched escape, in bytes.
  static let escapeCost = 15

  private var left: Int

  init(length: Int) { left = max(500_000, length.multipliedReportingOverflow(by: 16).partialValue) }

  var isSpent: Bool { left < 0 }

  mutating func charge(_ count: Int) {
    if count > Self.freeLength, left >= 0 { left -= count - Self.freeLength }
  }
}
