public import Foundation

/// The settings for the connections of a transport, such as proxies, routes and TLS.
///
/// The initializer of the transport throws for most settings that the transport does not support.
///
/// ```swift
/// var settings = ConnectionSettings()
/// settings.tls.minimumVersion = .tls13
/// let agent = RequestAgent(baseURL: base, transport: try CurlTransport(settings))
/// ```
public struct ConnectionSettings: Sendable, Hashable {
  /// The proxies; ``Proxy/Rules/environment`` by default.
  public var proxies: Proxy.Rules = .environment
  /// The TLS settings.
  public var tls = TLSSettings()
  /// The routes by host: `api.example.com`, `*.example.com` for all subdomains, or `*` for all hosts.
  ///
  /// Empty by default. A host takes precedence over a pattern. The TLS checks, the field `Host`, the allowed
  /// hosts and the cookies use the host of the URL, not the host of the route.
  public var routes: [String: ConnectionSettings.Route] = [:]
  /// The URL of a DNS server over HTTPS (RFC 8484) for name lookups; `nil`, the default: the system's name
  /// lookup.
  ///
  /// Connections to the DNS server ignore ``localAddress``. Of ``tls``, these connections use only the
  /// certificate authorities.
  public var nameServer: URL?
  /// The local IP address or the network interface, such as `eth0`; `nil`, the default: the system chooses.
  public var localAddress: String?
  /// The allowed HTTP versions; ``HTTPVersion/automatic`` by default.
  public var httpVersion = HTTPVersion.automatic
  /// The limits and the probes of kept connections.
  public var pool = Pool()

  /// Creates the default settings.
  public init() {}

  /// The allowed HTTP versions.
  ///
  /// ``TransportSummary/Metrics/httpVersion`` has the version of an attempt, if known.
  public enum HTTPVersion: Sendable, Hashable, CaseIterable {
    /// Usually HTTP/2 over TLS if the server supports HTTP/2, and otherwise HTTP/1.1.
    ///
    /// The transport may choose HTTP/3.
    case automatic
    /// HTTP/1.1 only.
    case http1
    /// HTTP/2 only.
    ///
    /// The server of an http URL must support HTTP/2 without TLS (RFC 9113 section 3.3). No request is sent
    /// to an https server that is known to lack HTTP/2.
    case http2
    /// HTTP/3 from the first https request to a server, and the other versions if HTTP/3 fails.
    ///
    /// Of Errand's transports, only `URLSessionTransport` on Apple platforms supports this value, by
    /// `assumesHTTP3Capable`.
    case http3
  }
}
