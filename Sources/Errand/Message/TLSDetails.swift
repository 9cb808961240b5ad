public import Foundation

extension TransportSummary.Metrics {
  /// The parameters of a TLS connection.
  public struct TLSDetails: Sendable, Hashable {
    /// The version, such as `TLS 1.3`.
    public var version: String
    /// The cipher suite, such as `TLS_AES_256_GCM_SHA384`.
    public var cipherSuite: String?
    /// The protocol chosen by ALPN (RFC 7301), such as `h2`.
    public var applicationProtocol: String?
    /// The server's certificate chain in DER, leaf first; empty if unknown.
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
