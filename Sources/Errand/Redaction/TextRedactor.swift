import ErrandJSON

/// Hides secrets in free text; the caller must hide known values first.
struct TextRedactor {
  let bytes: UnsafeBufferPointer<UInt8>
  let redaction: Redaction
  let depth: Int
  var result: [UInt8] = []
  var position = 0
  /// The start of the text in an XML element with a secret name; `nil`: none.
  private var secretText: Int?

  init(bytes: UnsafeBufferPointer<UInt8>, redaction: Redaction, depth: Int) {
    self.bytes = bytes
    self.redaction = redaction
    self.depth = depth
  }

  mutating func redact() -> [UInt8] {
    result.reserveCapacity(bytes.count)
    while position < bytes.count {
      if let start = secretText, position >= start { hideElementText(from: start) }
      guard position < bytes.count else { break }
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
    if let start = startOfElementText(position..<end) { secretText = start }
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

  /// Returns the start of the text after a tag with a secret name, such as `<a:password type="text">`.
  private func startOfElementText(_ name: Range<Int>) -> Int? {
    guard redaction.hidesSecretNames, isTagName(at: name.lowerBound) else { return nil }
    let end = end(of: name.upperBound) { $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "<") }
    guard end < bytes.count, bytes[end] == UInt8(ascii: ">"), bytes[end - 1] != UInt8(ascii: "/"),
      end == name.upperBound || ASCII.isWhitespace(bytes[name.upperBound]),
      redaction.hides(encoded: UnsafeBufferPointer(rebasing: bytes[name]), in: .text)
    else { return nil }
    return end + 1
  }

  private func isTagName(at start: Int) -> Bool {
    guard start > 0 else { return false }
    if bytes[start - 1] == UInt8(ascii: "<") { return true }
    guard bytes[start - 1] == UInt8(ascii: ":") else { return false }
    var index = start - 2
    while index > 0, Self.isWordByte(bytes[index]) { index -= 1 }
    return index >= 0 && bytes[index] == UInt8(ascii: "<")
  }

  /// Hides the text of an element with a secret name.
  ///
  /// Text without a closing tag usually stays visible, because `<token>` may be a placeholder in prose.
  private mutating func hideElementText(from start: Int) {
    secretText = nil
    guard position == start else { return }
    if bytes[start...].starts(with: "<![CDATA[".utf8) { return hideSection() }
    let end = end(of: start) { $0 == UInt8(ascii: "<") }
    let isClosed = end + 1 < bytes.count && bytes[end + 1] == UInt8(ascii: "/")
    let isCut = end == bytes.count && !bytes[start..<end].contains(where: ASCII.isWhitespace)
    if isClosed || isCut { hide(to: end) }
  }

  private mutating func hideSection() {
    copy(to: position + "<![CDATA[".utf8.count)
    var end = position
    while end < bytes.count, !bytes[end...].starts(with: "]]>".utf8) { end += 1 }
    hide(to: end)
  }

  private mutating func url() {
    let end = self.end(of: position, where: Self.endsURL)
    result.append(contentsOf: redaction.url(bytes: Array(bytes[position..<end])[...], depth: depth))
    position = end
  }

  /// Hides the word after a scheme, except prose such as "Basic authentication".
  private mutating func credential(after name: Int) {
    let start = self.end(of: name) { $0 != 0x20 && $0 != 0x09 }
    copy(to: start)
    // Credentials follow a blank. Without this return, the time would not be linear for many scheme names.
    guard start > name else { return }
    let end = self.end(of: start, where: Self.endsValue)
    if !Self.isProse(bytes[start..<end]) { hide(to: end) }
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

  /// Returns true for a listed word of prose, or for a challenge parameter such as `realm="a"`.
  private static func isProse(_ value: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    let word = value.prefix(while: ASCII.isLetter)
    let rest = value.dropFirst(word.count)
    return proseAfterScheme.contains { same(word, as: $0) }
      && (rest.count <= 1 && !rest.contains(where: ASCII.isAlphanumeric) || rest.first == UInt8(ascii: "="))
  }

  private static let proseAfterScheme: [StaticString] = [
    "auth", "authentication", "authorization", "credentials", "error", "realm", "scheme", "scope", "token",
  ]

  /// Returns true for a scheme whose credentials are usually a single word.
  static func isScheme(_ word: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    switch word.count {
    case 4: same(word, as: "dpop")
    case 5: same(word, as: "basic")
    case 6: same(word, as: "bearer")
    case 9: same(word, as: "negotiate")
    default: false
    }
  }

  /// `other` must be in lower case.
  static func same(_ word: Slice<UnsafeBufferPointer<UInt8>>, as other: StaticString) -> Bool {
    guard word.count == other.utf8CodeUnitCount else { return false }
    for (place, index) in word.indices.enumerated()
    where ASCII.lowercased(word[index]) != other.utf8Start[place] { return false }
    return true
  }

  private func isMark(at index: Int) -> Bool {
    index + 2 < bytes.count && bytes[index] == UInt8(ascii: ":") && bytes[index + 1] == UInt8(ascii: "/")
      && bytes[index + 2] == UInt8(ascii: "/")
  }

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

  /// Returns true for a byte that ends a value.
  ///
  /// A comma or a bracket does not end a value, because secrets may contain both.
  static func endsValue(_ byte: UInt8) -> Bool {
    ASCII.isWhitespace(byte) || byte == UInt8(ascii: "&") || byte == UInt8(ascii: "\"")
      || byte == UInt8(ascii: "'")
  }

  private mutating func pair(named range: Range<Int>, _ separator: Separator) {
    guard redaction.hides(encoded: UnsafeBufferPointer(rebasing: bytes[range]), in: .text) else {
      return copy(to: range.upperBound)
    }
    if separator.isColon, isHeader(range) {
      restOfLine(after: range)
    } else if let start = startOfString(at: separator.end) {
      copy(to: start)
      value(isMember: separator.isQuoted)
    } else if separator.isColon, separator.hasBlank {
      copy(to: range.upperBound)
    } else {
      copy(to: separator.end)
      value(isMember: separator.isQuoted)
    }
  }

  /// Returns the position of a quotation mark at `start`, or after the text `Optional(`.
  ///
  /// Swift prints an optional as `Optional("…")`.
  private func startOfString(at start: Int) -> Int? {
    let optional = "Optional(".utf8
    let start = bytes[start...].starts(with: optional) ? start + optional.count : start
    guard start < bytes.endIndex else { return nil }
    return bytes[start] == UInt8(ascii: "\"") || bytes[start] == UInt8(ascii: "'") ? start : nil
  }

  /// Hides the rest of the line.
  ///
  /// If a quotation mark precedes the name, the value ends at the next such mark.
  private mutating func restOfLine(after name: Range<Int>) {
    let quote = name.lowerBound > 0 ? bytes[name.lowerBound - 1] : 0
    let isQuote = quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
    copy(to: name.upperBound + 1)
    copy(to: end(of: position) { $0 != 0x20 && $0 != 0x09 })
    hide(to: end(of: position) { $0 == 0x0A || $0 == 0x0D || isQuote && $0 == quote })
  }

  private mutating func value(isMember: Bool) {
    let start = end(of: position) { $0 != UInt8(ascii: "\\") }
    let escapes = start - position
    let first = start < bytes.endIndex ? bytes[start] : 0
    if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
      copy(to: start + 1)
      hide(to: endOfString(quotedBy: first, escapes: escapes))
    } else if escapes == 0, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
      let end = JSONSpan.endOfContainer(in: bytes, from: position)
      hide(to: self.end(of: end, where: isMember ? JSONSpan.endsScalar : Self.endsValue))
    } else {
      hide(to: endOfBareValue(isMember: isMember))
    }
  }

