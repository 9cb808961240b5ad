#if os(Linux)
import CCurl

/// The circumstances in which a socket was opened, such as the request and the time.
struct CurlOpening {
  let location: WrittenURL
  let proxy: String?
  let unixSocket: String?
  let exchange: ObjectIdentifier
  /// The time of the opening, in nanoseconds of the loop's clock.
  let time: Int64

  init(_ transfer: CurlTransfer) {
    location = transfer.exchange.request.request.location
    proxy = transfer.route.proxy?.description
    unixSocket = transfer.route.unixSocket
    exchange = ObjectIdentifier(transfer.exchange)
    time = transfer.driver.now
  }

  var origin: String { Self.origin(of: location) }

  static func origin(of location: WrittenURL) -> String { Origin(location.url)?.shownText ?? "" }
}

/// The connections of a loop; confined to the loop's thread.
struct CurlSnapshot {
  private let driver: CurlDriver

  init(_ driver: CurlDriver) { self.driver = driver }

  var value: ConnectionSettings.Pool.Snapshot {
    var snapshot = ConnectionSettings.Pool.Snapshot()
    let ready = driver.transfers.values.filter(isReady)
    let uses = Dictionary(grouping: ready, by: \.localPort)
    for (socket, opening) in driver.sockets.openings {
      guard let ends = driver.sockets.ends(of: socket) else { continue }
      let address = opening.unixSocket.map { "unix:\($0)" } ?? ends.peerText
      let requests = requests(opening, address: address, uses: uses[ends.localPort] ?? [])
      let idle = requests == 0 ? driver.sockets.idleStart(of: socket) : nil
      snapshot.connections.append(
        ConnectionSettings.Pool.Connection(
          origin: opening.origin, proxy: opening.proxy, remoteAddress: address,
          httpVersion: version(opening, ends: ends), age: .nanoseconds(driver.now - opening.time),
          idle: idle.map { .nanoseconds(driver.now - $0) }, requests: requests))
    }
    for transfer in driver.transfers.values where !isReady(transfer) {
      let origin = CurlOpening.origin(of: transfer.exchange.request.request.location)
      snapshot.waiting[origin, default: 0] += 1
    }
    return snapshot
  }

  /// True once libcurl has a connection for the transfer.
  private func isReady(_ transfer: CurlTransfer) -> Bool {
    if CurlLibrary.asksBeforeSending { return transfer.sending.isPlaced }
    var microseconds: Int64 = 0
    _ = ccurl_get_offset(transfer.handle.easy, CCURLINFO_PRETRANSFER_TIME_T, &microseconds)
    return microseconds > 0
  }

  private func requests(_ opening: CurlOpening, address: String, uses: [CurlTransfer]) -> Int {
    // A request over a Unix socket has its own connection.
    if opening.unixSocket != nil { return driver.transfers[opening.exchange].map(isReady) == true ? 1 : 0 }
    return uses.count { $0.handle.remoteAddress == address }
  }

  private func version(_ opening: CurlOpening, ends: CurlSockets.Ends) -> String? {
    guard WebScheme(text: opening.location.text) == .https else {
      return driver.loop.connections.httpVersion == .http2 ? "HTTP/2" : "HTTP/1.1"
    }
    guard let details = driver.agreements[ends] else { return nil }
    return details.applicationProtocol == "h2" ? "HTTP/2" : "HTTP/1.1"
  }
}

extension CurlSockets.Ends {
  fileprivate var peerText: String {
    peer.utf8.contains(0x3A) ? "[\(peer)]:\(peerPort)" : "\(peer):\(peerPort)"
  }
}
#endif
