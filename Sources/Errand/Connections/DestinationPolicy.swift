import Foundation

/// Where an agent's requests may go.
///
/// It is asked for each URL before anything is sent and before its name is looked up: the first one, that of each redirect, and
/// what hooks make of them. What it refuses fails with ``RequestError/Kind/destination``. Mocks are asked for no less than servers.
///
/// ```swift
/// var configuration = AgentConfiguration()
/// configuration.destinations.hosts = ["api.example.com", "*.cdn.example.com"]
/// ```
public struct DestinationPolicy: Sendable, Hashable {
  /// Which http URLs are asked, which everybody on the way can read and change.
  public enum PlainHTTP: Sendable, Hashable {
    /// None.
    case refused
    /// Those of origins that code names: by the base URL or the CDN URL of the agent or of the request, or among
    /// ``AgentConfiguration/trustedOrigins``.
    ///
    /// A URL in a path or a redirect may have come from data.
    case namedOrigins
    /// All.
    case allowed
  }

  /// Which http URLs are asked, besides those of this machine; those of named origins by default.
  public var plainHTTP: PlainHTTP = .namedOrigins
  /// Whether this machine may be asked by http, whatever ``plainHTTP`` says: `localhost` and names below it, `127.0.0.0/8`, `::1`;
  /// `true` by default.
  public var allowsPlainLoopback = true
  /// The hosts that may be asked: `example.com`, `*.example.com` for all hosts below it, addresses, and blocks of them such as
  /// `10.0.0.0/8`, which do not count for names; `nil`, the default, is any, and an empty list is none.
  public var hosts: [String]?
  /// Whether addresses are refused that are not reached from everywhere: this machine, private networks, link-local ones with
  /// the metadata services of clouds, and whatever else the registries of RFC 6890 list; `false` by default.
  ///
  /// For servers that fetch URLs of their users (server-side request forgery). The transport judges the address that it
  /// connects to, so a name that leads there is refused too, whatever else it led to before. A request that would go through a
  /// proxy, which looks names up on its own, is refused, and so is one by a transport without
  /// ``TransportCapabilities/checksAddresses``.
  public var refusesPrivateAddresses = false

  /// Makes a policy; by default https to any host, http to this machine and to origins that code names.
  public init(
    plainHTTP: PlainHTTP = .namedOrigins, allowsPlainLoopback: Bool = true, hosts: [String]? = nil,
    refusesPrivateAddresses: Bool = false
  ) {
    (self.plainHTTP, self.allowsPlainLoopback) = (plainHTTP, allowsPlainLoopback)
    (self.hosts, self.refusesPrivateAddresses) = (hosts, refusesPrivateAddresses)
  }

  /// Whether a URL has to be looked at that is of a named origin.
  var judgesNamed: Bool { hosts != nil || refusesPrivateAddresses || plainHTTP == .refused }

  /// Throws where a URL may not be asked.
  func check(_ url: URL, isNamed: @autoclosure () -> Bool) throws(Refusal) {
    guard let scheme = WebScheme(url), let parts = URLParts(absolute: url.absoluteString) else { return }
    let host = NumericHost.standard(parts.host.lowercased())
    if let stray = hosts?.first(where: { !HostPattern.isPattern($0) }) {
      throw refusal("\(stray.debugDescription) of destinations.hosts is no host")
    }
    if let hosts, !hosts.contains(where: { HostPattern($0).matches(host) }) {
      throw refusal("the host of \(URLParts.shown(parts.text)) is not among the hosts that may be asked")
    }
    let address = IPAddress(host)
    let isLoopback = Origin.isLoopback(host) || address?.isLoopback == true
    if refusesPrivateAddresses, isLoopback || address?.isPublic == false {
      throw refusal("the address of \(URLParts.shown(parts.text)) is not a public one")
    }
    if scheme == .https || isLoopback && allowsPlainLoopback || plainHTTP == .allowed { return }
    if plainHTTP == .namedOrigins, isNamed() { return }
    throw refusal("\(URLParts.shown(parts.text)) would not be encrypted")
  }

  private func refusal(_ message: String) -> Refusal { Refusal(message, kind: .destination) }
}
