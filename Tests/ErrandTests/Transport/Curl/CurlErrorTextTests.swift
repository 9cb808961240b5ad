#if os(Linux)
import CCurl
import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Curl: meanings of error texts")
struct CurlErrorTextTests {
  /// Of several versions of libcurl and its TLS libraries.
  static let texts: [(CCURLcode, String, String, Advice?)] = [
    (
      CCURLE_SSL_CONNECT_ERROR, "OpenSSL/3.0.19: error:0A00010B:SSL routines::wrong version number",
      "{peer} does not answer with TLS", .plainPort
    ),
    (
      CCURLE_SSL_CONNECT_ERROR, "error:1408F10B:SSL routines:ssl3_get_record:wrong version number",
      "{peer} does not answer with TLS", .plainPort
    ),
    (
      CCURLE_SSL_CONNECT_ERROR, "TLS connect error: error:0A0000C6:SSL routines::packet length too long",
      "{peer} does not answer with TLS", .plainPort
    ),
    (
      CCURLE_SSL_CONNECT_ERROR, "gnutls_handshake() failed: An unexpected TLS packet was received.",
      "{peer} does not answer with TLS", .plainPort
    ),
    (
      CCURLE_SSL_CONNECT_ERROR, "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to 127.0.0.1:80",
      "the TLS handshake with {peer} failed", .closedHandshake
    ),
    (
      CCURLE_SSL_CONNECT_ERROR,
      "TLS connect error: error:0A000126:SSL routines::unexpected eof while reading",
      "the TLS handshake with {peer} failed", .closedHandshake
    ),
    (
      CCURLE_SSL_CONNECT_ERROR, "Recv failure: Connection reset by peer",
      "the TLS handshake with {peer} failed",
      .closedHandshake
    ),
    (
      CCURLE_SSL_CONNECT_ERROR, "gnutls_handshake() failed: The TLS connection was non-properly terminated.",
      "the TLS handshake with {peer} failed", .closedHandshake
    ),
    (
      CCURLE_RECV_ERROR,
      "OpenSSL SSL_read: OpenSSL/3.0.19: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0",
      "{peer} asks for a client certificate", .clientCertificate
    ),
    (
      CCURLE_RECV_ERROR,
      "GnuTLS recv error (-12): A TLS fatal alert has been received: Certificate is required",
      "{peer} asks for a client certificate", .clientCertificate
    ),
    (CCURLcode(rawValue: 98), "any", "{peer} asks for a client certificate", .clientCertificate),
    (
      CCURLE_SSL_CONNECT_ERROR, "OpenSSL/3.0.19: error:0A000410:SSL routines::sslv3 alert handshake failure",
      "{peer} refused the TLS handshake", .alert
    ),
    (
      CCURLE_SEND_ERROR, "SSL_write() returned SYSCALL: tlsv1 alert protocol version",
      "{peer} refused the TLS handshake",
      .alert
    ),
    (
      CCURLE_PEER_FAILED_VERIFICATION, "SSL certificate problem: unable to get local issuer certificate",
      "the certificate of {peer} was refused", .privateAuthority
    ),
    (
      CCURLE_PEER_FAILED_VERIFICATION,
      "SSL certificate problem: self-signed certificate in certificate chain",
      "the certificate of {peer} was refused", .privateAuthority
    ),
    (
      CCURLE_PEER_FAILED_VERIFICATION,
      "server certificate verification failed. CAfile: none CRLfile: none",
      "the certificate of {peer} was refused", .privateAuthority
    ),
  ]

