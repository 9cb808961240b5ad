extension TextRedactor {
  /// What stands between a name and a value.
  struct Separator {
    /// Where it ends, and a value begins.
    let end: Int
    /// Whether the name has a quote after it.
    let isQuoted: Bool
    /// Whether it is a colon after a name without quotes.
    let isColon: Bool
    /// Whether there is a blank after it.
    let hasBlank: Bool

    /// The separator after a name that ends at `start`, if one is there: `=` or `:`, after a quote and blanks.
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
      // "the token : …" is prose; a pair has its colon at the name.
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
