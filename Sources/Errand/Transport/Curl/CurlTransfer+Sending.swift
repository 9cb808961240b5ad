#if os(Linux)
import CCurl
import Foundation

// What is looked at just before libcurl sends a request.
extension CurlTransfer {
  /// Called before each sending; a number other than 0 ends the transfer.
  func willSend(over ends: CurlSockets.Ends) -> Int32 {
    let isReused = handle.count(CURLINFO_NUM_CONNECTS) == 0
    // Any second sending goes over a connection of its own, where there is no reason for a third.
    handle.set(CURLOPT_FRESH_CONNECT, true)
    if let socket = driver.sockets.find(ends), isReused, breakIfDirty(socket) { return 0 }
    sendings += 1
    let method = exchange.request.request.method
    guard sendings > 1, !method.isIdempotent else { return 0 }
    failure = TransportError(
      .connectionLost,
      "the server closed a reused connection before it answered; the \(method) may have reached it, so it was not"
        + " sent again")
    return 1
  }

  /// Makes a connection useless on which something came while nobody had asked: an end, an error, or bytes that
  /// would be taken for the answer; `true` when it did.
  ///
  /// The sending then fails before its first byte, and libcurl makes a new connection. Newer versions of libcurl look
  /// themselves. With TLS the bytes may be harmless tickets, and nobody but the server can have sent them.
  private func breakIfDirty(_ socket: Int32) -> Bool {
    guard exchange.request.request.url.scheme?.lowercased() == "http" else { return false }
    var state = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    guard poll(&state, 1, 0) > 0 else { return false }
    // It fails on a connection that is broken already, which is as good.
    _ = shutdown(socket, Int32(SHUT_RDWR))
    return true
  }
}
#endif
