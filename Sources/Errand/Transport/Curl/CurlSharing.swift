#if os(Linux)
import CCurl

/// The HTTPS origins with HTTP/1.1 only, so that their requests do not wait to share an HTTP/2 connection.
///
/// A request waits while a connection to its host is being set up. With libcurl 8.20 and newer, the request
/// waits until the first response even if the connection turns out to be HTTP/1.1. Such requests are
/// restarted.
struct CurlSharing {
  private static let limit = 4096
  private var alone: Set<String> = []
  /// Origins found to have HTTP/1.1 only, whose waiting requests are not restarted yet.
  private var found: Set<String> = []

  /// Records the protocol that a new connection to an origin negotiated.
  mutating func note(_ peer: @autoclosure () -> String, isHTTP2: Bool) {
    if isHTTP2 {
      if !alone.isEmpty { alone.remove(peer()) }
      return
    }
    if alone.count >= Self.limit { alone.removeAll() }
    let peer = peer()
    if alone.insert(peer).inserted { found.insert(peer) }
  }

  /// Makes a request wait while a connection to its origin is being set up, unless the origin has HTTP/1.1
  /// only.
  func configure(_ handle: CurlHandle, for peer: @autoclosure () -> String) {
    guard CurlLibrary.speaksHTTP2 else { return }
    handle.set(CCURLOPT_PIPEWAIT, to: alone.isEmpty || !alone.contains(peer()))
  }

  /// True while a transfer waits for a connection that is being set up, or for name lookup.
  static func waits(_ transfer: CurlTransfer) -> Bool {
    transfer.handle.isSecure && !transfer.route.hasSocket && !transfer.sending.wasAsked && !transfer.isPaused
  }

  /// Returns the origins found since the last call.
  mutating func takeFound() -> Set<String> {
    guard !found.isEmpty else { return [] }
    defer { found = [] }
    return found
  }
}
#endif
