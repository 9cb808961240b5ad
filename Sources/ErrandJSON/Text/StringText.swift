package enum StringText {
  @inline(__always)
  static func ascii(_ text: UnsafePointer<UInt8>, count: Int) -> String {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      // ``TapeBuilder`` has checked that each byte is ASCII, so a further check is omitted.
      let span = unsafe Span(_unsafeStart: text, count: count)
      return String(copying: unsafe UTF8Span(unchecked: span, isKnownASCII: true))
    }
    return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
  }

  /// Decodes a text from the tape; returns `nil` for malformed text.
  ///
  /// With `mendsSurrogates`, an escaped unpaired surrogate becomes U+FFFD.
  @inline(never)
  static func string(
    _ text: UnsafePointer<UInt8>, count: Int, kind: UInt32, mendsSurrogates: Bool = false
  ) -> String? {
    switch kind {
    case TapeWord.plain: ascii(text, count: count)
    case TapeWord.utf8: utf8(UnsafeBufferPointer(start: text, count: count))
    default:
      // An escape is never shorter than the character in UTF-8, so the capacity suffices.
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { buffer in
        unescape(
          UnsafeBufferPointer(start: text, count: count), mendsSurrogates: mendsSurrogates, into: buffer
        ).flatMap {
          utf8(UnsafeBufferPointer(rebasing: buffer[..<$0]))
        }
      }
    }
  }

  static func fault(in bytes: UnsafeBufferPointer<UInt8>) -> (reason: String, offset: Int) {
    var index = 0
    while index < bytes.count {
      let start = index
      index += 1
      if bytes[start] < 0x20 {
        let digits = (bytes[start] < 16 ? "0" : "") + String(bytes[start], radix: 16, uppercase: true)
        return ("the control character U+00\(digits), which must be escaped", start)
      }
      guard bytes[start] == 0x5C, index < bytes.count else { continue }
      index += 1
      if bytes[start + 1] == 0x75 {
        if scalar(bytes, at: &index, mendsSurrogates: false) == nil {
          var digits = start + 2
          let isUnit = unit(bytes, at: &digits) != nil
          return (isUnit ? "an unpaired surrogate" : #"a \u without four hexadecimal digits"#, start)
        }
      } else if meaning(of: bytes[start + 1]) == nil {
        let letter = bytes[start + 1]
        let shown = 0x21...0x7E ~= letter ? ": \\\(Character(Unicode.Scalar(letter)))" : ""
        return ("an unknown escape sequence\(shown)", start)
      }
    }
    return ("invalid UTF-8", validLength(bytes))
  }

  private static func validLength(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var (parser, iterator, length) = (Unicode.UTF8.ForwardParser(), bytes.makeIterator(), 0)
    while case .valid(let scalar) = parser.parseScalar(from: &iterator) { length += scalar.count }
    return length
  }

  /// Decodes UTF-8; returns `nil` for malformed UTF-8.
  package static func utf8(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
      return String(validating: bytes, as: UTF8.self)
    }
    let text = String(decoding: bytes, as: UTF8.self)
    return text.utf8.elementsEqual(bytes) ? text : nil
  }

  private static func unescape(
    _ bytes: UnsafeBufferPointer<UInt8>, mendsSurrogates: Bool,
    into buffer: UnsafeMutableBufferPointer<UInt8>
  ) -> Int? {
    guard let source = bytes.baseAddress, let target = buffer.baseAddress else { return 0 }
    var (index, count) = (0, 0)
    while index < bytes.count {
      let run = plainRun(source + index, count: bytes.count - index)
      (target + count).update(from: source + index, count: run)
      (index, count) = (index + run, count + run)
      if index == bytes.count { break }
      guard bytes[index] == 0x5C else { return nil }
      index += 1
      guard index < bytes.count else { return nil }
      let letter = bytes[index]
      index += 1
      if letter == 0x75 {
        guard let scalar = scalar(bytes, at: &index, mendsSurrogates: mendsSurrogates) else { return nil }
        UTF8.encode(scalar).map { units in
          for unit in units {
            buffer[count] = unit
            count += 1
          }
        }
      } else {
        guard let meant = meaning(of: letter) else { return nil }
        buffer[count] = meant
        count += 1
      }
    }
    return count
  }

  /// Returns the number of bytes before the first quote, backslash or control character.
  ///
  /// May read up to 7 bytes after the text.
  private static func plainRun(_ bytes: UnsafePointer<UInt8>, count: Int) -> Int {
    var length = 0
    while length < count {
      let marks = ByteWord.special(ByteWord.load(bytes + length))
      if marks != 0 { return min(count, length + ByteWord.first(marks)) }
      length += 8
    }
    return count
  }

  private static func meaning(of letter: UInt8) -> UInt8? {
    switch letter {
    case 0x22, 0x5C, 0x2F: letter
    case 0x62: 0x08
    case 0x66: 0x0C
    case 0x6E: 0x0A
    case 0x72: 0x0D
    case 0x74: 0x09
    default: nil
    }
  }

  private static func scalar(
    _ bytes: UnsafeBufferPointer<UInt8>, at index: inout Int, mendsSurrogates: Bool
  ) -> Unicode.Scalar? {
    guard let unit = unit(bytes, at: &index) else { return nil }
    if let scalar = Unicode.Scalar(unit) { return scalar }
    let half: Unicode.Scalar? = mendsSurrogates ? "\u{FFFD}" : nil
    guard unit < 0xDC00, index + 1 < bytes.count, bytes[index] == 0x5C, bytes[index + 1] == 0x75 else {
      return half
    }
    var next = index + 2
    guard let low = self.unit(bytes, at: &next), 0xDC00...0xDFFF ~= low else { return half }
    index = next
    return Unicode.Scalar(0x10000 + (UInt32(unit & 0x3FF) << 10 | UInt32(low & 0x3FF)))
  }

  private static func unit(_ bytes: UnsafeBufferPointer<UInt8>, at index: inout Int) -> UInt16? {
    guard index + 4 <= bytes.count else { return nil }
    var unit: UInt16 = 0
    for byte in bytes[index..<(index + 4)] {
      guard let digit = hexDigit(byte) else { return nil }
      unit = unit << 4 | UInt16(digit)
    }
    index += 4
    return unit
  }

  static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46, 0x61...0x66: (byte | 0x20) - 0x61 + 10
    default: nil
    }
  }
}
