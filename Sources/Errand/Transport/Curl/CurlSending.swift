#if os(Linux)
import CCurl

/// How often and over which connection libcurl was about to send a request: it sends one again, by itself, when a reused
/// connection died under it.
struct CurlSending {
  /// Whether libcurl has asked before it began to send.
  private(set) var wasAsked = false
  /// How many connections had been made for it by then.
  private var connectCount = 0
  /// How often the connection was good as far as is known.
  private(set) var count = 0
  /// The near port of the last connection; 0 before, and where libcurl does not ask.
  private(set) var localPort: Int32 = 0
  /// The ends of the last connection, of a transfer over TLS; `nil` before, and where libcurl does not ask.
  private(set) var ends: CurlSockets.Ends?
  /// Whether others were answered over that connection, by HTTP/2.
  private(set) var isOverShared = false
  /// True if the server refused the stream of the last sending: it did not act on the request (RFC 9113 section 8.7).
  private var isRefused = false
  /// The HTTP/2 stream of the last sending.
  private var stream: UInt32?

  /// Looks at a connection just before libcurl sends over it.
  ///
  /// - Returns: true if libcurl may send. A request that is not idempotent is sent again only after the server refused its stream.
  mutating func begins(
    _ method: HTTPMethod, from port: Int32, over ends: () -> CurlSockets.Ends, handle: CurlHandle,
    driver: CurlDriver
  ) -> Bool {
    // The last time goes over a connection of its own, however many others are broken. Over https that is the third: the
    // second one may share, or each request that an HTTP/2 connection took no more would open one.
    if !handle.isSecure || wasAsked { handle.set(CCURLOPT_FRESH_CONNECT, to: true) }
    // libcurl counts the times it began anew, over all transfers of a handle, and gives up after five.
    if wasAsked { handle.mark() }
    wasAsked = true
    let wasRefused = isRefused
    isRefused = false
    localPort = port
    if handle.isSecure { noteConnection(ends(), handle: handle, driver: driver) }
    // A new connection may have tickets to read.
    let hasUnread = handle.isSecure && connectCount == 0 && ccurl_tls_has_unread(handle.easy) == CCURL_TLS_YES
    // Where it is not good, sending fails before its first byte, and libcurl asks again for another.
    guard driver.sockets.canSend(from: port, hasUnread: hasUnread, ends) else { return true }
    count += 1
    return count == 1 || method.isIdempotent || wasRefused
  }

  /// Takes note of an event of HTTP/2 that libcurl told this transfer.
  mutating func note(_ event: CurlHTTP2Trace, driver: CurlDriver) {
    switch event {
    case .opened(let stream): self.stream = stream
    case .ended(let stream):
      if let ends { driver.endedStreams.insert(stream, over: ends) }
    case .refused: isRefused = true
    }
  }

  /// True if a frame with END_STREAM ended the response.
  func didEnd(_ driver: CurlDriver) -> Bool {
    guard let stream, let ends else { return false }
    return driver.endedStreams.contains(stream, over: ends)
  }

  /// Forgets the stream's end, which no other transfer asks for.
  func forget(_ driver: CurlDriver) {
    if let stream, let ends { driver.endedStreams.remove(stream, over: ends) }
  }

  private func noteSharing(of handle: CurlHandle, driver: CurlDriver) {
    guard CurlLibrary.speaksHTTP2, let transfer = handle.transfer else { return }
    let answer = ccurl_tls_agreed_on_http2(handle.easy)
    guard answer != CCURL_TLS_UNKNOWN else { return }
    driver.sharing.note(transfer.peer, isHTTP2: answer == CCURL_TLS_YES)
  }

  private mutating func noteConnection(_ ends: CurlSockets.Ends, handle: CurlHandle, driver: CurlDriver) {
    self.ends = ends
    let count = handle.count(CCURLINFO_NUM_CONNECTS)
    if count > connectCount {
      // Nothing is known of a new one; an old one may have had its ends.
      driver.heard[ends] = nil
      driver.agreements[ends] = nil
      driver.endedStreams.removeAll(over: ends)
      if driver.heard.count > 4096 { driver.heard.removeAll() }
      if driver.agreements.count > 4096 { driver.agreements.removeAll() }
      noteSharing(of: handle, driver: driver)
    }
    if driver.agreements[ends] == nil {
      driver.agreements[ends] = TransportSummary.Metrics.TLSDetails(handle)
    }
    handle.transfer?.way.tls = driver.agreements[ends]
    connectCount = count
    isOverShared = driver.heard[ends] != nil
  }
}
#endif
