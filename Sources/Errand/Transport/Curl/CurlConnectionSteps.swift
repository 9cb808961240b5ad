#if os(Linux)
import CCurl

/// The steps of a connection that a transfer has reported to ``TransportRequest/connectionStep``.
///
/// libcurl calls back when a lookup starts, when a socket is opened, and, from 7.80 on, when the connection
/// is ready. There is no callback for the end of the TCP handshake. So Errand reports this step later, with
/// the time elapsed since the step.
struct CurlConnectionSteps {
  private var isLookingUp = false
  private var isConnecting = false

  mutating func lookupStarted(_ transfer: CurlTransfer) {
    guard !isLookingUp, let tell = transfer.exchange.request.connectionStep else { return }
    // libcurl announces a lookup even if the host is an IP address.
    guard let host = URLParts(absolute: transfer.exchange.request.request.location.text)?.host,
      transfer.route.proxy != nil || IPAddress(NumericHost.standard(host.lowercased())) == nil
    else { return }
    isLookingUp = true
    tell(.lookupStarted, .zero)
  }

  mutating func connectStarted(to address: SocketAddress, _ transfer: CurlTransfer) {
    guard let tell = transfer.exchange.request.connectionStep else { return }
    if isLookingUp { tell(.lookupEnded, .zero) }
    (isLookingUp, isConnecting) = (false, true)
    let socket = transfer.route.unixSocket.map { "unix:\($0)" }
    tell(.connectStarted(address: socket ?? address.textWithPort), .zero)
  }

  /// Reports the remaining steps of a new connection that is ready for the first transmission.
  mutating func ready(_ transfer: CurlTransfer) {
    guard isConnecting, let tell = transfer.exchange.request.connectionStep else { return }
    isConnecting = false
    let (connected, agreed) = Self.times(transfer)
    guard transfer.handle.count(CCURLINFO_NUM_CONNECTS) > 0, connected > 0 else { return }
    let delay = Duration.microseconds(max(agreed - connected, 0))
    tell(.connectEnded, delay)
    guard transfer.handle.isSecure else { return }
    tell(.handshakeStarted, delay)
    tell(.handshakeEnded, .zero)
  }

  /// Reports the remaining steps at the end of the transfer, for example after a failed connection.
  mutating func ended(_ transfer: CurlTransfer) {
    guard isConnecting, let tell = transfer.exchange.request.connectionStep else { return }
    let (connected, agreed) = Self.times(transfer)
    if agreed > 0 || !CurlLibrary.asksBeforeSending { return ready(transfer) }
    isConnecting = false
    guard connected > 0 else { return }
    let total = transfer.handle.microseconds(CCURLINFO_TOTAL_TIME_T)
    let delay = Duration.microseconds(max(total - connected, 0))
    tell(.connectEnded, delay)
    if transfer.handle.isSecure { tell(.handshakeStarted, delay) }
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
