#if os(Linux)
import Foundation

/// What is between a transfer and its server, and what was seen of it.
struct CurlWay {
  /// What carries the request; `nil` for nothing between.
  var proxy: Proxy?
  /// What TLS agreed on for the connection.
  var tls: TransportSummary.Metrics.TLSDetails?
  /// Whether only public addresses may be connected to.
  var isPublicOnly = false
  /// True after a socket was to be opened for it.
  private(set) var hasSocket = false
  private var tunnel = CurlTunnel()
  /// An address that was about to be connected to, and may not be.
  private var refusedAddress: String?

  /// Chooses the proxy for a URL, and sets the options of proxy and TLS that differ by host.
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

  /// Whether a connection may be made; notes that it is, if so.
  mutating func mayConnect(to address: SocketAddress, isSecure: Bool) -> Bool {
    guard !isPublicOnly || isPublic(address.text) else { return false }
    hasSocket = true
    if let proxy, proxy.kind.speaksHTTP, isSecure || proxy.authentication == .digest { tunnel.willOpen() }
    return true
  }

  /// Whether a connection that stands may be used: others may have made it.
  mutating func maySend(to peer: @autoclosure () -> String) -> Bool {
    tunnel.didOpen()
    return !isPublicOnly || isPublic(peer())
  }

  private mutating func isPublic(_ address: String) -> Bool {
    if IPAddress(address)?.isPublic == true { return true }
    refusedAddress = address
    return false
  }

  /// Whether the lines that come are the proxy's.
  var isOpening: Bool { tunnel.isOpening }

  /// Takes a line of the proxy's; throws where it has asked for credentials too often.
  mutating func take(_ line: UnsafeRawBufferPointer, limits: TransferLimits) throws {
    try tunnel.take(line, limits: limits)
    if tunnel.askings > 2, let proxyRefusal { throw proxyRefusal }
  }

  /// Tells of the connection in the measurements.
  func note(in metrics: inout TransportSummary.Metrics) {
    if tls != nil { metrics.tls = tls }
    if let proxy { metrics.proxy = TransportSummary.Metrics.ProxyUse(proxy.description, response: answer) }
  }

  /// Of a transfer to `peer` that was about to connect to an address that is no public one.
  func addressRefusal(of peer: String) -> TransportError? {
    refusedAddress.map {
      TransportError(.destination, "\(peer) is at \($0), which is not a public address")
    }
  }

  /// Of a head that asks for credentials, which is the proxy's where it forwards the request.
  func refusal(by head: HTTPResponse, isSecure: Bool) -> TransportError? {
    guard head.status == 407, let proxy, proxy.kind.speaksHTTP else { return nil }
    switch proxy.authentication {
    case .basic: return isSecure ? nil : refusal(head, of: proxy)
    // It came through a tunnel. libcurl takes it for the proxy's, and would answer as often as it is asked.
    case .digest: return TransportError(.invalidResponse, "the server answered 407, which only a proxy may")
    }
  }

  /// What the proxy answered that made no tunnel.
  var failedAnswer: HTTPResponse? { answer.flatMap { $0.status.isSuccess ? nil : $0 } }

  private var answer: HTTPResponse? { tunnel.response.map(hiding) }

  /// The answer of a proxy, which may have what it was sent in it: printing it hides that.
  private func hiding(_ answer: HTTPResponse) -> HTTPResponse {
    guard let credentials = proxy?.credentials else { return answer }
    var answer = answer
    answer.link.dispatched = ProxySecrets(credentials)
    return answer
  }

  /// Of a transfer whose proxy wants other credentials.
  var proxyRefusal: TransportError? {
    guard let answer, answer.status == 407, let proxy else { return nil }
    return refusal(answer, of: proxy)
  }

  private func refusal(_ answer: HTTPResponse, of proxy: Proxy) -> TransportError {
    let what = proxy.credentials == nil ? "asks for credentials" : "refuses its credentials"
    var error = TransportError(.authentication, "the proxy \(proxy) \(what) (407)")
    (error.proxyResponse, error.advice) = (hiding(answer), .proxy)
    return error
  }
}

/// Hides what a proxy is sent.
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
