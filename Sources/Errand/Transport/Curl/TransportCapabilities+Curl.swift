#if os(Linux)
import CCurl

extension TransportCapabilities {
  static let curl = TransportCapabilities(
    libraries: .system, libcurl: CurlLibrary.system.info?.pointee)

  init(libraries: DecoderLibraries, libcurl: ccurl_version_info_data?) {
    self.init(contentCodings: libraries.codings.map(\.rawValue))
    checksAddresses = true
    guard let libcurl else { return }
    sendsTrailers = true
    httpVersions = CurlLibrary.speaksHTTP2(libcurl) ? ["HTTP/1.1", "HTTP/2"] : ["HTTP/1.1"]
    countsResends = libcurl.version_num >= 0x07_50_00
    let names = [
      ("libcurl/", libcurl.version), ("", libcurl.ssl_version), ("nghttp2/", libcurl.nghttp2_version),
    ]
    implementation = names.compactMap { name, version in version.map { name + String(cString: $0) } }
      .joined(separator: " ")
  }
}

extension CurlConnections {
  var capabilities: TransportCapabilities {
    guard httpVersion != .automatic else { return .curl }
    var capabilities = TransportCapabilities.curl
    capabilities.httpVersions = [httpVersion == .http1 ? "HTTP/1.1" : "HTTP/2"]
    if httpVersion == .http2 { capabilities.sendsTrailers = false }
    return capabilities
  }
}
#endif
