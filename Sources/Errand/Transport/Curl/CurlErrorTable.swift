#if os(Linux)
import CCurl

/// The meanings of libcurl's error codes.
///
/// `{peer}` stands for the server.
enum CurlErrorTable {
  typealias Entry = (kind: RequestError.Kind, clause: String)

  static func entry(for code: CCURLcode) -> Entry {
    if let entry = entries[code.rawValue] { return entry }
    guard CurlLibrary.system.failure == nil else {
      return (.transport, "the transfer failed in libcurl with code \(code.rawValue)")
    }
    // Some texts of libcurl end with a period.
    let name = String(cString: ccurl_easy_strerror(code)).split(separator: ".").joined(separator: ";")
    return (.transport, "the transfer failed in libcurl: \(name)")
  }

  private static let entries: [UInt32: Entry] = [
    CCURLE_UNSUPPORTED_PROTOCOL.rawValue: (.unsupported, "this libcurl does not speak the scheme of the URL"),
    CCURLE_FAILED_INIT.rawValue: (.transport, "libcurl could not be started"),
    CCURLE_URL_MALFORMAT.rawValue: (.invalidURL, "the URL cannot be sent: libcurl finds it malformed"),
    CCURLE_NOT_BUILT_IN.rawValue: (
      .unsupported, "this libcurl was built without something the request needs"
    ),
    CCURLE_UNKNOWN_OPTION.rawValue: (.unsupported, "this libcurl lacks an option the request needs"),
    CCURLE_SETOPT_OPTION_SYNTAX.rawValue: (.transport, "libcurl refused the value of an option"),
    CCURLE_BAD_FUNCTION_ARGUMENT.rawValue: (.transport, "libcurl refused the value of an option"),
    CCURLE_OUT_OF_MEMORY.rawValue: (.transport, "libcurl has run out of memory"),
    CCURLE_TOO_LARGE.rawValue: (.transport, "a value is too large for libcurl"),

    CCURLE_COULDNT_RESOLVE_PROXY.rawValue: (
      .nameNotResolved, "the host name of the proxy could not be resolved"
    ),
    CCURLE_COULDNT_RESOLVE_HOST.rawValue: (.nameNotResolved, "the host name of {peer} could not be resolved"),
    CCURLE_COULDNT_CONNECT.rawValue: (.connectionFailed, "no connection to {peer} could be made"),
    CCURLE_INTERFACE_FAILED.rawValue: (.connectionFailed, "the network interface could not be used"),
    CCURLE_NO_CONNECTION_AVAILABLE.rawValue: (.connectionFailed, "no connection to {peer} was available"),
    CCURLE_PROXY.rawValue: (.connectionFailed, "the proxy made no connection to {peer}"),
    CCURLE_QUIC_CONNECT_ERROR.rawValue: (.connectionFailed, "no QUIC connection to {peer} could be made"),

    CCURLE_GOT_NOTHING.rawValue: (.connectionLost, "{peer} closed the connection without an answer"),
    CCURLE_SEND_ERROR.rawValue: (
      .connectionLost, "the connection to {peer} broke while the request was sent"
    ),
    CCURLE_RECV_ERROR.rawValue: (
      .connectionLost, "the connection to {peer} broke while the response was received"
    ),
    CCURLE_PARTIAL_FILE.rawValue: (.connectionLost, "the connection to {peer} was closed inside the body"),
    CCURLE_SEND_FAIL_REWIND.rawValue: (
      .connectionLost, "{peer} closed a reused connection, and the body of the request cannot be sent again"
    ),
    CCURLE_HTTP2_STREAM.rawValue: (.connectionLost, "{peer} reset the HTTP/2 stream"),
    CCURLE_OPERATION_TIMEDOUT.rawValue: (.timedOut, "libcurl gave up waiting for {peer}"),

    CCURLE_WEIRD_SERVER_REPLY.rawValue: (.invalidResponse, "{peer} did not answer in HTTP"),
    CCURLE_HTTP2.rawValue: (.invalidResponse, "{peer} broke the framing of HTTP/2"),
    CCURLE_HTTP3.rawValue: (.invalidResponse, "{peer} broke the framing of HTTP/3"),
    CCURLE_FILESIZE_EXCEEDED.rawValue: (.invalidResponse, "the response's Content-Length is too large"),
    CCURLE_BAD_CONTENT_ENCODING.rawValue: (.corruptBody, "the content coding of the body is broken"),

    CCURLE_LOGIN_DENIED.rawValue: (.invalidURL, "the URL contains a user name or a password"),
    CCURLE_READ_ERROR.rawValue: (.encoding, "the body of the request could not be read"),
    CCURLE_WRITE_ERROR.rawValue: (.transport, "the response could not be taken from libcurl"),
    CCURLE_ABORTED_BY_CALLBACK.rawValue: (.transport, "a callback of libcurl stopped the transfer"),
    CCURLE_UNRECOVERABLE_POLL.rawValue: (.transport, "waiting for the network failed permanently"),
  ].merging(secureEntries) { first, _ in first }

  private static let secureEntries: [UInt32: Entry] = [
    CCURLE_SSL_CONNECT_ERROR.rawValue: (.secureConnectionFailed, "the TLS handshake with {peer} failed"),
    CCURLE_PEER_FAILED_VERIFICATION.rawValue: (
      .secureConnectionFailed, "the certificate of {peer} was refused"
    ),
    CCURLE_SSL_ISSUER_ERROR.rawValue: (
      .secureConnectionFailed, "the issuer of the certificate of {peer} was refused"
    ),
    CCURLE_SSL_INVALIDCERTSTATUS.rawValue: (
      .secureConnectionFailed, "the status of the certificate of {peer} was refused"
    ),
    CCURLE_SSL_PINNEDPUBKEYNOTMATCH.rawValue: (
      .secureConnectionFailed, "the public key of {peer} matches no pin"
    ),
    CCURLE_SSL_CERTPROBLEM.rawValue: (.secureConnectionFailed, "the client certificate could not be used"),
    CCURLE_SSL_CLIENTCERT.rawValue: (.secureConnectionFailed, "{peer} asks for a client certificate"),
    CCURLE_SSL_CIPHER.rawValue: (.secureConnectionFailed, "the TLS cipher could not be used"),
    CCURLE_USE_SSL_FAILED.rawValue: (.secureConnectionFailed, "the requested level of TLS is not available"),
    CCURLE_SSL_CACERT_BADFILE.rawValue: (
      .secureConnectionFailed, "the file of trusted certificates could not be read"
    ),
    CCURLE_SSL_CRL_BADFILE.rawValue: (
      .secureConnectionFailed, "the certificate revocation list could not be read"
    ),
    CCURLE_SSL_ENGINE_NOTFOUND.rawValue: (.secureConnectionFailed, "the TLS engine was not found"),
    CCURLE_SSL_ENGINE_SETFAILED.rawValue: (.secureConnectionFailed, "the TLS engine could not be chosen"),
    CCURLE_SSL_ENGINE_INITFAILED.rawValue: (.secureConnectionFailed, "the TLS engine could not be started"),
    CCURLE_SSL_SHUTDOWN_FAILED.rawValue: (
      .secureConnectionFailed, "the TLS connection to {peer} could not be closed"
    ),
    CCURLE_ECH_REQUIRED.rawValue: (
      .secureConnectionFailed, "{peer} did not accept the encrypted client hello"
    ),
  ]
}
#endif
