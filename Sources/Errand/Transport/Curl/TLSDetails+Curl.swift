#if os(Linux)
import CCurl
import Foundation

extension TransportSummary.Metrics.TLSDetails {
  init?(_ handle: CurlHandle) {
    var facts = ccurl_tls_facts()
    guard ccurl_tls_describe(handle.easy, &facts), let version = facts.version else { return nil }
    // The text is like `TLSv1.3` with OpenSSL, and like `TLS1.3` with GnuTLS.
    let number = String(cString: version).drop { !$0.isNumber }
    self.init(
      version: "TLS \(number)", cipherSuite: facts.cipher.map { String(cString: $0) },
      applicationProtocol: facts.alpn.flatMap {
        facts.alpn_length > 0
          ? String(decoding: UnsafeRawBufferPointer(start: $0, count: facts.alpn_length), as: UTF8.self) : nil
      })
    withUnsafeMutablePointer(to: &certificates) { list in
      ccurl_tls_certificates(
        handle.easy,
        { list, bytes, count in
          guard let list, let bytes else { return }
          list.assumingMemoryBound(to: [Data].self).pointee.append(Data(bytes: bytes, count: count))
        }, list)
    }
  }
}
#endif
