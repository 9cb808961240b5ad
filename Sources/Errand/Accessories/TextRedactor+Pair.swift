extension TextRedactor {
  /// A name and a value, which is hidden when the name is a secret's.
  mutating func pair(named range: Range<Int>, _ separator: Separator) {
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

  /// Where text begins, also as Swift prints a member: `password: "…"`, `password: Optional("…")`.
  private func startOfString(at start: Int) -> Int? {
    let optional = "Optional(".utf8
    let start = bytes[start...].starts(with: optional) ? start + optional.count : start
    return start < bytes.endIndex && bytes[start] == UInt8(ascii: "\"") ? start : nil
  }

  /// The value of a header: to the end of the line, or to the quote that stands before the name.
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

  /// Where a string ends whose quotes have that many backslashes before them: 0, or 1 in a string within a string.
  ///
  /// A quote of its own has more of them before it, and backslashes of its own come in groups of `2 * (escapes + 1)`.
  private func endOfString(quotedBy quote: UInt8, escapes: Int) -> Int {
    var run = 0
    for index in position..<bytes.endIndex {
      if bytes[index] == quote, run % (2 * (escapes + 1)) == escapes { return index - escapes }
      run = bytes[index] == UInt8(ascii: "\\") ? run + 1 : 0
    }
    return bytes.endIndex
  }

  /// A scheme and a blank before a credential belong to the value: `authorization=Bearer …`.
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
    return name.contains(UInt8(ascii: "-")) || Self.same(name, "authorization") || Self.same(name, "cookie")
      || redaction.isHeaderName(UnsafeBufferPointer(rebasing: name))
  }
}
