public import Foundation

extension TransportSummary.Metrics {
  /// What the two ends of a connection agreed on in TLS.
  public struct TLSDetails: Sendable, Hashable {
    /// The version, such as `TLS 1.3`.
    public var version: String
    /// The cipher suite by its registered name, such as `TLS_AES_256_GCM_SHA384`; `nil` when it is not known.
    public var cipherSuite: String?
    /// The protocol chosen by ALPN (RFC 7301), such as `h2`; `nil` when there was none.
    public var applicationProtocol: String?
    /// The certificates that the server sent, in DER, its own first.
    public var certificates: [Data]

    /// Makes details.
    public init(
      version: String, cipherSuite: String? = nil, applicationProtocol: String? = nil,
      certificates: [Data] = []
    ) {
      self.version = version
      self.cipherSuite = cipherSuite
      self.applicationProtocol = applicationProtocol
      self.certificates = certificates
    }
  }
}

extension TransportSummary.Metrics {
  /// The proxy that carried a request.
  public struct ProxyUse: Sendable, Hashable {
    /// Its kind, host and port, such as `http://proxy.example:3128`.
    public var proxy: String
    /// What it answered to the `CONNECT` for this connection (RFC 9110 section 9.3.6); `nil` where there was none, as with an
    /// http URL, SOCKS, or a connection that stood.
    public var response: HTTPResponse?

    /// Makes a use.
    public init(_ proxy: String, response: HTTPResponse? = nil) {
      (self.proxy, self.response) = (proxy, response)
    }
  }
}
