/// The proxies and the TLS settings of a transport.
///
/// The initializer of the transport throws for settings that the transport does not support.
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

  /// Creates the default settings.
  public init() {}
}
