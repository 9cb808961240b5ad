#if os(Linux)
import CCurl

/// The steps of a connection that a transfer has reported to ``TransportRequest/connectionStep``.
///
/// libcurl calls back when a lookup starts, when a socket is opened, and, from 7.80 on, when the connection
/// is ready. There is no callback for the end of the TCP handshake. So Errand reports this step later, with
/// the time elapsed since the step.
struct CurlConnectionSteps {
  private var isLookingUp = false
  /// The start of the connection in nanoseconds of the loop's clock; `nil`: no connection is being made.
  private var connectStart: Int64?

  mutating func lookupStarted(_ transfer: CurlTransfer) {
    guard !isLookingUp, connectStart == nil, let tell = transfer.exchange.request.connectionStep,
      let host = transfer.route.peerHost(for: transfer.exchange.request.request.location)
    else { return }
    // libcurl announces a lookup even if the host is an IP address.
    if IPAddress(NumericHost.standard(host.lowercased())) != nil { return }
    isLookingUp = true
    tell(.lookupStarted, .zero)
  }

  mutating func connectStarted(to address: SocketAddress, _ transfer: CurlTransfer) {
    guard let tell = transfer.exchange.request.connectionStep else { return }
    if isLookingUp { tell(.lookupEnded, .zero) }
    (isLookingUp, connectStart) = (false, transfer.driver.now)
    let socket = transfer.route.unixSocket.map { "unix:\($0)" }
    tell(.connectStarted(address: socket ?? address.textWithPort), .zero)
  }

  /// Reports the remaining steps of a new connection that is ready for the first transmission.
  mutating func ready(_ transfer: CurlTransfer) {
    guard let start = connectStart, let tell = transfer.exchange.request.connectionStep else { return }
    connectStart = nil
    let (connected, agreed) = Self.times(transfer)
    guard transfer.handle.count(CCURLINFO_NUM_CONNECTS) > 0, connected > 0 else { return }
    let delay =
      agreed > 0
      ? .microseconds(max(agreed - connected, 0)) : Self.delay(transfer, connected: connected, start: start)
    tell(.connectEnded, delay)
    guard transfer.handle.isSecure else { return }
    tell(.handshakeStarted, delay)
    tell(.handshakeEnded, .zero)
  }

  /// Reports the remaining steps at the end of the transfer, for example after a failed connection.
  mutating func ended(_ transfer: CurlTransfer) {
    guard let start = connectStart, let tell = transfer.exchange.request.connectionStep else { return }
    let (connected, agreed) = Self.times(transfer)
    if agreed > 0 || !CurlLibrary.asksBeforeSending { return ready(transfer) }
    connectStart = nil
    guard connected > 0 else { return }
    let delay = Self.delay(transfer, connected: connected, start: start)
    tell(.connectEnded, delay)
    if transfer.handle.isSecure { tell(.handshakeStarted, delay) }
  }

  /// Returns the time since the end of the TCP connection, but not more than the time since `start`.
  ///
  /// libcurl's total time is too old for a transfer that Errand ends.
  private static func delay(_ transfer: CurlTransfer, connected: Int64, start: Int64) -> Duration {
    let now = transfer.driver.now
    return .nanoseconds(min(max(now - transfer.begun - connected * 1_000, 0), max(now - start, 0)))
  }

  private static func times(_ transfer: CurlTransfer) -> (connected: Int64, agreed: Int64) {
    (
      transfer.handle.microseconds(CCURLINFO_CONNECT_TIME_T),
      transfer.handle.microseconds(CCURLINFO_APPCONNECT_TIME_T)
    )
  }
}

extension CurlHandle {
  fileprivate func microseconds(_ info: CCURLINFO) -> Int64 {
    var value: Int64 = 0
    _ = ccurl_get_offset(easy, info, &value)
    return Int64(value)
  }
}
#endif
