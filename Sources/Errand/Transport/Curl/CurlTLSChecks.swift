#if os(Linux)
import CCurl

/// Checks of a TLS session that libcurl usually does not make.
///
/// The checks work with OpenSSL and wolfSSL, and partly with GnuTLS. With another TLS library, the session is
/// not checked.
struct CurlTLSChecks {
  private(set) var hasAgreed = false
  /// True once the check for close_notify has passed; `nil` if no check is needed.
  private(set) var hasCloseNotify: Bool?

  /// Throws if the connection did not negotiate HTTP/2.
  ///
  /// A server could claim HTTP/2 in a status line, to evade the checks of HTTP/1.1.
  mutating func confirmHTTP2(on handle: CurlHandle) throws {
    guard handle.mayMultiplex, ccurl_tls_agreed_on_http2(handle.easy) != CCURL_TLS_NO else {
      throw TransportError(
        .invalidResponse, "the response claims to be HTTP/2, but the connection did not negotiate HTTP/2")
    }
    hasAgreed = true
  }

  /// Requires a close_notify at the end of the response.
  ///
  /// libcurl may accept a body without a length even if close_notify is missing.
  mutating func expectGoodbye(on handle: CurlHandle) {
    hasCloseNotify = false
    handle.mark()
    handle.set(CCURLOPT_NOPROGRESS, to: false)
  }

  mutating func noteGoodbye(on handle: CurlHandle) {
    // With GnuTLS, libcurl itself reports a missing close_notify.
    if hasCloseNotify == false { hasCloseNotify = ccurl_tls_has_goodbye(handle.easy) != CCURL_TLS_NO }
  }

  static func forbidReuseIfUnread(of handle: CurlHandle) {
    guard ccurl_tls_has_unread(handle.easy) != CCURL_TLS_NO else { return }
    handle.mark()
    handle.set(CCURLOPT_FORBID_REUSE, to: true)
  }
}
#endif
