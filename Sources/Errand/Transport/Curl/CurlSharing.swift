#if os(Linux)
import CCurl

/// The HTTPS origins whose last new connection used HTTP/1.1.
///
/// Requests to any other HTTPS origin may wait while a connection to the origin is opened (`PIPEWAIT`), to
/// share the connection over HTTP/2. If the server chooses HTTP/1.1, libcurl 8.20 and newer would keep the
/// requests waiting until the first response. So the driver restarts the waiting requests without `PIPEWAIT`.
struct CurlSharing {
  private static let limit = 4096
  private var alone: Set<String> = []
  /// The origins whose waiting requests were not restarted yet.
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
