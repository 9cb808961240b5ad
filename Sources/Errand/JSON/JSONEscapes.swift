/// The escapes of JSON strings (RFC 8259 section 7).
enum JSONEscapes {
  /// The text of the inside of a string; half of a surrogate pair and a broken escape become U+FFFD, so that
  /// every input has a text.
  static func unescape(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: unescaped(bytes), as: UTF8.self)
  }

  /// The bytes of that text, as far as those of `bytes` are text.
  static func unescaped(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard bytes.contains(UInt8(ascii: "\\")) else { return bytes }
    var units: [UInt8] = []
    units.reserveCapacity(bytes.count)
    var rest = bytes
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        units.append(byte)
        continue
      }
      let scalar = takeEscape(from: &rest)
      if scalar.isASCII {
        units.append(UInt8(truncatingIfNeeded: scalar.value))
      } else {
        UTF8.encode(scalar).map { units.append(contentsOf: $0) }
      }
    }
    return units[...]
  }

  /// Adds `text` to a JSON text as the inside of a string.
  static func escape(_ text: some Sequence<UInt8>, into bytes: inout [UInt8]) {
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(contentsOf: [UInt8(ascii: "\\"), byte])
      case 0x0A: bytes.append(contentsOf: "\\n".utf8)
      case 0x00..<0x20:
        let digits = String(byte, radix: 16)
        bytes.append(contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
      default: bytes.append(byte)
      }
    }
  }

  /// The value of four hexadecimal digits at the front of `bytes`; `nil` when they are not there.
  static func codeUnit(_ bytes: some Collection<UInt8>) -> UInt16? {
    guard bytes.count >= 4 else { return nil }
    var unit: UInt16 = 0
    for byte in bytes.prefix(4) {
      guard let digit = ASCII.hexDigit(byte) else { return nil }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }

  private static func takeEscape(from rest: inout ArraySlice<UInt8>) -> Unicode.Scalar {
    guard let byte = rest.popFirst() else { return "\u{FFFD}" }
    switch byte {
    case UInt8(ascii: "b"): return "\u{08}"
    case UInt8(ascii: "f"): return "\u{0C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return takeScalar(from: &rest)
    case 0x00..<0x80: return Unicode.Scalar(byte)
    default: return "\u{FFFD}"
    }
  }

  private static func takeScalar(from rest: inout ArraySlice<UInt8>) -> Unicode.Scalar {
    guard let unit = codeUnit(rest) else { return "\u{FFFD}" }
    rest = rest.dropFirst(4)
    if let scalar = Unicode.Scalar(unit) { return scalar }
    guard unit < 0xDC00, rest.starts(with: "\\u".utf8), let low = codeUnit(rest.dropFirst(2)),
      (0xDC00...0xDFFF).contains(low)
    else { return "\u{FFFD}" }
    rest = rest.dropFirst(6)
    let value = 0x10000 + (UInt32(unit & 0x3FF) << 10 | UInt32(low & 0x3FF))
    return Unicode.Scalar(value) ?? "\u{FFFD}"
  }
}
