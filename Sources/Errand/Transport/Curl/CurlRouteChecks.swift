#if os(Linux)
import CCurl
import Foundation

enum CurlRouteChecks {
  /// The longest path of a Unix socket in bytes; `sun_path` has 108 bytes with the terminating zero.
  private static let longestPath = 107

  static func check(_ settings: ConnectionSettings, library: CurlLibrary) throws(TransportError) {
    for host in settings.routes.keys.sorted() {
      guard let route = settings.routes[host], let fault = fault(of: route) else { continue }
      throw TransportError(.invalidRequest, "routes has \(fault) for \(host)")
    }
    if let url = settings.nameServer, WebScheme(url) != .https || url.host()?.isEmpty != false {
      throw TransportError(.invalidRequest, "nameServer is not an https URL: \(Redaction.standard.url(url))")
    }
    if settings.localAddress?.isEmpty == true {
      throw TransportError(.invalidRequest, "localAddress is empty")
    }
    if settings.httpVersion == .http3 {
      throw TransportError(
        .unsupported,
        "CurlTransport does not send HTTP/3: use another httpVersion, or URLSessionTransport on Apple platforms"
      )
    }
    if hasSocket(settings), settings.httpVersion == .http2 {
      throw TransportError(
        .unsupported, "CurlTransport uses HTTP/1.1 over Unix sockets, and httpVersion allows only HTTP/2")
    }
    guard let info = library.info?.pointee else { return }
    if let shortfall = shortfall(of: info, for: settings) {
      let version = info.version.map { String(cString: $0) } ?? ""
      throw TransportError(.unsupported, "libcurl \(version) \(shortfall)")
    }
    guard let nameServer = settings.nameServer, let handle = CurlHandle() else { return }
    handle.set(CCURLOPT_DOH_URL, to: nameServer.absoluteString)
    if handle.refusal != CCURLE_OK {
      throw TransportError(.unsupported, "this libcurl was built without DNS over HTTPS")
    }
  }

  private static func hasSocket(_ settings: ConnectionSettings) -> Bool {
    settings.routes.values.contains { if case .unixSocket = $0.form { true } else { false } }
  }

  private static func fault(of route: ConnectionSettings.Route) -> String? {
    switch route.form {
    case .addresses(let addresses):
      if addresses.isEmpty { return "no address" }
      return addresses.first { !IPAddress.isPlain($0) }.map { "an invalid address, \($0.debugDescription)," }
    case .destination(let host, let port):
      if let port, !(1...65_535).contains(port) { return "the invalid port \(port)" }
      let isName = HostPattern.isPattern(host) && !host.utf8.contains { $0 == 0x2A || $0 == 0x2F }
      return isName || IPAddress.isPlain(host) ? nil : "an invalid host, \(host.debugDescription),"
    case .unixSocket(let path):
      let isUsable = path.hasPrefix("/") && path.utf8.count <= longestPath && !path.utf8.contains(0)
      return isUsable ? nil : "an invalid path of a Unix socket, \(path.debugDescription),"
    case .lookup: return nil
    }
  }

  static func shortfall(of info: ccurl_version_info_data, for settings: ConnectionSettings) -> String? {
    if hasSocket(settings), info.features & CCURL_VERSION_UNIX_SOCKETS == 0 {
      return "was built without Unix sockets"
    }
    if settings.httpVersion == .http2, !CurlLibrary.speaksHTTP2(info) {
      return "does not report the ends of HTTP/2 streams: use libcurl 8.3 or newer, built with HTTP/2"
    }
    let isOld = info.version_num < 0x07_50_00
    if settings.pool.maximumAge != nil, isOld {
      return "does not limit the age of connections: use libcurl 7.80 or newer"
    }
    if settings.pool.maximumUses != nil, isOld {
      return "does not tell which connection a request uses: use libcurl 7.80 or newer"
    }
    if settings.pool.pingInterval != nil, !CurlPings.areSent(by: info) {
      return "sends no HTTP/2 PING frames for a multi handle: use libcurl 8.10 or newer, built with HTTP/2"
    }
    // libcurl 8.3 may print the steps of its lookups over HTTPS.
    if settings.nameServer != nil, (0x08_03_00..<0x08_04_00).contains(info.version_num) {
      return "prints its lookups over HTTPS: use libcurl 8.4 or newer"
    }
    return nil
  }
}
#endif
