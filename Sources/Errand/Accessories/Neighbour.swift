/// What stands beside an occurrence of a short value.
enum Neighbour {
  /// Whether neither a letter nor a digit nor a `_` touches the range.
  static func isApart(_ range: Range<Int>, in text: UnsafeBufferPointer<UInt8>) -> Bool {
    let after = range.upperBound
    return (after == text.count || !isWordByte(text[after])) && !isWord(before: range.lowerBound, in: text)
  }

  /// The digits of `%2F` and the letter of `\n` belong to what they stand for.
  private static func isWord(before index: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard index > 0, isWordByte(text[index - 1]) else { return false }
    if index > 1, text[index - 2] == UInt8(ascii: "\\") { return false }
    guard index > 2, text[index - 3] == UInt8(ascii: "%"), let high = ASCII.hexDigit(text[index - 2]),
      let low = ASCII.hexDigit(text[index - 1])
    else { return true }
    return isWordByte(high << 4 | low)
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    ASCII.isAlphanumeric(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
  }
}
