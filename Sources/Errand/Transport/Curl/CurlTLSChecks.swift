#if os(Linux)
import CCurl

/// Checks of a transfer's TLS session that libcurl does not make.
///
/// The checks support OpenSSL, GnuTLS and wolfSSL. With another TLS library, the checks of HTTP/2 and
/// close_notify pass, and the check for unread bytes forbids reuse.
struct CurlTLSChecks {
  private(set) var hasAgreed = false
  /// False until the check for close_notify has passed; `nil`: no check is needed.
  private(set) var hasCloseNotify: Bool?

  /// Refuses a status line of HTTP/2, unless ALPN (RFC 7301) negotiated HTTP/2.
  ///
  /// Otherwise, a server could claim HTTP/2 on a connection with HTTP/1.1 to evade the checks of HTTP/1.1.
  mutating func confirmHTTP2(on handle: CurlHandle) throws {
    guard handle.isSecure, ccurl_tls_agreed_on_http2(handle.easy) != CCURL_TLS_NO else {
      throw TransportError(
        .invalidResponse, "the response claims to be HTTP/2, but the connection did not negotiate HTTP/2")
    }
    hasAgreed = true
  }

  /// Prepares the check for close_notify, for a body that ends with the connection.
  ///
  /// libcurl accepts the end of the connection as the end of such a body. The check runs at each progress
  /// report, and for the last time just before libcurl releases the connection.
  mutating func expectGoodbye(on handle: CurlHandle) {
    hasCloseNotify = false
    handle.mark()
    handle.set(CCURLOPT_NOPROGRESS, to: false)
  }

  mutating func noteGoodbye(on handle: CurlHandle) {
    // With GnuTLS, libcurl itself reports a missing close_notify.
    if hasCloseNotify == false { hasCloseNotify = ccurl_tls_has_goodbye(handle.easy) != CCURL_TLS_NO }
  }

  /// Forbids reuse of the connection if bytes may follow the body.
  ///
  /// The TLS library may hold such bytes, and a check of the socket would not find the bytes.
  static func forbidReuseIfUnread(of handle: CurlHandle) {
    guard ccurl_tls_has_unread(handle.easy) != CCURL_TLS_NO else { return }
    handle.mark()
    handle.set(CCURLOPT_FORBID_REUSE, to: true)
  }
}
#endif
