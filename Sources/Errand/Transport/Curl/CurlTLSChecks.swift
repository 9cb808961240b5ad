#if os(Linux)
import CCurl

/// Checks of a transfer's TLS session beyond those of libcurl.
///
/// Each check asks OpenSSL, GnuTLS or wolfSSL through the handle. With a different TLS library, the checks of
/// HTTP/2 and close_notify pass, and the check for unread bytes forbids reuse.
struct CurlTLSChecks {
  /// True after TLS was found to have negotiated HTTP/2 (ALPN, RFC 7301).
  private(set) var hasAgreed = false
  /// True if the server ended TLS with close_notify; `nil` if the body does not end with the connection.
  private(set) var hasCloseNotify: Bool?

  /// Refuses a status line that claims HTTP/2 without ALPN agreement.
  ///
  /// Otherwise the connection would count as shared, and the checks of HTTP/1.1 would be skipped.
  mutating func confirmHTTP2(on handle: CurlHandle) throws {
    guard handle.isSecure, ccurl_tls_agreed_on_http2(handle.easy) != CCURL_TLS_NO else {
      throw TransportError(
        .invalidResponse, "the response claims to be HTTP/2, but the connection did not negotiate HTTP/2")
    }
    hasAgreed = true
  }

  /// Prepares the check for close_notify, for a body that ends with the connection.
  ///
  /// libcurl itself accepts any end of the connection as the end of such a body. The check runs at each
  /// progress report, because the last report comes just before libcurl releases the connection.
  mutating func expectGoodbye(on handle: CurlHandle) {
    hasCloseNotify = false
    handle.mark()
    handle.set(CCURLOPT_NOPROGRESS, to: false)
  }

  mutating func noteGoodbye(on handle: CurlHandle) {
    // With GnuTLS, libcurl itself reports a missing close_notify. With a TLS library that cannot be asked, a
    // missing close_notify may go unnoticed.
    if hasCloseNotify == false { hasCloseNotify = ccurl_tls_has_goodbye(handle.easy) != CCURL_TLS_NO }
  }

  /// Closes the connection after the transfer, unless the TLS library reports that no bytes follow the body.
  ///
  /// libcurl reads no further than the body. Remaining bytes of the last TLS record are in the TLS library,
  /// not in the socket, so a later check of the socket would miss them.
  static func forbidReuseIfUnread(of handle: CurlHandle) {
    guard ccurl_tls_has_unread(handle.easy) != CCURL_TLS_NO else { return }
    handle.mark()
    handle.set(CCURLOPT_FORBID_REUSE, to: true)
  }
}
#endif
