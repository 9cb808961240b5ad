#if os(Linux)
import CCurl

/// libcurl's text about a failure.
struct CurlErrorText {
  typealias Meaning = (entry: CurlErrorTable.Entry, advice: Advice?)

  private let text: String
  private let peer: String

  init(_ text: String, peer: String) {
    self.text = text.lowercased()
    self.peer = peer.lowercased()
  }

  /// Returns the meaning of an error; `nil` if there is nothing to add to ``CurlErrorTable``.
  func meaning(of code: CCURLcode, usesProxies: Bool) -> Meaning? {
    if usesProxies, let meaning = proxyMeaning(of: code) { return meaning }
    switch code {
    case CCURLE_SSL_CONNECT_ERROR where says(Self.plainAnswers):
      return ((.secureConnectionFailed, "{peer} does not answer with TLS"), .plainPort)
    case CCURLE_SSL_CONNECT_ERROR where says(Self.closings):
      return (CurlErrorTable.entry(for: code), .closedHandshake)
    case CCURLE_PEER_FAILED_VERIFICATION where says(Self.unknownIssuers):
      return (CurlErrorTable.entry(for: code), .privateAuthority)
    case CCURLE_SSL_PINNEDPUBKEYNOTMATCH: return (CurlErrorTable.entry(for: code), .pin)
    case CCURLE_SSL_CERTPROBLEM: return (CurlErrorTable.entry(for: code), .ownCertificate)
    case CCURLE_SSL_CACERT_BADFILE: return (CurlErrorTable.entry(for: code), .authorities)
    case CCURLE_SSL_CONNECT_ERROR, CCURLE_RECV_ERROR, CCURLE_SEND_ERROR: return alertMeaning
    // `CURLE_SSL_CLIENTCERT`, which is newer than libcurl 7.76.
    case CCURLcode(rawValue: 98): return (CurlErrorTable.entry(for: code), .clientCertificate)
    default: return nil
    }
  }

  /// The meaning of a TLS alert (RFC 8446 section 6.2).
  ///
  /// libcurl may report an alert as a broken connection.
  private var alertMeaning: Meaning? {
    guard text.contains("alert"), text.contains("ssl") || text.contains("tls") else { return nil }
    if text.contains("certificate required") || text.contains("certificate is required") {
      return ((.secureConnectionFailed, "{peer} asks for a client certificate"), .clientCertificate)
    }
    return ((.secureConnectionFailed, "{peer} refused the TLS handshake"), .alert)
  }

  private func proxyMeaning(of code: CCURLcode) -> Meaning? {
    if text.contains("connect tunnel failed") || text.contains("from proxy after connect") {
      let status = text.split { !$0.isNumber }.last { $0.count == 3 }.map { " with status \($0)" } ?? ""
      return ((.connectionFailed, "the proxy refused a tunnel to {peer}\(status)"), .proxy)
    }
    if code == CCURLE_PROXY, text.contains("rejected by the socks5 server") {
      return ((.authentication, "the proxy refuses the credentials"), .proxy)
    }
    if code == CCURLE_PROXY, text.contains("no authentication method was acceptable") {
      return ((.authentication, "the proxy asks for credentials"), .proxy)
    }
    if code == CCURLE_COULDNT_RESOLVE_PROXY { return (CurlErrorTable.entry(for: code), .proxy) }
    guard code == CCURLE_COULDNT_CONNECT, let reached, reached != peer else { return nil }
    return ((.connectionFailed, "no connection to the proxy \(reached) could be made"), .proxy)
  }

  /// The host that libcurl could not reach, with the port if known; `nil` for an unknown wording.
  ///
  /// The wording depends on the version of libcurl:
  ///
  /// - 7.76: `Failed to connect to proxy.example port 3128 after 0 ms: …`, as for a server.
  /// - 8.16: `Failed to connect to h port 443 via proxy.example after 0 ms: …`.
  /// - 8.21: `Failed to connect to h:443 over proxy proxy.example after 0 ms: …`.
  private var reached: String? {
    guard let start = text.firstRange(of: "failed to connect to ")?.upperBound else { return nil }
    let words = text[start...].split(separator: " ", maxSplits: 5)
    if words.count > 3, words[1] == "over", words[2] == "proxy" {
      let mark = words[0].lastIndex(of: ":") ?? words[0].endIndex
      return place(of: words[3], port: words[0][..<mark] == words[3] ? words[0][mark...].dropFirst() : nil)
    }
    guard words.count > 2, words[1] == "port" else { return nil }
    if words.count > 4, words[3] == "via" { return place(of: words[4], port: nil) }
    return place(of: words[0], port: words[2].prefix { $0.isNumber })
  }

  private func place(of name: Substring, port: Substring?) -> String {
    let host = name.contains(":") ? "[\(name)]" : String(name)
    return port.map { "\(host):\($0)" } ?? host
  }

  private func says(_ phrases: [String]) -> Bool { phrases.contains { text.contains($0) } }

  private static let plainAnswers = [
    "wrong version number", "unknown protocol", "http request", "packet length too long",
    "unexpected tls packet", "unsupported record version", "bad record type",
  ]

  private static let closings = [
    "ssl_error_syscall", "ssl_error_zero_return", "unexpected eof", "connection reset",
    "connection was reset",
    "eof while reading", "connection was non-properly terminated", "handshake: connection closed",
  ]

  private static let unknownIssuers = [
    "local issuer", "issuer certificate", "self-signed", "self signed", "signer not found",
    "issuer is unknown", "unknown ca", "verify the first certificate",
    "certificate verification failed. cafile",
  ]
}
#endif
