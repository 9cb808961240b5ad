#if os(Linux)
import CCurl

/// The transmissions of a request.
///
/// libcurl repeats a request on its own if a reused connection fails during a transmission.
struct CurlSending {
  /// True after libcurl has asked for permission to send the request.
  private(set) var wasAsked = false
  /// The number of connections made for the transfer up to the last transmission.
  private var connectCount = 0
  /// The number of transmissions, except over connections known to be broken.
  private(set) var count = 0
  /// The local port of the last connection; 0 before the first transmission, and with libcurl
  /// before 7.80.
  private(set) var localPort: Int32 = 0
  /// The endpoints of the last TLS connection; `nil` before the first transmission, and with
  /// libcurl before 7.80.
  private(set) var ends: CurlSockets.Ends?
  /// True if the last connection has carried HTTP/2 responses before.
  private(set) var isOverShared = false
  /// True if the server refused the last HTTP/2 stream without processing the request (RFC 9113
  /// section 8.7).
  private var isRefused = false
  private var stream: UInt32?

  /// Returns true if libcurl may send the request over a connection; called just before each
  /// transmission.
  ///
  /// A request with a non-idempotent method is repeated only after the server refused its stream.
  mutating func begins(
    _ method: HTTPMethod, from port: Int32, over ends: () -> CurlSockets.Ends, handle: CurlHandle,
    driver: CurlDriver
  ) -> Bool {
    // Over HTTP, only the first transmission may use an existing connection. Over HTTPS, the second
    // transmission may too, because otherwise every request that an HTTP/2 connection refuses would
    // open its own connection.
    if !handle.isSecure || wasAsked { handle.set(CCURLOPT_FRESH_CONNECT, to: true) }
    // libcurl counts the repetitions of all transfers of a handle, and gives up after five.
    if wasAsked { handle.mark() }
    wasAsked = true
    let wasRefused = isRefused
    isRefused = false
    localPort = port
    if handle.isSecure { noteConnection(ends(), handle: handle, driver: driver) }
    // Only a reused connection is checked. Unread bytes of a new connection may be session tickets.
    let hasUnread = handle.isSecure && connectCount == 0 && ccurl_tls_has_unread(handle.easy) == CCURL_TLS_YES
    // Over a broken connection, sending fails before the first byte, and libcurl asks again for the
    // next connection.
    guard driver.sockets.canSend(from: port, hasUnread: hasUnread, ends) else { return true }
    count += 1
    return count == 1 || method.isIdempotent || wasRefused
  }

  mutating func note(_ event: CurlHTTP2Trace, driver: CurlDriver) {
    switch event {
    case .opened(let stream): self.stream = stream
    case .ended(let stream):
      if let ends { driver.endedStreams.insert(stream, over: ends) }
    case .refused: isRefused = true
    }
  }

  /// Returns true if END_STREAM ended the response.
  func didEnd(_ driver: CurlDriver) -> Bool {
    guard let stream, let ends else { return false }
    return driver.endedStreams.contains(stream, over: ends)
  }

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
      // An earlier connection may have had the same endpoints.
      driver.lastActivity[ends] = nil
      driver.agreements[ends] = nil
      driver.endedStreams.removeAll(over: ends)
      if driver.lastActivity.count > 4096 { driver.lastActivity.removeAll() }
      if driver.agreements.count > 4096 { driver.agreements.removeAll() }
      noteSharing(of: handle, driver: driver)
    }
    if driver.agreements[ends] == nil {
      driver.agreements[ends] = TransportSummary.Metrics.TLSDetails(handle)
    }
    handle.transfer?.route.tls = driver.agreements[ends]
    connectCount = count
    isOverShared = driver.lastActivity[ends] != nil
  }
}
#endif
