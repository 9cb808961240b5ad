#if os(Linux)
import CCurl

extension TransportSummary.Metrics {
  init(_ handle: CurlHandle) {
    self.init()
    nameLookup = handle.time(CCURLINFO_NAMELOOKUP_TIME_T)
    connect = handle.time(CCURLINFO_CONNECT_TIME_T)
    secureConnect = handle.time(CCURLINFO_APPCONNECT_TIME_T)
    firstByte = handle.time(CCURLINFO_STARTTRANSFER_TIME_T)
    total = handle.time(CCURLINFO_TOTAL_TIME_T)
    bytesSent = Int64(handle.count(CCURLINFO_REQUEST_SIZE)) + handle.size(CCURLINFO_SIZE_UPLOAD_T)
    bytesReceived = Int64(handle.count(CCURLINFO_HEADER_SIZE)) + handle.size(CCURLINFO_SIZE_DOWNLOAD_T)
    remoteAddress = handle.remoteAddress
    isConnectionReused = remoteAddress != nil && handle.count(CCURLINFO_NUM_CONNECTS) == 0
    httpVersion = Self.name(ofVersion: handle.count(CCURLINFO_HTTP_VERSION))
  }

  private static func name(ofVersion number: Int) -> String? {
    switch number {
    case Int(CCURL_HTTP_VERSION_1_0): "HTTP/1.0"
    case Int(CCURL_HTTP_VERSION_1_1): "HTTP/1.1"
    case Int(CCURL_HTTP_VERSION_2_0): "HTTP/2"
    case Int(CCURL_HTTP_VERSION_3): "HTTP/3"
    default: nil
    }
  }
}

extension CurlHandle {
  fileprivate func time(_ info: CCURLINFO) -> Duration { .microseconds(size(info)) }

  fileprivate func size(_ info: CCURLINFO) -> Int64 {
    var value: Int64 = 0
    _ = ccurl_get_offset(easy, info, &value)
    return Int64(value)
  }

  func count(_ info: CCURLINFO) -> Int {
    var value = 0
    _ = ccurl_get_long(easy, info, &value)
    return value
  }

  var remoteAddress: String? {
    var text: UnsafePointer<CChar>?
    guard ccurl_get_string(easy, CCURLINFO_PRIMARY_IP, &text) == CCURLE_OK, let text else { return nil }
    let address = String(cString: text)
    guard !address.isEmpty else { return nil }
    return peerText(address: address, port: count(CCURLINFO_PRIMARY_PORT))
  }
}
#endif
