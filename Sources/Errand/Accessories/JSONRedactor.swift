/// Hides members of a JSON text without parsing it, so that a text that is cut short or broken is treated too.
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
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        nameOrString(to: JSONSpan.endOfString(in: bytes, from: position), quotes: 1)
      case let byte where Self.isWordByte(byte):
        nameOrString(to: bytes[position...].firstIndex { !Self.isWordByte($0) } ?? bytes.count, quotes: 0)
      default: copy(to: position + 1)
      }
    }
    return result
  }

  /// A name when a colon follows; else a value, which may have a URL or another text with secrets in it.
  private mutating func nameOrString(to end: Int, quotes: Int) {
    let inside = bytes[(position + quotes)..<max(position + quotes, end - quotes)]
    let colon = bytes[end...].firstIndex { !ASCII.isWhitespace($0) } ?? bytes.count
    guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else {
      return quotes == 0 ? copy(to: end) : string(inside, to: end)
    }
    let isSecret = redaction.hides(JSONEscapes.unescape(inside), in: .field)
    copy(to: bytes[(colon + 1)...].firstIndex { !ASCII.isWhitespace($0) } ?? bytes.count)
    guard isSecret, position < bytes.count else { return }
    result.append(contentsOf: "\"\(Redaction.marker)\"".utf8)
    position = JSONSpan.endOfValue(in: bytes, from: position)
  }

  private mutating func string(_ inside: ArraySlice<UInt8>, to end: Int) {
    let isClosed = end - 1 > position && bytes[end - 1] == bytes[position]
    let text = JSONEscapes.unescape(isClosed ? inside : bytes[(position + 1)..<end])
    let redacted = redaction.text(text)
    guard redacted != text else { return copy(to: end) }
    result.append(bytes[position])
    JSONEscapes.escape(redacted, into: &result)
    if isClosed { result.append(bytes[position]) }
    position = end
  }

  private mutating func copy(to end: Int) {
    result.append(contentsOf: bytes[position..<end])
    position = end
  }

  /// Names without quotes are no JSON, but some write them.
  private static func isWordByte(_ byte: UInt8) -> Bool {
    ASCII.isAlphanumeric(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte >= 0x80
  }
}
