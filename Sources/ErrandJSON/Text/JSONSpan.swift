/// Finds the end of values and comments in JSON or JSON5.
///
/// An unfinished value ends at the end of the text.
package enum JSONSpan {
  package static func endOfString<Bytes: RandomAccessCollection>(in bytes: Bytes, from start: Int) -> Int
  where Bytes.Element == UInt8, Bytes.Index == Int {
    var index = start + 1
    while index < bytes.count, bytes[index] != bytes[start] {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index + 1, bytes.count)
  }

  /// The same function for an array, for callers in other modules.
  package static func endOfString(in bytes: [UInt8], from start: Int) -> Int {
    bytes.withUnsafeBufferPointer { endOfString(in: $0, from: start) }
  }

  package static func endOfContainer<Bytes: RandomAccessCollection>(in bytes: Bytes, from start: Int) -> Int
  where Bytes.Element == UInt8, Bytes.Index == Int {
    var (index, depth) = (start, 0)
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        index = endOfString(in: bytes, from: index)
        continue
      case UInt8(ascii: "/"):
        index = endOfComment(in: bytes, from: index)
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
      index += 1
      if depth == 0 { return index }
    }
    return bytes.count
  }

  package static func endOfValue<Bytes: RandomAccessCollection>(in bytes: Bytes, from start: Int) -> Int
  where Bytes.Element == UInt8, Bytes.Index == Int {
    guard start < bytes.count else { return bytes.count }
    switch bytes[start] {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return endOfString(in: bytes, from: start)
    case UInt8(ascii: "{"), UInt8(ascii: "["): return endOfContainer(in: bytes, from: start)
    default: return bytes[start...].firstIndex(where: endsScalar) ?? bytes.count
    }
  }

  package static func endOfComment<Bytes: RandomAccessCollection>(in bytes: Bytes, from start: Int) -> Int
  where Bytes.Element == UInt8, Bytes.Index == Int {
    var index = start + 2
    guard start + 1 < bytes.count else { return bytes.count }
    switch bytes[start + 1] {
    case UInt8(ascii: "/"):
      while index < bytes.count, bytes[index] != 0x0A, bytes[index] != 0x0D { index += 1 }
      return index
    case UInt8(ascii: "*"):
      while index + 1 < bytes.count {
        if bytes[index] == UInt8(ascii: "*"), bytes[index + 1] == UInt8(ascii: "/") { return index + 2 }
        index += 1
      }
      return bytes.count
    default: return start + 1
    }
  }

  package static func endOfScalar(in bytes: [UInt8], from start: Int) -> Int {
    bytes[start...].firstIndex { endsScalar($0) || $0 == 0x20 || $0 == 0x09 } ?? bytes.count
  }

  package static func endsScalar(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), 0x0A, 0x0D: true
    default: false
    }
  }
}

/// Decodes the escapes in JSON strings (RFC 8259 section 7).
package enum JSONEscapes {
  /// Returns the text of a string, for the bytes between the quotes.
  ///
  /// An incomplete or malformed `\u` escape, an unpaired surrogate and invalid UTF-8 become U+FFFD. An
  /// unknown escape of an ASCII character, such as `\q`, becomes the character.
  package static func unescape(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: unescaped(bytes), as: UTF8.self)
  }

  package static func unescaped(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
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

  package static func codeUnit(_ bytes: some Collection<UInt8>) -> UInt16? {
    guard bytes.count >= 4 else { return nil }
    var unit: UInt16 = 0
    for byte in bytes.prefix(4) {
      guard let digit = StringText.hexDigit(byte) else { return nil }
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
