/// Reads the parts of a media type one after another; never goes back, so it takes linear time.
struct MediaTypeScanner {
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: String) {
    bytes = Array(text.utf8)
    skipBlanks()
  }

  /// A token (RFC 9110 section 5.6.2), if one is next.
  mutating func token() -> String? {
    let start = position
    while let byte = next, HTTPHeaders.isTokenByte(byte) { position += 1 }
    return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
  }

  /// Goes past the character, if it is next.
  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  /// Goes past blanks; says whether the text or a part of it ends here.
  mutating func endsPart() -> Bool {
    skipBlanks()
    return next == nil || next == UInt8(ascii: ";")
  }

  /// Goes past the next `;`, whatever is before it; `false` at the end of the text.
  mutating func skipToParameter() -> Bool {
    while let byte = next, byte != UInt8(ascii: ";") { position += 1 }
    guard take(";") else { return false }
    skipBlanks()
    return true
  }

  /// A token or a quoted string (RFC 9110 section 5.6.4); `nil` when neither is next or the quote is not closed.
  mutating func value() -> String? {
    guard take("\"") else { return token() }
    var value: [UInt8] = []
    while let byte = next {
      position += 1
      if byte == UInt8(ascii: "\"") { return String(decoding: value, as: UTF8.self) }
      if byte == UInt8(ascii: "\\"), let quoted = next {
        value.append(quoted)
        position += 1
      } else {
        value.append(byte)
      }
    }
    return nil
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipBlanks() {
    while next == 0x20 || next == 0x09 { position += 1 }
  }
}
