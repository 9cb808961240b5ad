#if os(Linux)
import CCurl

/// Checks of a transfer's TLS session beyond those of libcurl.
///
/// Each check asks OpenSSL, GnuTLS or wolfSSL through the handle. With another TLS library the checks pass.
struct CurlTLSChecks {
  /// True after TLS was found to have negotiated HTTP/2 (ALPN, RFC 7301).
  private(set) var hasAgreed = false
  /// True if the server ended TLS with close_notify; `nil` if the end of the body does not depend on close_notify.
  private(set) var hasGoodbye: Bool?

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

  /// Lets libcurl report progress, because the progress report is libcurl's last step before it releases a connection.
  ///
  /// libcurl takes any end of the connection for the end of a body without a length.
  mutating func expectGoodbye(on handle: CurlHandle) {
    hasGoodbye = false
    handle.mark()
    handle.set(CCURLOPT_NOPROGRESS, to: false)
  }

  mutating func noteGoodbye(on handle: CurlHandle) {
    // If the TLS library cannot report close_notify, libcurl reports a missing close_notify, or the loss
    // goes unnoticed.
    if hasGoodbye == false { hasGoodbye = ccurl_tls_has_goodbye(handle.easy) != CCURL_TLS_NO }
  }

  /// Closes the connection after the transfer if the last TLS record of the body contains more bytes.
  ///
  /// libcurl reads no further than the body. The socket does not contain the remaining bytes, so a later
  /// check of the socket would miss them.
  static func forbidReuseIfUnread(of handle: CurlHandle) {
    guard ccurl_tls_has_unread(handle.easy) != CCURL_TLS_NO else { return }
    handle.mark()
    handle.set(CCURLOPT_FORBID_REUSE, to: true)
  }
}
#endif
