#if os(Linux)
import CCurl
import Foundation

struct CurlRoute {
  var proxy: Proxy?
  var tls: TransportSummary.Metrics.TLSDetails?
  var isPublicOnly = false
  private(set) var hasSocket = false
  private var tunnel = CurlTunnel()
  private var detour: CurlDetour?
  /// The detour as an option of libcurl.
  ///
  /// libcurl uses the memory of the option until the transfer ends.
  private var detourLine: CurlLine?
  /// True if an HTTP proxy opens a tunnel for an http URL too.
  private(set) var opensTunnel = false
  private var refusedAddress: String?

  mutating func choose(for exchange: CurlExchange, from connections: CurlConnections, handle: CurlHandle) {
    let url = exchange.request.request.location
    isPublicOnly = exchange.request.refusesPrivateAddresses
    if let detour = exchange.detour { take(detour, handle: handle) }
    if !connections.proxies.isEmpty {
      if detour?.isUnixSocket != true, case .proxy(let proxy) = connections.proxies.entry(for: url.url) {
        self.proxy = proxy
      }
      handle.setProxy(proxy)
      if let proxy, proxy.kind.speaksHTTP,
        detour?.isDestination == true || connections.httpVersion == .http2 || proxy.authentication == .digest
      {
        opensTunnel = true
        handle.set(CCURLOPT_HTTPPROXYTUNNEL, to: true)
      }
    }
    if handle.isSecure, connections.differByHost, let host = URLParts(absolute: url.text)?.host {
      handle.setTLS(for: String(host), connections)
    }
  }

  private mutating func take(_ detour: CurlDetour, handle: CurlHandle) {
    self.detour = detour
    detourLine = handle.setDetour(detour)
  }

  var clause: String { detour?.clause ?? "" }

  /// Returns the host that libcurl connects to: the proxy's, the destination's, or the URL's.
  func peerHost(for url: WrittenURL) -> String? {
    if let proxy { return proxy.host }
    if case .destination(let host, _, _)? = detour { return host }
    return URLParts(absolute: url.text).map { String($0.host) }
  }

  var unixSocket: String? {
    if case .unixSocket(let path)? = detour { path } else { nil }
  }

  mutating func mayConnect(to address: SocketAddress, isSecure: Bool) -> Bool {
    guard !isPublicOnly || isPublic(address.text) else { return false }
    hasSocket = true
    // For an older libcurl, the option `CURLOPT_SUPPRESS_CONNECT_HEADERS` drops the proxy's lines.
    if CurlLibrary.asksBeforeSending, let proxy, proxy.kind.speaksHTTP, isSecure || opensTunnel {
      tunnel.willOpen()
    }
    return true
  }

  /// Returns false if the peer must not get the request.
  ///
  /// A reused connection may have been opened without the restriction to public addresses.
  mutating func maySend(to peer: @autoclosure () -> String) -> Bool {
    tunnel.didOpen()
    return !isPublicOnly || isPublic(peer())
  }

  private mutating func isPublic(_ address: String) -> Bool {
    if IPAddress(address)?.isPublic == true { return true }
    refusedAddress = address
    return false
  }

  var isOpening: Bool { tunnel.isOpening }

  /// Takes a header line of the proxy's response.
  ///
  /// Throws for a third 407, because libcurl has no limit for stale nonces.
  mutating func take(_ line: UnsafeRawBufferPointer, limits: TransferLimits) throws {
    try tunnel.take(line, limits: limits)
    if tunnel.challengeCount > 2, let proxyRefusal { throw proxyRefusal }
  }

  func note(in metrics: inout TransportSummary.Metrics) {
    if tls != nil { metrics.tls = tls }
    if let path = unixSocket, metrics.remoteAddress != nil {
      metrics.remoteAddress = "unix:\(path)"
    }
    if let proxy { (metrics.proxy, metrics.proxyResponse) = (proxy.description, answer) }
  }

  func addressRefusal(of peer: String) -> TransportError? {
    refusedAddress.map {
      TransportError(.destination, "\(peer) is at \($0), which is not a public address")
    }
  }

  /// Returns the error for a 407 response; `nil` for a normal response.
  ///
  /// With basic authentication, a 407 through a tunnel comes from the server, and is a normal response.
  func refusal(by head: HTTPResponse, isSecure: Bool) -> TransportError? {
    guard head.status == 407, let proxy, proxy.kind.speaksHTTP else { return nil }
    switch proxy.authentication {
    case .basic: return isSecure || opensTunnel ? nil : refusal(head, of: proxy)
    // The 407 comes through the tunnel, so libcurl could answer the server with the proxy's credentials.
    case .digest:
      return TransportError(.invalidResponse, "the server answered 407, a status that only a proxy may send")
    }
  }

  var failedAnswer: HTTPResponse? { answer.flatMap { $0.status.isSuccess ? nil : $0 } }

  private var answer: HTTPResponse? { tunnel.response.map(hiding) }

  /// Hides the password and the Base64 credentials in the printed response, because the proxy may echo them.
  private func hiding(_ answer: HTTPResponse) -> HTTPResponse {
    guard let credentials = proxy?.credentials else { return answer }
    var answer = answer
    answer.link.dispatched = ProxySecrets(credentials)
    return answer
  }

  var proxyRefusal: TransportError? {
    guard let answer, answer.status == 407, let proxy else { return nil }
    return refusal(answer, of: proxy)
  }

  private func refusal(_ answer: HTTPResponse, of proxy: Proxy) -> TransportError {
    let what = proxy.credentials == nil ? "asks for credentials" : "refuses the credentials"
    var error = TransportError(.authentication, "the proxy \(proxy) \(what) (407)")
    (error.proxyResponse, error.advice) = (hiding(answer), .proxy)
    return error
  }
}

private final class ProxySecrets: Redacting {
  let redaction: Redaction
  let endpoint: String? = nil

  init(_ credentials: BasicCredentials) {
    redaction = .standard.hiding(secrets: [
      Secret(credentials.password), Secret(String(credentials.headerValue.dropFirst("Basic ".count))),
    ])
  }
}
#endif
