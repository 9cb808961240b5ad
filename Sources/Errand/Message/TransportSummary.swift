/// Trailers and metrics; complete at the end of a transfer.
public struct TransportSummary: Sendable, Hashable {
  /// Fields after the response body (RFC 9110 section 6.5).
  ///
  /// ``CurlTransport`` may miss the trailers of an HTTP/2 response with a `Content-Length`.
  public var trailers = HTTPHeaders()
  /// Timings and counts; `nil` without measurements.
  public var metrics: TransportSummary.Metrics?

  /// Creates a summary.
  public init(trailers: HTTPHeaders = [:], metrics: TransportSummary.Metrics? = nil) {
    self.trailers = trailers
    self.metrics = metrics
  }
}

extension TransportSummary {
  /// The measurements of a transfer.
  ///
  /// Times are measured from the start of the transfer. The time of a skipped step may be zero.
  public struct Metrics: Sendable, Hashable {
    /// The time until the name was resolved.
    public var nameLookup: Duration = .zero
    /// The time until the connection was established.
    public var connect: Duration = .zero
    /// The time until the TLS handshake was complete.
    public var secureConnect: Duration = .zero
    /// The time until the first byte of the response.
    public var firstByte: Duration = .zero
    /// The time until the end of the transfer, usually the last byte of the response.
    public var total: Duration = .zero
    /// Bytes sent, including heads; may be approximate.
    public var bytesSent: Int64 = 0
    /// Bytes received, before content decoding and including heads; may be approximate.
    public var bytesReceived: Int64 = 0
    /// True if an open connection was reused.
    public var isConnectionReused = false
    /// How often the transport itself sent the request again; 0 if unknown.
    ///
    /// ``CurlTransport`` needs libcurl 7.80 or newer to count resends.
    public var resends = 0
    /// The HTTP version, such as `HTTP/2`; `nil` if unknown.
    public var httpVersion: String?
    /// The peer's address and port, or `unix:` and a path; `nil` if unknown.
    public var remoteAddress: String?

    /// The TLS parameters; `nil` if unknown.
    ///
    /// ``CurlTransport`` needs libcurl 7.80 or newer, with OpenSSL or GnuTLS, to read the parameters.
    public var tls: Metrics.TLSDetails? {
      get { connection?.tls }
      set { connection = Connection(tls: newValue, proxy: proxy, proxyResponse: proxyResponse) }
    }
    /// The proxy, such as `http://proxy.example:3128`; `nil` without a known proxy.
    public var proxy: String? {
      get { connection?.proxy }
      set { connection = Connection(tls: tls, proxy: newValue, proxyResponse: proxyResponse) }
    }
    /// The proxy's response to `CONNECT` (RFC 9110 section 9.3.6), if any.
    public var proxyResponse: HTTPResponse? {
      get { connection?.proxyResponse }
      set { connection = Connection(tls: tls, proxy: proxy, proxyResponse: newValue) }
    }

    /// The address, without brackets, and the port of `remoteAddress`.
    ///
    /// The address of a Unix socket is the path.
    package var peer: (address: String, port: Int?)? {
      guard let remoteAddress, !remoteAddress.isEmpty else { return nil }
      if remoteAddress.hasPrefix("unix:") { return (String(remoteAddress.dropFirst(5)), nil) }
      let colon = remoteAddress.hasSuffix("]") ? nil : remoteAddress.lastIndex(of: ":")
      let address = remoteAddress[..<(colon ?? remoteAddress.endIndex)].drop { $0 == "[" }.prefix {
        $0 != "]"
      }
      let port = colon.flatMap { Int(remoteAddress[remoteAddress.index(after: $0)...]) }
      return address.isEmpty ? nil : (String(address), port)
    }

    private var connection: Connection?

    /// A reference, so that metrics without TLS and proxy stay small.
    private final class Connection: Sendable, Hashable {
      let tls: Metrics.TLSDetails?
      let proxy: String?
      let proxyResponse: HTTPResponse?

      init?(tls: Metrics.TLSDetails?, proxy: String?, proxyResponse: HTTPResponse?) {
        if tls == nil, proxy == nil, proxyResponse == nil { return nil }
        (self.tls, self.proxy, self.proxyResponse) = (tls, proxy, proxyResponse)
      }

      static func == (a: Connection, b: Connection) -> Bool {
        a.tls == b.tls && a.proxy == b.proxy && a.proxyResponse == b.proxyResponse
      }

      func hash(into hasher: inout Hasher) {
        hasher.combine(tls)
        hasher.combine(proxy)
        hasher.combine(proxyResponse)
      }
    }

    /// Creates empty metrics.
    public init() {}
  }
}
