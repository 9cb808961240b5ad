public import Foundation

extension TransportSummary.Metrics {
  /// The negotiated parameters of a TLS connection.
  public struct TLSDetails: Sendable, Hashable {
    /// The version, such as `TLS 1.3`.
    public var version: String
    /// The cipher suite by its registered name, such as `TLS_AES_256_GCM_SHA384`; `nil` if unknown.
    public var cipherSuite: String?
    /// The protocol chosen by ALPN (RFC 7301), such as `h2`; `nil` without ALPN.
    public var applicationProtocol: String?
    /// The certificates of the server in DER; the first certificate is the server's own.
    public var certificates: [Data]

    /// Creates details.
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
    /// The kind, host and port of the proxy, such as `http://proxy.example:3128`.
    public var proxy: String
    /// The response of the proxy to the `CONNECT` for this connection (RFC 9110 section 9.3.6).
    ///
    /// `nil` without a `CONNECT`: for an http URL, SOCKS or a reused connection.
    public var response: HTTPResponse?

    /// Creates a use of a proxy.
    public init(_ proxy: String, response: HTTPResponse? = nil) {
      (self.proxy, self.response) = (proxy, response)
    }
  }
}
