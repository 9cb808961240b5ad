extension ConnectionSettings {
  /// The limits and the probes of kept connections.
  ///
  /// A limit never closes a connection in use. Over HTTP/2, new requests may share a connection in use
  /// despite the limits.
  public struct Pool: Sendable, Hashable {
    /// The age after which an idle connection is not reused; `nil`, the default: libcurl's limit, if any.
    ///
    /// The limit may take effect up to 2 s late. A limit helps clients to follow a change of a host's
    /// addresses.
    public var maximumAge: Duration?
    /// The number of requests after which a connection is usually closed; `nil`, the default: no limit.
    public var maximumUses: Int?
    /// The maximum number of idle connections in each event loop of the transport; `nil`, the default: 256,
    /// or more after more simultaneous transfers.
    ///
    /// With 0 or less, no idle connection is reused.
    public var maximumIdle: Int?
    /// The idle time before the first TCP probe, and the interval between probes; `nil`, the default: no
    /// probes.
    ///
    /// The value is rounded up to whole seconds, at least 1 s. Probes may keep a NAT or firewall entry alive,
    /// and reveal a vanished peer.
    public var keepAlive: Duration?

    /// The interval of HTTP/2 PING frames (RFC 9113 section 6.7) on open connections, at least 1 ms; `nil`,
    /// the default: no PING frames.
    ///
    /// PING frames may keep connections alive in proxies and servers that ignore TCP probes. The transport
    /// does not wait for responses to PING frames. Needs libcurl 8.10 or newer.
    public var pingInterval: Duration?

    /// Creates a pool with the default limits and without probes.
    public init() {}
  }
}
