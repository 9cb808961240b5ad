#if os(Linux)

/// Refuses a head whose first field line is folded, before libcurl stores the line.
///
/// Before libcurl 8.2, a reused handle keeps a dangling pointer to the last header of the previous response.
/// libcurl follows the pointer if the first field line is folded.
///
/// With `CURLOPT_HEADER`, libcurl passes each header line first to the write callback, in pieces of up to 16
/// KiB. The header callback then receives the whole line. After the option is cleared, libcurl still passes
/// the remaining pieces of the current line.
struct CurlHeadGuard {
  enum Verdict {
    /// libcurl may store the line; the next line needs a check too.
    case passes
    /// libcurl may store the line; later lines need no check.
    case isLast
    case isFolded
  }

  /// True from the first piece of a line until the header callback receives the line.
  private var isInsideLine = false

  /// Checks a piece; `isOfProxy` is true for a line of a proxy's response to `CONNECT`.
  mutating func take(_ piece: UnsafeRawBufferPointer, isOfProxy: Bool) -> Verdict {
    if isInsideLine { return .passes }
    isInsideLine = true
    if CurlHeadParser.isStatusLine(piece) { return .passes }
    if piece.first == 0x20 || piece.first == 0x09 { return .isFolded }
    return isOfProxy ? .passes : .isLast
  }

  /// Records a line passed to the header callback; returns true if later lines need no check.
  mutating func endsWithLine(_ line: UnsafeRawBufferPointer, isOfProxy: Bool) -> Bool {
    isInsideLine = false
    return !isOfProxy && !CurlHeadParser.isStatusLine(line)
  }
}
#endif
