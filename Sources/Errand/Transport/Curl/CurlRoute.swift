#if os(Linux)
import Foundation

/// The route of a transfer to its server: proxy, TLS and allowed addresses, with the observations made on
/// the route.
struct CurlRoute {
  /// The proxy for the request; `nil` for a direct connection.
  var proxy: Proxy?
  /// The TLS parameters negotiated for the connection.
  var tls: TransportSummary.Metrics.TLSDetails?
  /// True if only connections to public addresses are allowed.
  var isPublicOnly = false
  /// True after libcurl was allowed to open a socket for the transfer.
  private(set) var hasSocket = false
  private var tunnel = CurlTunnel()
  /// The address that was rejected because the address is not public.
  private var refusedAddress: String?

  /// Chooses the proxy for a URL, and sets the proxy and TLS options that differ by host.
  mutating func choose(
    for url: URL, isPublicOnly: Bool, from connections: CurlConnections, handle: CurlHandle
  ) {
    self.isPublicOnly = isPublicOnly
    if !connections.proxies.isEmpty {
      if case .proxy(let proxy) = connections.proxies.entry(for: url) { self.proxy = proxy }
      handle.setProxy(proxy)
    }
    if handle.isSecure, connections.differByHost, let host = URLParts(absolute: url.absoluteString)?.host {
      handle.setTLS(for: String(host), connections)
    }
  }

  /// Returns true and records the connection, if a connection to the address is allowed.
  mutating func mayConnect(to address: SocketAddress, isSecure: Bool) -> Bool {
    guard !isPublicOnly || isPublic(address.text) else { return false }
    hasSocket = true
    if let proxy, proxy.kind.speaksHTTP, isSecure || proxy.authentication == .digest { tunnel.willOpen() }
    return true
  }

  /// Returns true if the request may be sent over a connection to the peer.
  ///
  /// A transfer without the restriction to public addresses may have opened the connection.
  mutating func maySend(to peer: @autoclosure () -> String) -> Bool {
    tunnel.didOpen()
    return !isPublicOnly || isPublic(peer())
  }

  private mutating func isPublic(_ address: String) -> Bool {
    if IPAddress(address)?.isPublic == true { return true }
    refusedAddress = address
    return false
  }

  /// True if the incoming header lines belong to the proxy.
  var isOpening: Bool { tunnel.isOpening }

  /// Processes a line of the proxy's response.
  ///
  /// Throws for an invalid line, and if the proxy has asked for credentials more than twice.
  mutating func take(_ line: UnsafeRawBufferPointer, limits: TransferLimits) throws {
    try tunnel.take(line, limits: limits)
    if tunnel.challengeCount > 2, let proxyRefusal { throw proxyRefusal }
  }

  /// Records the TLS details and the proxy in the metrics.
  func note(in metrics: inout TransportSummary.Metrics) {
    if tls != nil { metrics.tls = tls }
    if let proxy { (metrics.proxy, metrics.proxyResponse) = (proxy.description, answer) }
  }

  /// Returns the error for a transfer to `peer` that was about to use a non-public address; `nil` without
  /// one.
  func addressRefusal(of peer: String) -> TransportError? {
    refusedAddress.map {
      TransportError(.destination, "\(peer) is at \($0), which is not a public address")
    }
  }

  /// Returns the error for a response head with status 407 from a request through an HTTP proxy; otherwise
  /// `nil`.
  ///
  /// With basic authentication, the proxy itself forwards plain HTTP requests, so the proxy sent the head.
  /// The 407 of an HTTPS server is no error with basic authentication.
  func refusal(by head: HTTPResponse, isSecure: Bool) -> TransportError? {
    guard head.status == 407, let proxy, proxy.kind.speaksHTTP else { return nil }
    switch proxy.authentication {
    case .basic: return isSecure ? nil : refusal(head, of: proxy)
    // The 407 came through a tunnel. libcurl attributes the status to the proxy, and would answer
    // each challenge with the credentials of the proxy.
    case .digest:
      return TransportError(.invalidResponse, "the server answered 407, a status that only a proxy may send")
    }
  }

  /// The proxy's response that refused a tunnel.
  var failedAnswer: HTTPResponse? { answer.flatMap { $0.status.isSuccess ? nil : $0 } }

  private var answer: HTTPResponse? { tunnel.response.map(hiding) }

  /// Returns a proxy response that hides the proxy credentials when printed, because the proxy may echo them.
  private func hiding(_ answer: HTTPResponse) -> HTTPResponse {
    guard let credentials = proxy?.credentials else { return answer }
    var answer = answer
    answer.link.dispatched = ProxySecrets(credentials)
    return answer
  }

  /// The error for a transfer whose proxy refuses the credentials or asks for credentials.
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

/// Redacts the proxy credentials.
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
