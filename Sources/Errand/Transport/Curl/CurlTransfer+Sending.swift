#if os(Linux)
import CCurl
import Foundation

// What is looked at just before libcurl sends a request.
extension CurlTransfer {
  /// Called before each sending; a number other than 0 ends the transfer.
  func willSend(over ends: @autoclosure () -> CurlSockets.Ends) -> Int32 {
    // The last time goes over a connection of its own, however many others are broken. Over https that is the third: the
    // second one may share, or each request that an HTTP/2 connection took no more would open one.
    if !handle.isSecure || wasAsked { handle.set(CCURLOPT_FRESH_CONNECT, true) }
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
}
#endif
