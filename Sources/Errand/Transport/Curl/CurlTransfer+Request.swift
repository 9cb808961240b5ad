#if os(Linux)
import CCurl
import Foundation

extension CurlTransfer {
  func configure() -> CCURLcode {
    let request = exchange.request.request
    handle.transfer = self
    if handle.isSecure, request.headers.contains("Proxy-Authorization") {
      failure = TransportError(
        .invalidRequest,
        "the header Proxy-Authorization would be sent to the server: set the credentials in the Proxy")
      return CCURLE_BAD_FUNCTION_ARGUMENT
    }
    handle.prepare(for: driver)
    handle.setURL(request.location.text)
    let isPublicOnly = exchange.request.refusesPrivateAddresses
    let isFresh =
      exchange.request.wantsFreshConnection
      || !CurlLibrary.asksBeforeSending && (isPublicOnly || !request.mayBeSentTwice)
    handle.set(CCURLOPT_FRESH_CONNECT, to: isFresh)
    route.choose(
      for: request.location, isPublicOnly: isPublicOnly, from: driver.loop.connections, handle: handle)
    if handle.isSecure { driver.share(handle, with: peer) }
    handle.setReceiveBuffer(isBulk: exchange.request.isBulk)
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
      expectsContinue = request.headers.contains("Expect")
    }
    setHeaders(request.headers)
    return handle.refusal
  }

  private func setHeaders(_ headers: HTTPHeaders) {
    let list: CurlHeaderList
    if case .none = exchange.upload {
      list = driver.headerList(of: headers)
    } else {
      list = CurlHeaderList(headers, upload: exchange.upload, expectsContinue: expectsContinue)
    }
    handle.set(CCURLOPT_HTTPHEADER, to: list.first)
    headerList = list
  }
}

extension HTTPRequest {
  /// True if a libcurl that does not ask before sending may repeat the request.
  fileprivate var mayBeSentTwice: Bool { method.isIdempotent && trailers.isEmpty }
}
#endif
