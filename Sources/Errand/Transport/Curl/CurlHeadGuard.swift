#if os(Linux)

/// Refuses a head whose first field line is folded, before libcurl stores the line.
///
/// Before 8.2 a used handle keeps a pointer to the last header of its previous response, which is freed. A head that begins with a folded
/// line makes libcurl follow that pointer. Newer versions refuse the line, or skip it.
///
/// While `CURLOPT_HEADER` is set, libcurl passes each line of a head to the write callback, in pieces of at most 16 KiB, and then whole to
/// the header callback. Turning the option off does not stop the remaining pieces of the same line: only the line's call of the header
/// callback does.
struct CurlHeadGuard {
  enum Verdict {
    /// libcurl may store the line, and the next line has to be looked at.
    case passes
    /// libcurl may store the line, and no further line has to be looked at.
    case isLast
    case isFolded
  }

  /// True from the first piece of a line to its call of the header callback.
  private var isInsideLine = false

  /// Looks at a piece that came to the write callback.
  ///
  /// - Parameter isOfProxy: whether the line belongs to a proxy's response to a `CONNECT`.
  mutating func take(_ piece: UnsafeRawBufferPointer, isOfProxy: Bool) -> Verdict {
    if isInsideLine { return .passes }
    isInsideLine = true
    if CurlHeadParser.isStatusLine(piece) { return .passes }
    if piece.first == 0x20 || piece.first == 0x09 { return .isFolded }
    return isOfProxy ? .passes : .isLast
  }

  /// Takes note of a whole line that came to the header callback; returns true if the write callback gets no more lines.
  mutating func endsWithLine(_ line: UnsafeRawBufferPointer, isOfProxy: Bool) -> Bool {
    isInsideLine = false
    return !isOfProxy && !CurlHeadParser.isStatusLine(line)
  }
}
#endif
