/// What a transport knows at the end of a transfer.
public struct TransportSummary: Sendable, Hashable {
  /// Fields sent after the body (RFC 9110 section 6.5).
  ///
  /// ``CurlTransport`` has none over HTTP/2 when the head has a `Content-Length`: libcurl stops reading with the last
  /// byte of the body.
  public var trailers = HTTPHeaders()
  /// Timings and counts; `nil` from a transport that measures none.
  public var metrics: TransportSummary.Metrics?

  /// Makes a summary.
  public init(trailers: HTTPHeaders = [:], metrics: TransportSummary.Metrics? = nil) {
    self.trailers = trailers
    self.metrics = metrics
  }
}

extension TransportSummary {
  /// What one transfer took.
  ///
  /// Each time counts from its start; a phase that did not happen is zero.
  public struct Metrics: Sendable, Hashable {
    /// Until the name was resolved.
    public var nameLookup: Duration = .zero
    /// Until the connection stood.
    public var connect: Duration = .zero
    /// Until TLS was agreed on.
    public var secureConnect: Duration = .zero
    /// Until the first byte of the response.
    public var firstByte: Duration = .zero
    /// Until the last byte of the response.
    public var total: Duration = .zero
    /// Bytes sent: head and body.
    public var bytesSent: Int64 = 0
    /// Bytes received: heads, and the body before content decoding.
    public var bytesReceived: Int64 = 0
    /// Whether an open connection was used again.
    public var isConnectionReused = false
    /// How often the request was sent again because the reused connection it was sent over had died, or took no more
    /// requests: 0 or 1, over https at most 2.
    ///
    /// ``CurlTransport`` counts with libcurl 7.80 or newer.
    public var resends = 0
    /// Such as `HTTP/1.1` or `HTTP/2`; `nil` when it is not known.
    public var httpVersion: String?
    /// The address and port that answered; `nil` when it is not known.
    public var remoteAddress: String?

    /// What TLS agreed on; `nil` without TLS, and when it is not known.
    ///
    /// ``CurlTransport`` knows with libcurl 7.80 or newer over OpenSSL or GnuTLS.
    public var tls: Metrics.TLSDetails? {
      get { connection?.tls }
      set { connection = Connection(tls: newValue, proxy: proxy) }
    }
    /// The proxy that carried the request; `nil` for none, and when it is not known.
    public var proxy: Metrics.ProxyUse? {
      get { connection?.proxy }
      set { connection = Connection(tls: tls, proxy: newValue) }
    }

    /// The address that answered, and its port, apart; an address of IPv6 without its brackets.
    package var peer: (address: String, port: Int?)? {
      guard let remoteAddress, let colon = remoteAddress.lastIndex(of: ":") else { return nil }
      let address = remoteAddress[..<colon].drop { $0 == "[" }.prefix { $0 != "]" }
      return address.isEmpty
        ? nil : (String(address), Int(remoteAddress[remoteAddress.index(after: colon)...]))
    }

    private var connection: Connection?

    /// What few transfers have, behind a reference.
    private final class Connection: Sendable, Hashable {
      let tls: Metrics.TLSDetails?
      let proxy: Metrics.ProxyUse?

      /// `nil` where there is nothing to keep.
      init?(tls: Metrics.TLSDetails?, proxy: Metrics.ProxyUse?) {
        if tls == nil, proxy == nil { return nil }
        (self.tls, self.proxy) = (tls, proxy)
      }

      static func == (a: Connection, b: Connection) -> Bool { a.tls == b.tls && a.proxy == b.proxy }

      func hash(into hasher: inout Hasher) {
        hasher.combine(tls)
        hasher.combine(proxy)
      }
    }

    /// Makes empty metrics.
    public init() {}
  }
}
