extension ConnectionSettings {
  /// The limits and the probes of kept connections.
  ///
  /// A limit never closes a connection in use. Over HTTP/2, new requests may share a connection in use
  /// despite the limits.
  public struct Pool: Sendable, Hashable {
    /// The age after which idle connections are not reused, up to 2 s late; `nil`, the default: no limit, or
    /// 24 h with newer libcurl.
    ///
    /// A limit helps clients to follow a change of a host's addresses.
    public var maximumAge: Duration?
    /// The number of requests after which a connection is usually closed; `nil`, the default: no limit.
    public var maximumUses: Int?
    /// The maximum number of idle connections in each event loop of the transport; `nil`, the default: 256,
    /// or more after more concurrent requests.
    ///
    /// With 0 or less, no idle connection is reused.
    public var maximumIdle: Int?
    /// The silence before TCP probes and the interval between probes, in whole seconds, rounded up, at least
    /// 1; `nil`, the default: no probes.
    ///
    /// Probes may keep a NAT or firewall entry alive, and reveal a vanished peer.
    public var keepAlive: Duration?

    /// Creates a pool with the default limits and without probes.
    public init() {}
  }
}
