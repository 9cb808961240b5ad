#if os(Linux)

/// Detects a head whose first field line starts with a space or tab, before libcurl stores the line.
///
/// Some versions of libcurl before 8.2 follow a dangling pointer for such a line. With `CURLOPT_HEADER`, the
/// write callback gets a header line before the header callback. The line may come in pieces.
struct CurlHeadGuard {
  enum Verdict {
    case passes
    case isLast
    case isFolded
  }

  private var isInsideLine = false
  /// True if the last status line was informational (1xx).
  ///
  /// Another head may then follow the blank line.
  private var isInformational = false

  mutating func take(_ piece: UnsafeRawBufferPointer, isOfProxy: Bool) -> Verdict {
    if isInsideLine { return .passes }
    isInsideLine = true
    if CurlHeadParser.isStatusLine(piece) { return .passes }
    if piece.first == 0x20 || piece.first == 0x09 { return .isFolded }
    return isOfProxy || endsInformationalHead(piece) ? .passes : .isLast
  }

  /// Ends the current line; returns true if later lines need no check.
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
