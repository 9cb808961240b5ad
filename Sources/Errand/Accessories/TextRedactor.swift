/// Finds secrets in free text in one pass; what it has left behind it never looks at again.
struct TextRedactor {
  /// Not an array, as each slice of one costs two counts of its owners, and a text has many.
  let bytes: UnsafeBufferPointer<UInt8>
  let redaction: Redaction
  let depth: Int
  var result: [UInt8] = []
  var position = 0

  init(bytes: UnsafeBufferPointer<UInt8>, redaction: Redaction, depth: Int) {
    self.bytes = bytes
    self.redaction = redaction
    self.depth = depth
  }

  mutating func redact() -> [UInt8] {
    result.reserveCapacity(bytes.count)
    while position < bytes.count {
      if Self.isWordByte(bytes[position]) {
        word()
      } else {
        copy(to: position + 1)
      }
    }
    return result
  }

  private mutating func word() {
    let end = self.end(of: position) { !Self.isWordByte($0) }
    if isMark(at: end) {
      url()
    } else if let separator = Separator(after: end, in: bytes) {
      pair(named: position..<end, separator)
    } else if redaction.hidesSecretNames, Self.isScheme(bytes[position..<end]) {
      credential(after: end)
    } else {
      copy(to: end)
    }
  }

  private mutating func url() {
    let end = self.end(of: position, where: Self.endsURL)
    result.append(contentsOf: redaction.url(bytes: Array(bytes[position..<end])[...], depth: depth))
    position = end
  }

  /// What follows the name of a scheme, unless it is prose about it: "Basic authentication".
  private mutating func credential(after name: Int) {
    let start = self.end(of: name) { $0 != 0x20 && $0 != 0x09 }
    let end = self.end(of: start, where: Self.endsValue)
    copy(to: start)
    if start > name, !Self.isProse(bytes[start..<end]) { hide(to: end) }
  }

  mutating func copy(to end: Int) {
    result.append(contentsOf: bytes[position..<end])
    position = end
  }

  mutating func hide(to end: Int) {
    if end > position { result.append(contentsOf: Redaction.marker.utf8) }
    position = end
  }

  func end(of start: Int, where isEnd: (UInt8) -> Bool) -> Int {
    var index = start
    while index < bytes.count, !isEnd(bytes[index]) { index += 1 }
    return index
  }

  /// Whether it is a word about a scheme, perhaps with a full stop, or a parameter of a challenge: `realm="a"`.
  private static func isProse(_ value: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    let word = value.prefix(while: ASCII.isLetter)
    let rest = value.dropFirst(word.count)
    return proseAfterScheme.contains { same(word, $0) }
      && (rest.count <= 1 && !rest.contains(where: ASCII.isAlphanumeric) || rest.first == UInt8(ascii: "="))
  }

  private static let proseAfterScheme: [StaticString] = [
    "auth", "authentication", "authorization", "credentials", "error", "realm", "scheme", "scope", "token",
  ]

  /// Schemes whose credentials are one word, and that prose rarely names.
  static func isScheme(_ word: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    switch word.count {
    case 4: same(word, "dpop")
    case 5: same(word, "basic")
    case 6: same(word, "bearer")
    case 9: same(word, "negotiate")
    default: false
    }
  }

  /// Whether a word is another, which is in small letters, in any case.
  static func same(_ word: Slice<UnsafeBufferPointer<UInt8>>, _ other: StaticString) -> Bool {
    guard word.count == other.utf8CodeUnitCount else { return false }
    for (place, index) in word.indices.enumerated()
    where ASCII.lowercased(word[index]) != other.utf8Start[place] { return false }
    return true
  }

  /// Whether `://` stands there.
  private func isMark(at index: Int) -> Bool {
    index + 2 < bytes.count && bytes[index] == UInt8(ascii: ":") && bytes[index + 1] == UInt8(ascii: "/")
      && bytes[index + 2] == UInt8(ascii: "/")
  }

  /// What names, percent-encoded ones too, and schemes of URLs are made of.
  private static func isWordByte(_ byte: UInt8) -> Bool {
    if ASCII.isAlphanumeric(byte) || byte >= 0x80 { return true }
    return switch byte {
    case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "["), UInt8(ascii: "]"),
      UInt8(ascii: "%"), UInt8(ascii: "+"):
      true
    default: false
    }
  }

  private static func endsURL(_ byte: UInt8) -> Bool {
    ASCII.isWhitespace(byte) || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "<")
      || byte == UInt8(ascii: ">")
  }

  /// Commas and brackets do not end a value, as a secret may have them: rather a letter too many.
  static func endsValue(_ byte: UInt8) -> Bool {
    ASCII.isWhitespace(byte) || byte == UInt8(ascii: "&") || byte == UInt8(ascii: "\"")
      || byte == UInt8(ascii: "'")
  }
}
