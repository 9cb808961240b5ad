#if os(Linux)
import CCurl
import Foundation

extension CurlTransfer {
  func configure() -> CCURLcode {
    let request = exchange.request.request
    handle.transfer = self
    handle.prepare(for: driver)
    handle.setURL(request.location.text)
    let isPublicOnly = exchange.request.refusesPrivateAddresses
    let isFresh =
      exchange.request.wantsFreshConnection || exchange.request.limits.opensConnection
      || !CurlLibrary.asksBeforeSending && (isPublicOnly || !request.mayBeSentTwice)
    handle.set(CCURLOPT_FRESH_CONNECT, to: isFresh)
    route.choose(for: exchange, from: driver.loop.connections, handle: handle)
    if handle.isSecure || route.opensTunnel, request.headers.contains("Proxy-Authorization") {
      handle.mark()
      failure = TransportError(
        .invalidRequest,
        "the header Proxy-Authorization would be sent to the server: set the credentials in the Proxy")
      return CCURLE_BAD_FUNCTION_ARGUMENT
    }
    if handle.isSecure { driver.share(handle, with: peer) }
    handle.setReceiveBuffer(isBulk: exchange.request.isBulk)
    if exchange.request.limits.hasRates { setRates(of: exchange.request.limits) }
    if handle.isUsed, !CurlLibrary.forgetsHeaders {
      headGuard = CurlHeadGuard()
      handle.set(CCURLOPT_HEADER, to: true)
    }
    handle.setMethod(request.method, hasBody: !exchange.upload.isEmpty)
    if !exchange.upload.isEmpty {
      body = CurlTransferBody(exchange)
      body.configure(handle, counts: exchange.request.counter != nil)
      // libcurl expects a response body for a request with a body, even for `HEAD`.
      endsWithHead = request.method == .head
      expectsContinue =
        request.headers.contains("Expect") || exchange.request.limits.expectsContinue(exchange.upload)
    }
    setHeaders(request.headers)
    return handle.refusal
  }

  private func setRates(of limits: TransferLimits) {
    handle.mark()
    isThrottled = true
    if let rate = limits.maximumSendRate {
      handle.set(CCURLOPT_MAX_SEND_SPEED_LARGE, offset: Int64(max(rate, 1)))
    }
    guard let rate = limits.maximumReceiveRate else { return }
    handle.set(CCURLOPT_MAX_RECV_SPEED_LARGE, offset: Int64(max(rate, 1)))
    handle.shrinkReceiveBuffer(to: rate / 4)
  }

  private func setHeaders(_ headers: HTTPHeaders) {
    let list: CurlHeaderList
    if case .none = exchange.upload {
      list = driver.headerList(of: headers)
    } else {
      var headers = headers
      if expectsContinue, !headers.contains("Expect") { headers.add("Expect", "100-continue") }
      list = CurlHeaderList(headers, upload: exchange.upload, expectsContinue: expectsContinue)
    }
    handle.set(CCURLOPT_HTTPHEADER, to: list.first)
    headerList = list
  }
}

extension TransferLimits {
  fileprivate func expectsContinue(_ upload: TransferUpload) -> Bool {
    guard let size = expectContinueSize else { return false }
    return upload.length ?? .max >= Int64(size)
  }
}

extension HTTPRequest {
  fileprivate var mayBeSentTwice: Bool { method.isIdempotent && trailers.isEmpty }
}
#endif
