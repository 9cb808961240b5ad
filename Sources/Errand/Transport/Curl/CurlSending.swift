#if os(Linux)
import CCurl

/// The transmissions of a request.
///
/// libcurl or Errand may repeat a request, for example after a reused connection failed.
struct CurlSending {
  /// True after libcurl has called back before a transmission.
  private(set) var wasAsked = false
  /// True while the request is on the connection of the last transmission.
  private(set) var isPlaced = false
  /// The number of connections that libcurl had opened at the last transmission, since ``restart()``.
  ///
  /// Stays 0 for http without HTTP/2.
  private var connectCount = 0
  private var countedConnects = 0
  /// The number of transmissions; 0 with libcurl before 7.80.
  ///
  /// A transmission over a connection that is known to be broken does not count.
  private(set) var count = 0
  /// The local port of the last transmission; 0 if unknown, as with libcurl before 7.80.
  private(set) var localPort: Int32 = 0
  /// The endpoints of the last transmission; `nil` for http without HTTP/2, and if unknown.
  private(set) var ends: CurlSockets.Ends?
  private(set) var isOverReused = false
  /// True if the server refused the last HTTP/2 stream (RFC 9113 section 8.7).
  private(set) var isRefused = false
  /// True if libcurl has given up the HTTP/2 connection; see ``CurlDriver/endAbandoned()``.
  var isAbandoned = false
  private var hasRepeated = false
  private var stream: UInt32?

  /// Decides whether libcurl may send the request now.
  ///
  /// A returned error ends the transfer.
  mutating func begin(
    _ transfer: CurlTransfer, from port: Int32, over ends: () -> CurlSockets.Ends
  ) -> TransportError? {
    let (handle, driver) = (transfer.handle, transfer.driver)
    // The option applies to the next transmission. Over HTTP/2, the second transmission may share a
    // connection, so that a refused stream does not always lead to a new connection.
    let maySecondShare = handle.mayMultiplex && ccurl_tls_agreed_on_http2(handle.easy) != CCURL_TLS_NO
    if !maySecondShare || wasAsked { handle.set(CCURLOPT_FRESH_CONNECT, to: true) }
    // libcurl gives up after five repetitions, and may count all transfers of a handle until a reset.
    if wasAsked { handle.mark() }
    wasAsked = true
    localPort = port
    if handle.isSecure || handle.mayMultiplex { noteConnection(ends(), handle: handle, driver: driver) }
    // On a new connection, unread bytes may be session tickets, so only a reused connection is checked.
    let hasUnread = handle.isSecure && connectCount == 0 && ccurl_tls_has_unread(handle.easy) == CCURL_TLS_YES
    // Over a broken connection, sending fails before the first byte. libcurl then usually calls back again.
    guard driver.sockets.canSend(from: port, hasUnread: hasUnread, ends) else { return nil }
    if count > 0 {
      if let refusal = refusalToRepeat(transfer) { return refusal }
      if !isRefused { hasRepeated = true }
    }
    count += 1
    isPlaced = true
    if let limit = driver.loop.connections.pool.maximumUses {
      noteUse(of: ends(), limit: limit, handle: handle, driver: driver)
    }
    isRefused = false
    return nil
  }

  /// Returns an error if the request must not be sent again.
  ///
  /// After a refused stream, up to two repetitions are allowed. After another failure, an idempotent request
  /// may be repeated at most once.
  func refusalToRepeat(_ transfer: CurlTransfer) -> TransportError? {
    let method = transfer.exchange.request.request.method
    guard count > 0 else { return nil }
    if isRefused { return count < 3 ? nil : .refusedStream(by: transfer.peer, count: count) }
    guard method.isIdempotent else { return .mayHaveArrived(method) }
    return hasRepeated || count > 2 ? .lostAgain(method) : nil
  }

  mutating func note(_ event: CurlHTTP2Trace, driver: CurlDriver) {
    switch event {
    case .opened(let stream): self.stream = stream
    case .ended(let stream):
      if let ends { driver.endedStreams.insert(stream, over: ends) }
    case .refused(let stream): isRefused = isRefused || stream == self.stream
    case .abandoned:
      if let ends { driver.abandoned.insert(ends) }
    case .left, .downgraded: leave(driver)
    }
  }

  var hasStream: Bool { stream != nil }

  func didEnd(_ driver: CurlDriver) -> Bool {
    guard let stream, let ends else { return false }
    return driver.endedStreams.contains(stream, over: ends)
  }

  mutating func leave(_ driver: CurlDriver) {
    forget(driver)
    (ends, stream, isAbandoned, isPlaced) = (nil, nil, false, false)
  }

  mutating func restart() { (connectCount, countedConnects) = (0, 0) }

  func forget(_ driver: CurlDriver) {
    if let stream, let ends { driver.endedStreams.remove(stream, over: ends) }
  }

  private func noteSharing(of handle: CurlHandle, driver: CurlDriver) {
    guard CurlLibrary.speaksHTTP2, let transfer = handle.transfer else { return }
    let answer = ccurl_tls_agreed_on_http2(handle.easy)
    guard answer != CCURL_TLS_UNKNOWN else { return }
    driver.sharing.note(transfer.peer, isHTTP2: answer == CCURL_TLS_YES)
  }

  private mutating func noteUse(
    of ends: CurlSockets.Ends, limit: Int, handle: CurlHandle, driver: CurlDriver
  ) {
    let opened = handle.count(CCURLINFO_NUM_CONNECTS)
    defer { countedConnects = opened }
    guard driver.uses.note(ends, isNew: opened > countedConnects) >= limit else { return }
    handle.mark()
    handle.set(CCURLOPT_FORBID_REUSE, to: true)
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
    isOverReused = count == connectCount
    connectCount = count
  }
}

/// The numbers of uses of connections, for ``ConnectionSettings/Pool/maximumUses``.
struct CurlUses {
  // At this number of connections, all counts are forgotten.
  private static let limit = 65_536
  private var counts: [CurlSockets.Ends: Int] = [:]

  mutating func note(_ ends: CurlSockets.Ends, isNew: Bool) -> Int {
    let count = isNew ? 1 : (counts[ends] ?? 0) + 1
    if counts.count >= Self.limit { counts.removeAll() }
    counts[ends] = count
    return count
  }
}
#endif
