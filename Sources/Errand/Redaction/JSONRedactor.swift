import ErrandJSON

/// Hides secrets in JSON without parsing, because the text may be truncated or malformed.
struct JSONRedactor {
  private let bytes: [UInt8]
  private let redaction: Redaction
  private var result: [UInt8] = []
  private var position = 0

  static func redact(_ bytes: [UInt8], by redaction: Redaction) -> [UInt8] {
    var redactor = JSONRedactor(bytes: bytes, redaction: redaction)
    return redactor.redact()
  }

  private init(bytes: [UInt8], redaction: Redaction) {
    self.bytes = bytes
    self.redaction = redaction
  }

  private mutating func redact() -> [UInt8] {
    result.reserveCapacity(bytes.count)
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""), UInt8(ascii: "'"): nameOrString()
      case let byte where Self.isWordByte(byte): nameOrText()
      default: copy(to: position + 1)
      }
    }
    return result
  }

  private mutating func nameOrString() {
    let end = JSONSpan.endOfString(in: bytes, from: position)
    let inside = bytes[(position + 1)..<max(position + 1, end - 1)]
    if let separator = separator(after: end), bytes[separator] == UInt8(ascii: ":") {
      member(JSONEscapes.unescaped(inside), separator: separator)
    } else {
      string(inside, to: end)
    }
  }

  private mutating func nameOrText() {
    let end = bytes[position...].firstIndex { !Self.isWordByte($0) } ?? bytes.count
    if let separator = separator(after: end), !bytes[separator...].starts(with: "://".utf8) {
      member(bytes[position..<end], separator: separator)
    } else {
      let end = bytes[end...].firstIndex(where: Self.endsText) ?? bytes.count
      result.append(contentsOf: redaction.text(bytes: Array(bytes[position..<end]), depth: 0))
      position = end
    }
  }

  private func separator(after end: Int) -> Int? {
    let index = endOfGap(from: end)
    guard index < bytes.count else { return nil }
    return bytes[index] == UInt8(ascii: ":") || bytes[index] == UInt8(ascii: "=") ? index : nil
  }

  /// Skips whitespace and JSON5 comments.
  private func endOfGap(from start: Int) -> Int {
    var index = start
    while index < bytes.count {
      if ASCII.isWhitespace(bytes[index]) {
        index += 1
      } else if bytes[index...].starts(with: "//".utf8) || bytes[index...].starts(with: "/*".utf8) {
        index = JSONSpan.endOfComment(in: bytes, from: index)
      } else {
        return index
      }
    }
    return bytes.count
  }

  private mutating func member(_ name: ArraySlice<UInt8>, separator: Int) {
    let start = endOfGap(from: separator + 1)
    guard redaction.hides(name: name, in: .field) else {
      return copy(to: bytes[(separator + 1)...].firstIndex { !ASCII.isWhitespace($0) } ?? bytes.count)
    }
    copy(to: start)
    guard position < bytes.count else { return }
    result.append(contentsOf: "\"\(Redaction.marker)\"".utf8)
    position = JSONSpan.endOfValue(in: bytes, from: position)
  }

  private mutating func string(_ inside: ArraySlice<UInt8>, to end: Int) {
    let isClosed = end - 1 > position && bytes[end - 1] == bytes[position]
    let raw = isClosed ? inside : bytes[(position + 1)..<end]
    guard raw.contains(where: Self.mayContainSecret) else { return copy(to: end) }
    let text = Array(JSONEscapes.unescaped(raw))
    // The caller has hidden known values in the raw string. Unescaping may reveal other known values.
    let redacted = redaction.text(
      bytes: text.count < raw.count ? redaction.hidingValues(text) : text, depth: 0)
    guard redacted != text else { return copy(to: end) }
    result.append(bytes[position])
    var quoted: [UInt8] = []
    JSONStringWriter.append(redacted, to: &quoted, escapingSlashes: false)
    result.append(contentsOf: quoted.dropFirst().dropLast())
    if isClosed { result.append(bytes[position]) }
    position = end
  }

  private mutating func copy(to end: Int) {
    result.append(contentsOf: bytes[position..<end])
    position = end
  }

  /// Returns true for a byte that occurs in pairs, URLs, elements or escapes, or before credentials.
  private static func mayContainSecret(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ":"), UInt8(ascii: "="), UInt8(ascii: "\\"), UInt8(ascii: "<"), 0x20, 0x09: true
    default: false
    }
  }

  private static func endsText(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "{"), UInt8(ascii: "["): true
    default: JSONSpan.endsScalar(byte)
    }
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    ASCII.isAlphanumeric(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte >= 0x80
  }
}
