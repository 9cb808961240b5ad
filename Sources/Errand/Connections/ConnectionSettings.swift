/// How a transport connects: through which proxies, and with what TLS.
///
/// ```swift
/// var settings = ConnectionSettings()
/// settings.proxies = .none
/// settings.tls.minimumVersion = .tls13
/// let agent = RequestAgent(baseURL: base, transport: try CurlTransport(settings))
/// ```
///
/// A transport that cannot do what is asked for throws when it is made.
public struct ConnectionSettings: Sendable, Hashable {
  /// Which requests go through which proxy; those of the environment by default.
  public var proxies: Proxy.Rules = .environment
  /// What TLS has to be like.
  public var tls = TLSSettings()

  /// Makes the defaults.
  public init() {}
}
