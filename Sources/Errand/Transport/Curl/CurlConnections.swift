#if os(Linux)
import CCurl
import Foundation

final class CurlConnections: Sendable {
  let proxies: ProxyTable
  let tls: TLSSettings
  /// The pins of each host, separated by semicolons, as libcurl requires.
  let pins: HostTable<String>
  let clientCertificates: HostTable<TLSSettings.ClientCertificate>
  let routes: HostTable<ConnectionSettings.Route>
  let lookups = CurlLookups()
  let nameServer: String?
  /// The value of `CURLOPT_INTERFACE`.
  let localAddress: String?
  let httpVersion: ConnectionSettings.HTTPVersion
  let pool: ConnectionSettings.Pool
  private let certificateFiles = ClientCertificateFiles()

  init(_ settings: ConnectionSettings = ConnectionSettings()) {
    routes = HostTable(settings.routes)
    nameServer = settings.nameServer?.absoluteString
    // Without a prefix, libcurl might look up a missing interface as a host name.
    localAddress = settings.localAddress.map { (IPAddress($0) == nil ? "if!" : "host!") + $0 }
    (httpVersion, pool) = (settings.httpVersion, settings.pool)
    proxies = ProxyTable(settings.proxies)
    tls = settings.tls
    pins = HostTable(tls.pins.mapValues { $0.map(\.description).sorted().joined(separator: ";") })
    clientCertificates = HostTable(tls.clientCertificates)
    differByHost = !pins.isEmpty || !clientCertificates.isEmpty
  }

  let differByHost: Bool

  /// Returns a text for cache keys that identifies the client certificate or the proxy user.
  ///
  /// If `hasChanged` is true, open connections may still use the previous certificate.
  func identity(for url: URL) -> (text: String?, hasChanged: Bool) {
    if clientCertificates.isEmpty, proxies.isEmpty { return (nil, false) }
    if WebScheme(url) == .https {
      guard !clientCertificates.isEmpty, let host = URLParts(absolute: url.absoluteString)?.host,
        let certificate = clientCertificates[String(host)]
      else { return (nil, false) }
      let (digest, hasChanged) = certificateFiles.digest(of: certificate)
      return ("certificate \(digest)", hasChanged)
    }
    guard !proxies.isEmpty, case .proxy(let proxy) = proxies.entry(for: url), let own = proxy.credentials
    else { return (nil, false) }
    return ("proxy \(CacheKey.digest([Data("\(proxy) \(own.username)".utf8)]))", false)
  }

  // MARK: Judging

  static func check(_ settings: ConnectionSettings, library: CurlLibrary) throws(TransportError) {
    if let failure = library.failure { throw failure }
    let tls = settings.tls
    let hosts = [
      ("tls.pins", tls.pins.keys.sorted()), ("tls.clientCertificates", tls.clientCertificates.keys.sorted()),
      ("proxies.exceptions", settings.proxies.exceptions), ("routes", settings.routes.keys.sorted()),
    ]
    for (place, names) in hosts {
      guard let stray = names.first(where: { !HostPattern.isPattern($0) }) else { continue }
      throw TransportError(.invalidRequest, "\(place) contains an invalid host: \(stray.debugDescription)")
    }
    for host in tls.pins.keys.sorted() where tls.pins[host]?.isEmpty == true {
      throw TransportError(.invalidRequest, "tls.pins has no key for \(host)")
    }
    let files =
      [tls.certificateAuthorities].compactMap(\.self) + tls.clientCertificates.values.flatMap(\.files)
    for file in files where !FileManager.default.isReadableFile(atPath: file.path) {
      throw TransportError(.file, "\(file.path) cannot be read")
    }
    let proxies = [settings.proxies.http, settings.proxies.https].compactMap(\.self)
    if proxies.contains(where: { $0.kind == .https }), !library.speaks(CCURL_VERSION_HTTPS_PROXY) {
      throw unsupported("cannot speak to a proxy over TLS", library: library)
    }
    if proxies.contains(where: { $0.authentication == .digest }), !CurlLibrary.asksBeforeSending {
      throw unsupported(
        "answers Digest challenges of a proxy in an endless loop: use libcurl 7.80 or newer", library: library
      )
    }
    try CurlRouteChecks.check(settings, library: library)
    try trySetting(tls, library: library)
  }

  private static func trySetting(_ tls: TLSSettings, library: CurlLibrary) throws(TransportError) {
    guard tls != TLSSettings() else { return }
    guard library.speaks(CCURL_VERSION_SSL), let handle = CurlHandle(isSecure: true) else {
      throw unsupported("has no TLS", library: library)
    }
    for pins in tls.pins.values { handle.set(CCURLOPT_PINNEDPUBLICKEY, to: pins.first?.description) }
    if handle.refusal != CCURLE_OK { throw unsupported("cannot compare public keys", library: library) }
    let usesArchives = tls.clientCertificates.values.contains {
      if case .pkcs12 = $0.form { true } else { false }
    }
    if usesArchives, library.tlsName.hasPrefix("GnuTLS") {
      throw unsupported("reads client certificates in PEM form only, not PKCS #12", library: library)
    }
    for certificate in tls.clientCertificates.values { handle.setClientCertificate(certificate) }
    if handle.refusal != CCURLE_OK { throw unsupported("cannot send client certificates", library: library) }
  }

  private static func unsupported(_ what: String, library: CurlLibrary) -> TransportError {
    TransportError(.unsupported, "libcurl with \(library.tlsName) \(what)")
  }

