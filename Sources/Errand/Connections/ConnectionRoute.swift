extension ConnectionSettings {
  /// The destination of connections for a host.
  ///
  /// ```swift
  /// var settings = ConnectionSettings()
  /// settings.routes = [
  ///   "api.example.com": .destination("green.internal", port: 8443),
  ///   "docker.internal": .unixSocket("/run/docker.sock"),
  /// ]
  /// ```
  ///
  /// With ``DestinationPolicy/refusesPrivateAddresses``, the address at the end of the route is checked too,
  /// and a Unix socket is refused.
  public struct Route: Sendable, Hashable {
    enum Form: Hashable {
      case addresses([String])
      case destination(host: String, port: Int?)
      case unixSocket(String)
      case lookup(NameLookup)
    }

    let form: Form

    /// Returns a route to IP addresses in place of the addresses of a name lookup.
    ///
    /// The addresses are tried like the addresses of a lookup. The route does not apply to a URL with an IP
    /// address. A proxy that resolves names does not use the route.
    public static func addresses(_ addresses: [String]) -> ConnectionSettings.Route {
      ConnectionSettings.Route(form: .addresses(addresses))
    }

    /// Returns a route to a host, and to a port unless `port` is `nil`.
    ///
    /// - Parameters:
    ///   - host: A name or an IP address. Routes are not chained: a route for this host applies only to URLs
    ///     with this host.
    ///   - port: The port; `nil`, the default: the port of the URL.
    public static func destination(_ host: String, port: Int? = nil) -> ConnectionSettings.Route {
      ConnectionSettings.Route(form: .destination(host: host, port: port))
    }

    /// Returns a route to a Unix domain socket at an absolute path of at most 107 bytes.
    ///
    /// Each request uses its own connection, with HTTP/1.1 and without a proxy.
    public static func unixSocket(_ path: String) -> ConnectionSettings.Route {
      ConnectionSettings.Route(form: .unixSocket(path))
    }

    /// Returns a route to the IP addresses that a closure finds for the host name in a URL.
    ///
    /// The closure runs in its own task. Concurrent requests to a host usually wait for the same call.
    ///
    /// If the closure throws, or returns no address or an invalid address, the attempt fails with
    /// ``RequestError/Kind/nameNotResolved``. To fail with a different kind, throw a ``TransportError``.
    ///
    /// - Parameters:
    ///   - lifetime: The maximum time for which a result is used; 60 s by default. Connections may be used
    ///     for longer; see ``ConnectionSettings/Pool/maximumAge``.
    ///   - addresses: Returns the addresses of a host name, which is given in lower case.
    public static func lookup(
      lifetime: Duration = .seconds(60), _ addresses: @escaping @Sendable (String) async throws -> [String]
    ) -> ConnectionSettings.Route {
      ConnectionSettings.Route(form: .lookup(NameLookup(lifetime: lifetime, addresses)))
    }
  }
}

final class NameLookup: Sendable, Hashable {
  let lifetime: Duration
  let addresses: @Sendable (String) async throws -> [String]

  init(lifetime: Duration, _ addresses: @escaping @Sendable (String) async throws -> [String]) {
    self.lifetime = lifetime
    self.addresses = addresses
  }

  static func == (one: NameLookup, other: NameLookup) -> Bool { one === other }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
