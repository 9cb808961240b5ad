enum SnakeCaseName {
  /// Converts a name such as `first_name` in place, and returns ``TapeWord/plain``.
  ///
  /// A name such as `_x` or `iD` stays unchanged. The method then returns ``TapeWord/escaped``, and decoding
  /// applies Foundation's rules.
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
    // Foundation's `capitalized` also capitalizes a letter after a digit, as in `a_b1c`.
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