  func check(_ request: TransportRequest, detour: CurlDetour?) throws(TransportError) {
    if httpVersion == .http2, !request.request.trailers.isEmpty {
      throw TransportError(
        .unsupported,
        "libcurl sends no trailers over HTTP/2, and ConnectionSettings.httpVersion allows only HTTP/2")
    }
    if case .unixSocket(let path)? = detour {
      guard request.refusesPrivateAddresses else { return }
      throw TransportError(
        .destination,
        "\(WebScheme.peer(of: request.request.url)) is at \(path), which is not a public address")
    }
    guard !proxies.isEmpty else { return }
    switch proxies.entry(for: request.request.url) {
    case .none: return
    case .unusable(let variable):
      var error = TransportError(
        .connectionFailed, "the environment variable \(variable) does not name a valid proxy")
      error.advice = .proxy
      throw error
    case .proxy(let proxy):
      guard request.refusesPrivateAddresses else { return }
      throw TransportError(
        .unsupported,
        "destinations.refusesPrivateAddresses is set, but the addresses behind the proxy \(proxy) cannot be checked: set ConnectionSettings.proxies to .none to bypass the proxy"
      )
    }
  }
}

extension CurlHandle {
  func setTLS(of connections: CurlConnections) {
    // By default, the TLS library may allow versions before TLS 1.2.
    set(CCURLOPT_SSLVERSION, to: connections.oldestTLS)
    set(CCURLOPT_PROXY_SSLVERSION, to: Int(CCURL_SSLVERSION_TLSv1_2))
    guard let authorities = connections.tls.certificateAuthorities?.path else { return }
    set(CCURLOPT_CAINFO, to: authorities)
    set(CCURLOPT_CAPATH, to: nil as String?)
    guard connections.proxies.usesTLS else { return }
    set(CCURLOPT_PROXY_CAINFO, to: authorities)
    set(CCURLOPT_PROXY_CAPATH, to: nil as String?)
  }

  func setTLS(for host: String, _ connections: CurlConnections) {
    if !connections.pins.isEmpty { set(CCURLOPT_PINNEDPUBLICKEY, to: connections.pins[host]) }
    if !connections.clientCertificates.isEmpty { setClientCertificate(connections.clientCertificates[host]) }
  }

  fileprivate func setClientCertificate(_ certificate: TLSSettings.ClientCertificate?) {
    switch certificate?.form {
    case .pem(let file, let key):
      set(CCURLOPT_SSLCERTTYPE, to: "PEM")
      set(CCURLOPT_SSLCERT, to: file.path)
      set(CCURLOPT_SSLKEYTYPE, to: "PEM")
      set(CCURLOPT_SSLKEY, to: key.path)
    case .pkcs12(let file):
      set(CCURLOPT_SSLCERTTYPE, to: "P12")
      set(CCURLOPT_SSLCERT, to: file.path)
      set(CCURLOPT_SSLKEY, to: nil as String?)
    case nil:
      set(CCURLOPT_SSLCERT, to: nil as String?)
      set(CCURLOPT_SSLKEY, to: nil as String?)
    }
    // If no passphrase is set, OpenSSL may ask for the passphrase at the terminal.
    set(CCURLOPT_KEYPASSWD, to: certificate.map { $0.passphrase?.reveal() ?? "" })
  }

  /// Sets the proxy; `nil` clears the previous proxy of a reused handle.
  func setProxy(_ proxy: Proxy?) {
    set(CCURLOPT_PROXY, to: proxy?.description ?? "")
    set(CCURLOPT_PROXYUSERNAME, to: proxy?.credentials?.username)
    set(CCURLOPT_PROXYPASSWORD, to: proxy?.credentials?.password)
    let asksFirst = proxy?.authentication == .digest && proxy?.kind.speaksHTTP == true
    set(CCURLOPT_PROXYAUTH, to: Int(asksFirst ? CCURLAUTH_DIGEST : CCURLAUTH_BASIC))
    // Without a tunnel, libcurl would send an http request again after the proxy's challenge.
    set(CCURLOPT_HTTPPROXYTUNNEL, to: asksFirst)
  }
}

extension CurlConnections {
  func detour(for request: TransportRequest) async throws -> CurlDetour? {
    guard let parts = URLParts(absolute: request.request.location.text),
      let route = routes[String(parts.host)]
    else { return nil }
    switch route.form {
    case .unixSocket(let path): return .unixSocket(path: path)
    case .destination(let host, let port): return CurlDetour(host: host, port: port)
    case .addresses(let addresses):
      return try Self.isName(parts.host) ? Self.detour(to: addresses, for: parts) : nil
    case .lookup(let lookup):
      guard try Self.isName(parts.host) else { return nil }
      let host = parts.host.lowercased()
      return Self.detour(to: try await lookups.addresses(of: host, by: lookup, for: request), for: parts)
    }
  }

  private static func detour(to addresses: [String], for parts: URLParts) -> CurlDetour {
    let standard = parts.scheme.lowercased() == "https" ? 443 : 80
    return CurlDetour(addresses, for: parts.host, port: parts.port.flatMap { Int($0) } ?? standard)
  }

  /// Returns true for a host name, and false for an IP address.
  ///
  /// Throws for a name that libcurl may change before the lookup, such as a name outside ASCII.
  private static func isName(_ host: Substring) throws -> Bool {
    if IPAddress(NumericHost.standard(host.lowercased())) != nil { return false }
    guard HostPattern.isPattern(String(host)), host.utf8.allSatisfy({ $0 < 0x80 }), host.last != "." else {
      throw TransportError(
        .unsupported,
        "ConnectionSettings.routes cannot give addresses to the host \(host): write the host in ASCII")
    }
    return true
  }

  var oldestTLS: Int {
    Int(tls.minimumVersion == .tls13 ? CCURL_SSLVERSION_TLSv1_3 : CCURL_SSLVERSION_TLSv1_2)
  }
}
#endif