  @Test("Plain ports, alerts and unknown authorities are distinguished", arguments: texts)
  func meanings(_ row: (code: CCURLcode, text: String, clause: String, advice: Advice?)) throws {
    let meaning = try #require(
      CurlErrorText(row.text, peer: "h:443").meaning(of: row.code, usesProxies: false))
    #expect(meaning.entry == (.secureConnectionFailed, row.clause))
    #expect(meaning.advice == row.advice)
  }

  @Test(
    "Other texts keep the code's meaning",
    arguments: [
      (CCURLE_PEER_FAILED_VERIFICATION, "SSL certificate problem: certificate has expired"),
      (
        CCURLE_PEER_FAILED_VERIFICATION,
        "SSL: no alternative certificate subject name matches target host name"
      ),
      (CCURLE_RECV_ERROR, "Recv failure: Connection reset by peer"), (CCURLE_SSL_CONNECT_ERROR, ""),
      (CCURLE_COULDNT_CONNECT, "Failed to connect to h port 443 after 0 ms: Couldn't connect to server"),
      (CCURLE_COULDNT_CONNECT, "Failed to connect to ::1:443 after 0 ms: Could not connect to server"),
    ])
  func others(_ row: (code: CCURLcode, text: String)) {
    for usesProxies in [false, true] {
      #expect(CurlErrorText(row.text, peer: "h:443").meaning(of: row.code, usesProxies: usesProxies) == nil)
    }
  }

  @Test(
    "A failed proxy is named, and only if a proxy is possible",
    arguments: [
      (
        CCURLE_COULDNT_CONNECT,
        "Failed to connect to 127.0.0.1 port 3128 after 0 ms: Couldn't connect to server",
        "no connection to the proxy 127.0.0.1:3128 could be made"
      ),
      (
        CCURLE_COULDNT_CONNECT,
        "Failed to connect to h port 443 via proxy.example after 0 ms: Could not connect to server",
        "no connection to the proxy proxy.example could be made"
      ),
      (
        CCURLE_COULDNT_CONNECT,
        "Failed to connect to h:443 over proxy proxy.example after 0 ms: Could not connect to server",
        "no connection to the proxy proxy.example could be made"
      ),
      (
        CCURLE_COULDNT_CONNECT,
        "Failed to connect to ::1:3128 over proxy ::1 after 0 ms: Could not connect to server",
        "no connection to the proxy [::1]:3128 could be made"
      ),
      (
        CCURLE_COULDNT_CONNECT, "Failed to connect to ::1 port 3128: Connection refused",
        "no connection to the proxy [::1]:3128 could be made"
      ),
      (
        CCURLE_RECV_ERROR, "Received HTTP code 407 from proxy after CONNECT",
        "the proxy refused a tunnel to {peer} with status 407"
      ),
      (
        CCURLE_COULDNT_CONNECT, "CONNECT tunnel failed, response 502",
        "the proxy refused a tunnel to {peer} with status 502"
      ),
    ])
  func proxies(_ row: (code: CCURLcode, text: String, clause: String)) throws {
    let text = CurlErrorText(row.text, peer: "h:443")
    let meaning = try #require(text.meaning(of: row.code, usesProxies: true))
    #expect(meaning.entry == (.connectionFailed, row.clause))
    #expect(meaning.advice == .proxy)
    #expect(text.meaning(of: row.code, usesProxies: false) == nil)
  }

  @Test("https to a plain port, and an alert, keep libcurl's reason and give advice")
  func printed() async throws {
    let plain = try MockServer()
    let first = await #expect(throws: RequestError.self) {
      try await RequestAgent(transport: CurlTransport()).send(.get("https://127.0.0.1:\(plain.port)/"))
    }
    #expect(first?.kind == .secureConnectionFailed)
    #expect(first?.description.hasSuffix("\nTry: \(Advice.plainPort.text)") == true)
    let alerting = RawServer { connection in
      connection.send(Data([0x15, 3, 3, 0, 2, 2, 116]))
      connection.waitForClose()
    }
    let second = await #expect(throws: RequestError.self) {
      try await RequestAgent(transport: CurlTransport()).send(.get("https://127.0.0.1:\(alerting.port)/"))
    }
    #expect(second?.description.lowercased().contains("alert") == true)
    #expect(second?.description.hasSuffix("\nTry: \(Advice.clientCertificate.text)") == true)
  }
}
#endif
