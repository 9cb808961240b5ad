#if os(Linux)

/// The proxy's responses to `CONNECT` (RFC 9110 section 9.3.6).
struct CurlTunnel {
  /// True from the connection to the proxy until libcurl is about to send the request.
  private(set) var isOpening = false
  private var parser: CurlHeadParser?
  private(set) var response: HTTPResponse?
  /// The number of 407 responses to `CONNECT`, counted because libcurl has no limit for stale nonces.
  private(set) var challengeCount = 0

  mutating func willOpen() { isOpening = true }

  mutating func didOpen() { isOpening = false }

  mutating func take(_ line: UnsafeRawBufferPointer, limits: TransferLimits) throws {
    if CurlHeadParser.isStatusLine(line) { parser = CurlHeadParser(limits, isHeadRequest: true) }
    guard var parser else { return }
    self.parser = nil
    if try parser.take(line) {
      response = HTTPResponse(status: parser.status, headers: parser.headers)
      if parser.status == 407 { challengeCount += 1 }
    } else {
      self.parser = parser
    }
  }
}
#endif
