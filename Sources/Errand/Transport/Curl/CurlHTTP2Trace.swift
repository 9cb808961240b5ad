#if os(Linux)

/// An event of an HTTP/2 stream, parsed from the lines of libcurl 8.3 and newer for the debug callback.
///
/// libcurl reports success for a stream that ended with `RST_STREAM(NO_ERROR)`, and does not report a
/// refused stream. The lines contain both facts. Only the start of a line is compared, because the rest may
/// repeat text from the server. Lines about DATA and HEADERS frames contain only numbers, and are searched
/// completely.
enum CurlHTTP2Trace: Equatable {
  /// The stream opened for the transfer's request: `[HTTP/2] [3] OPENED stream for https://…`.
  case opened(UInt32)
  /// A frame with END_STREAM arrived: `[HTTP/2] [3] <- FRAME[DATA, len=4, eos=1, padlen=0]`.
  case ended(UInt32)
  /// The server refused the transfer's stream by `REFUSED_STREAM`, or by a GOAWAY whose last stream is an
  /// earlier stream.
  ///
  /// `[HTTP/2] [3] REFUSED_STREAM, try again on a new connection`, or
  /// `HTTP/2 stream 3 refused by server, try again on a new connection`.
  case refused

  init?(_ line: UnsafeRawBufferPointer) {
    if let rest = Self.rest(of: line, after: "[HTTP/2] [") {
      guard let (stream, rest) = Self.number(rest), let event = Self.rest(of: rest, after: "] ") else {
        return nil
      }
      self.init(event, stream: stream)
    } else if let rest = Self.rest(of: line, after: "HTTP/2 stream "), let (_, event) = Self.number(rest),
      Self.rest(of: event, after: " refused by server") != nil
    {
      self = .refused
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
    } else if Self.rest(of: event, after: "REFUSED_STREAM, try again") != nil {
      self = .refused
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

  /// Searches for `eos=1` in a line whose remaining values are numbers.
  private static func hasEndMark(_ frame: UnsafeRawBufferPointer) -> Bool {
    let mark: StaticString = "eos=1"
    let wanted = UnsafeRawBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount)
    return frame.indices.contains { frame[$0] == wanted[0] && frame[$0...].starts(with: wanted) }
  }
}

/// HTTP/2 streams of a loop that ended with END_STREAM (RFC 9113 section 8.1), kept until their transfers
/// end.
///
/// Both endpoints identify a connection, because connections to different peers may have the same local port.
struct CurlEndedStreams {
  private var streams: [CurlSockets.Ends: Set<UInt32>] = [:]

  mutating func insert(_ stream: UInt32, over ends: CurlSockets.Ends) {
    streams[ends, default: []].insert(stream)
  }

  func contains(_ stream: UInt32, over ends: CurlSockets.Ends) -> Bool {
    streams[ends]?.contains(stream) == true
  }

  mutating func remove(_ stream: UInt32, over ends: CurlSockets.Ends) { streams[ends]?.remove(stream) }

  /// Forgets an earlier connection with the same endpoints, because its streams may have ended after their
  /// transfers.
  mutating func removeAll(over ends: CurlSockets.Ends) { streams[ends] = nil }
}
#endif
