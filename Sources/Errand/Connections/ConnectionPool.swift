extension ConnectionSettings {
  /// The limits and the probes of kept connections.
  ///
  /// A connection in use is never closed by a limit. Over HTTP/2, new requests may share a connection in use.
  public struct Pool: Sendable, Hashable {
    /// The age after which an idle connection gets no further request, rounded up to whole seconds; `nil`,
    /// the default: no limit.
    ///
    /// A limit helps clients to follow a change of a host's addresses.
    public var maximumAge: Duration?
    /// The number of requests after which a connection is usually closed; `nil`, the default: no limit.
    public var maximumUses: Int?
    /// The maximum number of kept connections in each event loop of the transport, at least 0; `nil`, the
    /// default: 256, or more after more concurrent requests.
    ///
    /// With 0, no idle connection is reused.
    public var maximumIdle: Int?
    /// The silence after which TCP probes are sent, and the interval between two probes, rounded up to whole
    /// seconds; `nil`, the default: no probes.
    ///
    /// Probes may keep a NAT or firewall entry alive, and reveal a vanished peer.
    public var keepAlive: Duration?

    /// Creates a pool with the default limits and without probes.
    public init() {}
  }
}
