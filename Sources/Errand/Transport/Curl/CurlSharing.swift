#if os(Linux)
import CCurl

/// Which origins speak HTTP/1.1 over TLS, so that no request waits to share another's connection over HTTP/2.
///
/// A request to a host that is being connected to waits for the first connection. With libcurl 8.20 and newer the request goes on waiting,
/// until the first response, where the connection turns out to be one of HTTP/1.1: such requests are started anew.
struct CurlSharing {
  private static let limit = 4096
  private var alone: Set<String> = []
  /// The origins that were found to be alone, and whose waiting requests were not started anew yet.
  private var found: Set<String> = []

  /// Notes what a new connection to an origin agreed on.
  mutating func note(_ peer: @autoclosure () -> String, isHTTP2: Bool) {
    if isHTTP2 {
      if !alone.isEmpty { alone.remove(peer()) }
      return
    }
    if alone.count >= Self.limit { alone.removeAll() }
    let peer = peer()
    if alone.insert(peer).inserted { found.insert(peer) }
  }

  /// Has a request wait for a connection to its origin that others are making, unless the origin is known to be alone.
  func configure(_ handle: CurlHandle, for peer: @autoclosure () -> String) {
    guard CurlLibrary.speaksHTTP2 else { return }
    handle.set(CCURLOPT_PIPEWAIT, to: alone.isEmpty || !alone.contains(peer()))
  }

  /// True while a transfer waits for the connection of another, or its name is looked up.
  static func waits(_ transfer: CurlTransfer) -> Bool {
    transfer.handle.isSecure && !transfer.route.hasSocket && !transfer.sending.wasAsked && !transfer.isPaused
  }

  /// Gives the origins that were found since the last call.
  mutating func takeFound() -> Set<String> {
    guard !found.isEmpty else { return [] }
    defer { found = [] }
    return found
  }
}
#endif
