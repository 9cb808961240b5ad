#if os(Linux)
import CCurl
import Foundation

// What is looked at just before libcurl sends a request.
extension CurlTransfer {
  /// Called before each sending; a number other than 0 ends the transfer.
  func willSend(over ends: @autoclosure () -> CurlSockets.Ends) -> Int32 {
    // Any second sending goes over a connection of its own, where there is no reason for a third.
    handle.set(CURLOPT_FRESH_CONNECT, true)
    // libcurl counts the times it began anew, over all transfers of a handle, and gives up after five.
    if wasAsked { handle.mark() }
    wasAsked = true
    if driver.sockets.isBroken(ends()) { return 0 }
    sendings += 1
    let method = exchange.request.request.method
    guard sendings > 1, !method.isIdempotent else { return 0 }
    failure = TransportError(
      .connectionLost,
      "the server closed a reused connection before it answered; the \(method) may have reached it, so it was not"
        + " sent again")
    return 1
  }

  /// Whether the connection is to be one with TLS.
  var isSecure: Bool { CurlScheme(exchange.request.request.url) == .https }
}
#endif
