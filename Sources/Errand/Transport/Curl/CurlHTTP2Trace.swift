#if os(Linux)

/// An event of a transfer, parsed from a line that libcurl passes to the debug callback.
///
/// Text from the server cannot imitate an event, because such text is never at the start of a line, and
/// usually only the start is matched.
enum CurlHTTP2Trace: Equatable {
  /// libcurl opened a stream: `[HTTP/2] [3] OPENED stream for https://…`.
  case opened(UInt32)
  /// END_STREAM arrived: `[HTTP/2] [3] <- FRAME[DATA, len=4, eos=1, padlen=0]`.
  case ended(UInt32)
  /// The server refused the stream, by `REFUSED_STREAM` or by a GOAWAY with a lower last stream.
  ///
  /// The line begins like `[HTTP/2] [3] REFUSED_STREAM, try again`, `[HTTP/2] [3] RESET: REFUSED_STREAM` or
  /// `HTTP/2 stream 3 refused by server`.
  case refused(UInt32)
  /// libcurl gave up the connection: `[HTTP/2] [0] -> FRAME[GOAWAY, error=1, reason='', last_stream=0]`.
  ///
  /// A GOAWAY with error 0 is part of a normal close.
  case abandoned
  /// libcurl repeats the request over another connection: `Connection died, retrying a fresh connect (retry
  /// count: 1)`.
  case left
  /// libcurl repeats the request to use HTTP/1.1: `Downgrades to HTTP/1.1`.
  case downgraded

  init?(_ line: UnsafeRawBufferPointer) {
    if let rest = Self.rest(of: line, after: "[HTTP/2] [") {
      guard let (stream, rest) = Self.number(rest), let event = Self.rest(of: rest, after: "] ") else {
        return nil
      }
      self.init(event, stream: stream)
    } else if let rest = Self.rest(of: line, after: "HTTP/2 stream "),
      let (stream, event) = Self.number(rest),
      Self.rest(of: event, after: " refused by server") != nil
    {
      self = .refused(stream)
    } else if Self.rest(of: line, after: "Connection died, retrying a fresh connect") != nil {
      self = .left
    } else if Self.rest(of: line, after: "Downgrades to HTTP/1.1") != nil {
      self = .downgraded
    } else {
      return nil
    }
  }

  private init?(_ event: UnsafeRawBufferPointer, stream: UInt32) {
    if let frame = Self.rest(of: event, after: "<- FRAME[") {
      guard Self.rest(of: frame, after: "DATA,") != nil || Self.rest(of: frame, after: "HEADERS,") != nil,
        Self.hasEndMark(frame)
      else { return nil }
      self = .ended(stream)
    } else if Self.rest(of: event, after: "OPENED stream ") != nil {
      self = .opened(stream)
    } else if Self.rest(of: event, after: "REFUSED_STREAM, try again") != nil
      || Self.rest(of: event, after: "RESET: REFUSED_STREAM") != nil
    {
      self = .refused(stream)
    } else if stream == 0, let error = Self.rest(of: event, after: "-> FRAME[GOAWAY, error="),
      let (code, _) = Self.number(error), code != 0
    {
      self = .abandoned
    } else {
      return nil
    }
  }

  private static func rest(of line: UnsafeRawBufferPointer, after start: StaticString)
    -> UnsafeRawBufferPointer?
  {
    let start = UnsafeRawBufferPointer(start: start.utf8Start, count: start.utf8CodeUnitCount)
    return line.starts(with: start) ? UnsafeRawBufferPointer(rebasing: line[start.count...]) : nil
  }

  private static func number(_ text: UnsafeRawBufferPointer) -> (UInt32, UnsafeRawBufferPointer)? {
    let digits = text.prefix(while: ASCII.isDigit)
    guard (1...10).contains(digits.count) else { return nil }
    let number = digits.reduce(UInt64(0)) { $0 * 10 + UInt64($1 - 0x30) }
    return UInt32(exactly: number).map { ($0, UnsafeRawBufferPointer(rebasing: text[digits.endIndex...])) }
  }

  private static func hasEndMark(_ frame: UnsafeRawBufferPointer) -> Bool {
    let mark: StaticString = "eos=1"
    let wanted = UnsafeRawBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount)
    return frame.indices.contains { frame[$0] == wanted[0] && frame[$0...].starts(with: wanted) }
  }
}

/// The HTTP/2 streams that ended with END_STREAM (RFC 9113 section 8.1), by connection.
struct CurlEndedStreams {
  private var streams: [CurlSockets.Ends: Set<UInt32>] = [:]

  mutating func insert(_ stream: UInt32, over ends: CurlSockets.Ends) {
    streams[ends, default: []].insert(stream)
  }

  func contains(_ stream: UInt32, over ends: CurlSockets.Ends) -> Bool {
    streams[ends]?.contains(stream) == true
  }

  mutating func remove(_ stream: UInt32, over ends: CurlSockets.Ends) { streams[ends]?.remove(stream) }

  mutating func removeAll(over ends: CurlSockets.Ends) { streams[ends] = nil }
}
#endif