  /// Returns the end of a string; `escapes` is the number of backslashes before each quotation mark.
  ///
  /// The number is 0 for a string in plain text, 1 for a string within a string, and 3 for the next level.
  private func endOfString(quotedBy quote: UInt8, escapes: Int) -> Int {
    var run = 0
    for index in position..<bytes.endIndex {
      if bytes[index] == quote, run % (2 * (escapes + 1)) == escapes { return index - escapes }
      run = bytes[index] == UInt8(ascii: "\\") ? run + 1 : 0
    }
    return bytes.endIndex
  }

  private func endOfBareValue(isMember: Bool) -> Int {
    let isEnd = isMember ? JSONSpan.endsScalar : Self.endsValue
    let end = end(of: position, where: isEnd)
    guard Self.isScheme(bytes[position..<end]), end < bytes.endIndex, bytes[end] == 0x20 else { return end }
    return self.end(of: end + 1, where: isEnd)
  }

  private func isHeader(_ name: [UInt8]) -> Bool {
    name.withUnsafeBufferPointer { name in
      TextRedactor(bytes: name, redaction: redaction, depth: depth).isHeader(0..<name.count)
    }
  }

  private func isHeader(_ range: Range<Int>) -> Bool {
    let name = bytes[range]
    if name.contains(UInt8(ascii: "%")), case let plain = PercentEncoding.decode(Array(name)[...]),
      plain.count < name.count
    {
      return isHeader(plain)
    }
    return name.contains(UInt8(ascii: "-")) || Self.same(name, as: "authorization")
      || Self.same(name, as: "cookie")
      || redaction.isHeaderName(UnsafeBufferPointer(rebasing: name))
  }

  private struct Separator {
    let end: Int
    let isQuoted: Bool
    let isColon: Bool
    let hasBlank: Bool

    /// Finds `=` or `:` after a name.
    ///
    /// The closing quotation mark of the name, also with backslashes, may come first.
    init?(after start: Int, in bytes: UnsafeBufferPointer<UInt8>) {
      var position = start
      while position < bytes.count, bytes[position] == UInt8(ascii: "\\") { position += 1 }
      let quoted =
        position < bytes.count
        && (bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'"))
      if quoted { position += 1 } else if position > start { return nil }
      let afterName = position
      while position < bytes.count, ASCII.isWhitespace(bytes[position]) { position += 1 }
      guard position < bytes.count else { return nil }
      let isColon = bytes[position] == UInt8(ascii: ":")
      // Text such as "the token : …" counts as prose.
      guard bytes[position] == UInt8(ascii: "=") || isColon && (quoted || position == afterName) else {
        return nil
      }
      let mark = position
      position += 1
      while position < bytes.count, ASCII.isWhitespace(bytes[position]) { position += 1 }
      end = position
      isQuoted = quoted
      self.isColon = isColon && !quoted
      hasBlank = position > mark + 1
    }
  }
}
