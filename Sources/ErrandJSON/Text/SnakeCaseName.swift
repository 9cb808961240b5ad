/// Converts the names of members from snake case.
enum SnakeCaseName {
  /// Makes a plain name in snake case one in camel case, where it stands, and says what kind of text it is.
  ///
  /// Where letters are not small, or underscores not single and between letters, the name is left as it is, to be converted as
  /// Foundation does it; those that are changed here cannot become equal to one another. The text is not plain then.
  @inline(__always)
  static func convert(
    _ start: UnsafePointer<UInt8>, upTo close: inout UnsafePointer<UInt8>
  ) -> UInt32 {
    var p = start
    while p < close, p.pointee &- 0x61 < 26 { p += 1 }
    if p == close { return TapeWord.plain }
    return convertRest(start, from: p, upTo: &close)
  }

  @inline(never)
  private static func convertRest(
    _ start: UnsafePointer<UInt8>, from: UnsafePointer<UInt8>, upTo close: inout UnsafePointer<UInt8>
  ) -> UInt32 {
    // Nothing is written before the whole name is known to be plain. A digit is, but not before a letter where `capitalized` would make
    // that a capital, which it does in all words but the first.
    var (p, isFirst, isAfterUnderscore, isAfterDigit) = (from, true, from == start, false)
    while p < close {
      let byte = p.pointee
      if byte == 0x5F {
        if isAfterUnderscore { return TapeWord.escaped }
        (isFirst, isAfterUnderscore, isAfterDigit) = (false, true, false)
      } else if byte &- 0x61 < 26, isFirst || !isAfterDigit {
        isAfterUnderscore = false
      } else if byte &- 0x30 < 10, !isAfterUnderscore {
        isAfterDigit = true
      } else {
        return TapeWord.escaped
      }
      p += 1
    }
    if isAfterUnderscore { return TapeWord.escaped }
    var target = UnsafeMutablePointer(mutating: from)
    p = from
    while p < close {
      if p.pointee == 0x5F {
        p += 1
        target.pointee = p.pointee &- 0x20
      } else {
        target.pointee = p.pointee
      }
      (p, target) = (p + 1, target + 1)
    }
    close = UnsafePointer(target)
    return TapeWord.plain
  }
}
