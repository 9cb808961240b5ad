extension TransportSummary {
  /// A step of opening a connection.
  ///
  /// The end of a failed step is not reported. For durations, see ``TransportSummary/Metrics``.
  public enum ConnectionStep: Sendable, Hashable {
    /// The lookup of a name has started.
    case lookupStarted
    /// The lookup of the name has ended with addresses.
    case lookupEnded
    /// Connecting to an address, such as `192.0.2.7:443`, has started.
    ///
    /// The step is repeated if the transport tries several addresses. The address of a Unix socket is `unix:`
    /// and a path.
    case connectStarted(address: String)
    /// The connection to one of the tried addresses is open.
    case connectEnded
    /// The TLS handshake has started. With a proxy, the time until ``handshakeEnded`` includes opening the
    /// tunnel.
    case handshakeStarted
    /// The TLS handshake has ended.
    case handshakeEnded
  }
}

extension TransportSummary.ConnectionStep: CustomStringConvertible {
  /// A text such as `connecting to 192.0.2.7:443`.
  public var description: String {
    switch self {
    case .lookupStarted: "looking up the name"
    case .lookupEnded: "name looked up"
    case .connectStarted(let address): "connecting to \(address)"
    case .connectEnded: "connected"
    case .handshakeStarted: "TLS handshake started"
    case .handshakeEnded: "TLS handshake ended"
    }
  }
}
