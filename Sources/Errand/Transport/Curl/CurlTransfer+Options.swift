#if os(Linux)
import CCurl
import Foundation

extension CurlTransfer {
  /// Tells libcurl what to send and how; the first refusal, or `CURLE_OK`.
  func configure() -> CCURLcode {
    let request = exchange.request.request
    handle.transfer = self
    if handle.isSecure, request.headers.contains("Proxy-Authorization") {
      failure = TransportError(
        .invalidRequest,
        "a header Proxy-Authorization would go to the server: the credentials of a proxy belong to the Proxy")
      return CCURLE_BAD_FUNCTION_ARGUMENT
    }
    handle.prepare(for: driver)
    handle.set(CCURLOPT_URL, to: request.url.absoluteString)
    let wantsFresh = exchange.request.wantsFreshConnection
    handle.set(
      CCURLOPT_FRESH_CONNECT, to: wantsFresh || !CurlLibrary.tellsSendings && mayReuseNothing(request))
    setWay(to: request.url)
    if handle.isSecure { driver.sharing.configure(handle, for: peer) }
    if handle.isSecure, !driver.renewed.isEmpty, driver.renewed.contains(peer) {
      handle.mark()
      handle.set(
        CCURLOPT_SSLVERSION, to: driver.loop.connections.oldestTLS | Int(CCURL_SSLVERSION_MAX_DEFAULT))
    }
    if exchange.request.isBulk {
      handle.mark()
      handle.set(CCURLOPT_BUFFERSIZE, to: Self.bulkBufferSize)
    }
    if handle.isUsed, !CurlLibrary.forgetsHeaders {
      headGuard = CurlHeadGuard()
      handle.set(CCURLOPT_HEADER, to: true)
    }
    setMethod(request.method)
    setHeaders(request.headers)
    return handle.refusal
  }

  /// Of a libcurl that does not ask before it sends.
  private func mayReuseNothing(_ request: HTTPRequest) -> Bool {
    !request.method.isIdempotent || !request.trailers.isEmpty || exchange.request.refusesPrivateAddresses
  }

  /// What is between, and what TLS has to be for this host.
  private func setWay(to url: URL) {
    let connections = driver.loop.connections
    way.isPublicOnly = exchange.request.refusesPrivateAddresses
    if !connections.proxies.isEmpty {
      if case .proxy(let proxy) = connections.proxies.entry(for: url) { way.proxy = proxy }
      handle.setProxy(way.proxy)
    }
    if handle.isSecure, connections.differByHost, let host = URLParts(absolute: url.absoluteString)?.host {
      handle.setTLS(for: String(host), connections)
    }
  }

  /// Of what is read at once: six times what libcurl takes by default, for which thousands in flight have no memory.
  private static let bulkBufferSize = 102_400

  private func setMethod(_ method: HTTPMethod) {
    let isHead = method == .head
    guard method != .get || !exchange.upload.isEmpty else { return }
    handle.mark()
    handle.set(CCURLOPT_CUSTOMREQUEST, to: method.token)
    if exchange.upload.isEmpty { return handle.set(isHead ? CCURLOPT_NOBODY : CCURLOPT_HTTPGET, to: true) }
    handle.set(CCURLOPT_UPLOAD, to: true)
    handle.set(CCURLOPT_INFILESIZE_LARGE, offset: exchange.upload.length ?? -1)
    body = CurlTransferBody(exchange)
    if exchange.upload.trailed != nil { CurlTrailers.configure(handle) }
    // A short one leaves at once; libcurl calls often, and the handle has to forget it afterwards. Of one without a length it counts
    // the framing too.
    if exchange.request.counter != nil, let length = exchange.upload.length, length > 65_536 {
      countsSent = true
      handle.set(CCURLOPT_NOPROGRESS, to: false)
    }
    // libcurl cannot both send a body and expect none, so such a response is over with its head.
    endsWithHead = isHead
  }

  private func setHeaders(_ headers: HTTPHeaders) {
    var headers = headers
    if case .zeroLength = exchange.upload { headers.add("Content-Length", "0") }
    expectsContinue = !exchange.upload.isEmpty && headers.contains("Expect")
    // What libcurl adds by itself: an array that is a constant costs no memory.
    let omitted: [String] =
      switch (headers.contains("Accept"), exchange.upload.isEmpty || expectsContinue) {
      case (true, true): []
      case (false, true): ["Accept"]
      case (true, false): ["Expect"]
      case (false, false): ["Accept", "Expect"]
      }
    let list = CurlHeaderList(headers, omitting: omitted)
    handle.set(CCURLOPT_HTTPHEADER, to: list.first)
    headerList = list
  }
}
#endif
