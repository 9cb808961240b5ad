#if os(Linux)

/// Refuses a response whose head begins with a folded line, before libcurl stores the line.
///
/// With such a line, libcurl before 8.2 follows a dangling pointer to the last header of the previous
/// response. With `CURLOPT_HEADER`, the write callback gets each header line, maybe in pieces, before the
/// header callback.
struct CurlHeadGuard {
  enum Verdict {
    case passes
    case isLast
    case isFolded
  }

  private var isInsideLine = false
  /// A final head follows the blank line of an informational head.
  private var isInformational = false

  /// `isOfProxy` is true for a line of a proxy's response to `CONNECT`.
  mutating func take(_ piece: UnsafeRawBufferPointer, isOfProxy: Bool) -> Verdict {
    if isInsideLine { return .passes }
    isInsideLine = true
    if CurlHeadParser.isStatusLine(piece) { return .passes }
    if piece.first == 0x20 || piece.first == 0x09 { return .isFolded }
    return isOfProxy || endsInformationalHead(piece) ? .passes : .isLast
  }

  /// Returns true if later lines need no check.
  mutating func endsWithLine(_ line: UnsafeRawBufferPointer, isOfProxy: Bool) -> Bool {
    isInsideLine = false
    if CurlHeadParser.isStatusLine(line) {
      isInformational = line.drop { $0 != 0x20 }.dropFirst().first == UInt8(ascii: "1")
      return false
    }
    return !isOfProxy && !endsInformationalHead(line)
  }

  private func endsInformationalHead(_ line: UnsafeRawBufferPointer) -> Bool {
    isInformational && (line.first == 0x0D || line.first == 0x0A)
  }
}
#endif
