import Foundation

/// The allowed destinations of an agent's requests and redirects.
///
/// A request to a refused URL fails with ``RequestError/Kind/destination``, usually before the name lookup.
/// ``refusesPrivateAddresses`` also checks the addresses of connections. Redirects of background transfers
/// are not checked.
///
/// ```swift
/// var configuration = AgentConfiguration()
/// configuration.destinations.hosts = ["api.example.com", "*.cdn.example.com"]
/// ```
public struct DestinationPolicy: Sendable, Hashable {
  /// The allowed http URLs.
  public enum PlainHTTP: Sendable, Hashable {
    /// No http URLs, except to localhost if `allowsPlainLoopback` is true.
    case refused
    /// Origins of base URLs, CDN URLs and ``AgentConfiguration/trustedOrigins``.
    ///
    /// The CDN URL of a request counts only if the request uses the CDN.
    case namedOrigins
    /// All http URLs.
    case allowed
  }

  /// The allowed http URLs; ``PlainHTTP/namedOrigins`` by default.
  ///
  /// See ``allowsPlainLoopback`` for localhost.
  public var plainHTTP: PlainHTTP = .namedOrigins
  /// True if http to localhost is allowed despite ``plainHTTP``; `true` by default.
  ///
  /// Localhost is `localhost` with its subdomains, and the addresses of `127.0.0.0/8` and `::1`.
  public var allowsPlainLoopback = true
  /// The allowed hosts; `nil`, the default: any host.
  ///
  /// An entry is a host, a pattern such as `*.example.com` for all subdomains, an address, an address block
  /// such as `10.0.0.0/8`, or `*`. Blocks do not match names.
  public var hosts: [String]?
  /// True if addresses outside of the public internet (RFC 6890) are refused; `false` by default.
  ///
  /// Protects servers that fetch URLs of their users against server-side request forgery. Requests through a
  /// proxy fail. Requests over a transport without ``TransportCapabilities/checksAddresses`` fail too.
  public var refusesPrivateAddresses = false

  /// Creates a policy; the defaults allow https to any host.
  public init(
    plainHTTP: PlainHTTP = .namedOrigins, allowsPlainLoopback: Bool = true, hosts: [String]? = nil,
    refusesPrivateAddresses: Bool = false
  ) {
    (self.plainHTTP, self.allowsPlainLoopback) = (plainHTTP, allowsPlainLoopback)
    (self.hosts, self.refusesPrivateAddresses) = (hosts, refusesPrivateAddresses)
  }

  var checksNamedOrigins: Bool { hosts != nil || refusesPrivateAddresses || plainHTTP == .refused }

  func check(_ url: URL, isNamed: @autoclosure () -> Bool) throws(Refusal) {
    guard let scheme = WebScheme(url), let parts = URLParts(absolute: url.absoluteString) else { return }
    let host = NumericHost.standard(parts.host.lowercased())
    if let stray = hosts?.first(where: { !HostPattern.isPattern($0) }) {
      throw refusal("destinations.hosts contains an invalid host: \(stray.debugDescription)")
    }
    if let hosts, !hosts.contains(where: { HostPattern($0).matches(host) }) {
      throw refusal("the host of \(URLParts.shown(parts.text)) is not in destinations.hosts")
    }
    let address = IPAddress(host)
    let isLoopback = Origin.isLoopback(host) || address?.isLoopback == true
    if refusesPrivateAddresses, isLoopback || address?.isPublic == false {
      throw refusal("the address of \(URLParts.shown(parts.text)) is not public")
    }
    if scheme == .https || isLoopback && allowsPlainLoopback || plainHTTP == .allowed { return }
    if plainHTTP == .namedOrigins, isNamed() { return }
    throw refusal("the request to \(URLParts.shown(parts.text)) would not be encrypted")
  }

  private func refusal(_ message: String) -> Refusal { Refusal(message, kind: .destination) }
}
