#if os(Linux)

/// What a proxy answers to `CONNECT` (RFC 9110 section 9.3.6).
///
/// libcurl gives its lines like those of the server's answer, before it asks whether it may send the request.
struct CurlTunnel {
  /// Whether lines of a head are the proxy's.
  private(set) var isOpening = false
  private var parser: CurlHeadParser?
  /// Its last answer.
  private(set) var response: HTTPResponse?
  /// How often it asked for credentials; libcurl answers as long as a challenge says that its nonce is stale.
  private(set) var askings = 0

  /// Notes that a connection is being made, through which there has to be a tunnel.
  mutating func willOpen() { isOpening = true }

  /// Notes that it stands.
  mutating func didOpen() { isOpening = false }

  /// Takes a line; throws where it is too long, or no HTTP.
  mutating func take(_ line: UnsafeRawBufferPointer, limits: TransferLimits) throws {
    if CurlHeadParser.isStatusLine(line) { parser = CurlHeadParser(limits, isHead: true) }
    guard var parser else { return }
    self.parser = nil
    if try parser.take(line) {
      response = HTTPResponse(status: parser.status, headers: parser.headers)
      if parser.status == 407 { askings += 1 }
    } else {
      self.parser = parser
    }
  }
}
#endif
