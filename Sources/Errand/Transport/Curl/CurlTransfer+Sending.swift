#if os(Linux)
import CCurl
import Foundation

// What is looked at just before libcurl sends a request.
extension CurlTransfer {
  /// Called before each sending; a number other than 0 ends the transfer.
  func willSend(from port: Int32, over ends: () -> CurlSockets.Ends) -> Int32 {
    // The last time goes over a connection of its own, however many others are broken. Over https that is the third: the
    // second one may share, or each request that an HTTP/2 connection took no more would open one.
    if !handle.isSecure || wasAsked { handle.set(CCURLOPT_FRESH_CONNECT, true) }
    // libcurl counts the times it began anew, over all transfers of a handle, and gives up after five.
    if wasAsked { handle.mark() }
    wasAsked = true
    let wasLeft = wasOverShared && handle.errorText.isEmpty
    localPort = port
    if handle.isSecure { noteConnection(port) }
    // A new connection may have tickets to read.
    let hasUnread = handle.isSecure && connectCount == 0 && ccurl_tls_has_unread(handle.easy) == CCURL_TLS_YES
    guard driver.sockets.canSend(from: port, hasUnread: hasUnread, ends) else { return 0 }
    sendings += 1
    let method = exchange.request.request.method
    // Over HTTP/2 libcurl sends again without an error only what the server has left: by REFUSED_STREAM, or by a GOAWAY
    // that names an earlier request as the last (RFC 9113 section 8.7).
    guard sendings > 1, !method.isIdempotent, !wasLeft else { return 0 }
    failure = TransportError(
      .connectionLost,
      "the server closed a reused connection before it answered; the \(method) may have reached it, so it was not"
        + " sent again")
    return 1
  }

  /// Whether the server left it with a GOAWAY: libcurl makes an error of that where it was the last on its connection.
  func wasLeft(with code: CCURLcode) -> Bool {
    code == CCURLE_HTTP2 && failure == nil && wasOverShared && !parser.isShared && sendings < 3
      && handle.errorText.isEmpty && !exchange.isEnded
  }

  private func noteConnection(_ port: Int32) {
    let count = handle.count(CCURLINFO_NUM_CONNECTS)
    if count > connectCount {
      // Nothing is known of a new one; an old one may have had its port.
      driver.heard[port] = nil
      if driver.heard.count > 4096 { driver.heard.removeAll() }
    }
    connectCount = count
    wasOverShared = driver.heard[port] != nil
  }
}
#endif
