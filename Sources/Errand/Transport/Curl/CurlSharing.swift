#if os(Linux)
import CCurl

/// The HTTPS origins whose last new connection used HTTP/1.1.
///
/// A request to an HTTPS origin outside of the set may wait for a new connection (`PIPEWAIT`), to share
/// HTTP/2. If the server chooses HTTP/1.1, libcurl 8.20 and newer may keep the request waiting. So the driver
/// restarts the request.
struct CurlSharing {
  private static let limit = 4096
  private var alone: Set<String> = []
  /// New origins, whose waiting requests, if any, are not restarted yet.
  private var found: Set<String> = []

  mutating func note(_ peer: @autoclosure () -> String, isHTTP2: Bool) {
    if isHTTP2 {
      if !alone.isEmpty { alone.remove(peer()) }
      return
    }
    if alone.count >= Self.limit { alone.removeAll() }
    let peer = peer()
    if alone.insert(peer).inserted { found.insert(peer) }
  }

  func configure(_ handle: CurlHandle, for peer: @autoclosure () -> String) {
    guard CurlLibrary.speaksHTTP2 else { return }
    handle.set(CCURLOPT_PIPEWAIT, to: alone.isEmpty || !alone.contains(peer()))
  }

  static func waits(_ transfer: CurlTransfer) -> Bool {
    transfer.handle.isSecure && !transfer.route.hasSocket && !transfer.sending.wasAsked && !transfer.isPaused
  }

  mutating func takeFound() -> Set<String> {
    guard !found.isEmpty else { return [] }
    defer { found = [] }
    return found
  }
}
#endif
