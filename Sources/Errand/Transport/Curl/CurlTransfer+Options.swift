#if os(Linux)
import CCurl
import Foundation

extension CurlTransfer {
  /// Tells libcurl what to send and how; the first refusal, or `CURLE_OK`.
  func configure() -> CURLcode {
    let request = exchange.request.request
    handle.set(CURLOPT_URL, request.url.absoluteString)
    setRules()
    setMethod(request.method)
    setHeaders(request.headers)
    setCallbacks()
    setResending(request.method)
    return handle.refusal
  }

  private func setRules() {
    handle.note(ccurl_allow_only_http(handle.easy))
    handle.set(CURLOPT_NOSIGNAL, true)
    handle.set(CURLOPT_PATH_AS_IS, true)
    handle.set(CURLOPT_HTTP09_ALLOWED, false)
    handle.set(CURLOPT_FOLLOWLOCATION, false)
    handle.set(CURLOPT_DISALLOW_USERNAME_IN_URL, true)
    handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
    if let file = driver.loop.certificateAuthorities {
      handle.set(CURLOPT_CAINFO, file)
      handle.note(ccurl_set_string(handle.easy, CURLOPT_CAPATH, nil))
    }
    // The loop has timers of its own; libcurl's for connecting can only be made very long.
    handle.set(CURLOPT_CONNECTTIMEOUT, 2_000_000)
  }

  private func setMethod(_ method: HTTPMethod) {
    let isHead = method == .head
    if exchange.upload.isEmpty {
      if isHead { handle.set(CURLOPT_NOBODY, true) } else { handle.set(CURLOPT_HTTPGET, true) }
    } else {
      handle.set(CURLOPT_UPLOAD, true)
      handle.set(CURLOPT_INFILESIZE_LARGE, offset: exchange.upload.length ?? -1)
      body = CurlTransferBody(exchange)
      // libcurl cannot both send a body and expect none, so such a response is over with its head.
      endsWithHead = isHead
    }
    handle.set(CURLOPT_CUSTOMREQUEST, method.token)
  }

  /// `Name;` is libcurl's way to send an empty value, and `Name:` its way to leave its own header out.
  private func setHeaders(_ headers: HTTPHeaders) {
    for field in headers.fields {
      let isEmpty = field.value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
      append(isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
    }
    if !headers.contains("Accept") { append("Accept:") }
    if case .zeroLength = exchange.upload { append("Content-Length: 0") }
    if !exchange.upload.isEmpty, !headers.contains("Expect") { append("Expect:") }
    handle.set(CURLOPT_HTTPHEADER, headerList)
  }

  private func append(_ line: String) {
    guard let list = curl_slist_append(headerList, line) else {
      return handle.note(CURLE_OUT_OF_MEMORY)
    }
    headerList = list
  }

  private func setCallbacks() {
    let context = Unmanaged.passUnretained(self).toOpaque()
    handle.set(CURLOPT_PRIVATE, context)
    handle.set(CURLOPT_HEADERDATA, context)
    handle.set(CURLOPT_HEADERFUNCTION, CurlCallbacks.header)
    handle.set(CURLOPT_WRITEDATA, context)
    handle.set(CURLOPT_WRITEFUNCTION, CurlCallbacks.write)
    handle.note(ccurl_set_open_callback(handle.easy, CurlCallbacks.open, context))
    let driver = Unmanaged.passUnretained(driver).toOpaque()
    handle.note(ccurl_set_close_callback(handle.easy, CurlCallbacks.close, driver))
    guard !exchange.upload.isEmpty else { return }
    handle.set(CURLOPT_READDATA, context)
    handle.set(CURLOPT_READFUNCTION, CurlCallbacks.read)
    handle.note(ccurl_set_seek_callback(handle.easy, CurlCallbacks.seek, context))
  }

  /// Makes libcurl ask before it sends the request, because it sends one again when a reused connection died under it.
  ///
  /// Where it cannot be made to ask (before 7.80), a request that is not idempotent gets a connection of its own.
  private func setResending(_ method: HTTPMethod) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    let code = ccurl_set_prereq_callback(handle.easy, CurlCallbacks.willSend, context)
    if code != CURLE_OK, !method.isIdempotent { handle.set(CURLOPT_FRESH_CONNECT, true) }
  }
}
#endif
