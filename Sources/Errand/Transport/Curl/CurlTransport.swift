#if os(Linux)
public import Foundation

extension CurlTransport: URLTextTransport {}

/// The default transport on Linux: libcurl's multi interface, driven by one or more threads.
///
/// Needs libcurl 7.76 or newer. HTTP/2 needs libcurl 8.3 or newer, and usually TLS. A statically linked
/// executable needs the package's trait `LinkedCurl`.
///
/// Decodes `gzip`, `deflate`, `br` and `zstd`. If the system has no decoder for a coding, the body is
/// delivered unchanged. The trailers of a request are limited to 65,000 bytes.
///
/// A request may be sent again if its connection breaks or its HTTP/2 stream fails. A request that is not
/// idempotent (RFC 9110 section 9.2.2) is sent again only if the server is known not to have processed the
/// request.
///
/// If the environment has `SSLKEYLOGFILE`, libcurl usually writes the keys of TLS connections to that file.
public final class CurlTransport: Transport, Sendable {
  private let loops: Locked<CurlLoops>
  private let makeLoops: @Sendable () -> CurlLoops
  private let library: CurlLibrary?
  private let settings: CurlConnections

  /// Creates a transport with its own connections.
  ///
  /// - Parameters:
  ///   - certificateAuthorities: a PEM file that replaces the system's authorities; `nil`, the default: the
  ///     system's authorities.
  ///   - eventLoops: the number of event loops, each with a thread, at least 1; `nil`, the default: half the
  ///     number of processors, from 1 to 4.
  ///   - idleConnectionLifetime: the longest idle time of a reused connection; 60 s by default. The real
  ///     limit may be up to 2 s longer. `.zero`: no idle connection is reused.
  public convenience init(
    certificateAuthorities: URL? = nil, eventLoops: Int? = nil,
    idleConnectionLifetime: Duration = .seconds(60)
  ) {
    var settings = ConnectionSettings()
    settings.tls.certificateAuthorities = certificateAuthorities
    self.init(
      connections: CurlConnections(settings), eventLoops: eventLoops, idleLifetime: idleConnectionLifetime)
  }

  /// Creates a transport with its own connections and with connection settings.
  ///
  /// - Parameters:
  ///   - settings: the proxies, routes, TLS settings and connections.
  ///   - eventLoops: the number of event loops, at least 1; `nil`, the default: half the number of
  ///     processors, from 1 to 4.
  ///   - idleConnectionLifetime: the longest idle time of a reused connection; 60 s by default.
  /// - Throws: ``RequestError/Kind/unsupported``, ``RequestError/Kind/file``, or
  ///   ``RequestError/Kind/invalidRequest`` for settings that cannot be used. Also `unsupported` without a
  ///   suitable libcurl, and `transport` if libcurl cannot be started.
  public convenience init(
    _ settings: ConnectionSettings, eventLoops: Int? = nil, idleConnectionLifetime: Duration = .seconds(60)
  ) throws(TransportError) {
    try CurlConnections.check(settings, library: .system)
    self.init(
      connections: CurlConnections(settings), eventLoops: eventLoops, idleLifetime: idleConnectionLifetime)
  }

  private init(connections: CurlConnections, eventLoops: Int?, idleLifetime: Duration) {
    let count = max(eventLoops ?? CurlLoops.standardCount, 1)
    makeLoops = {
      CurlLoops((0..<count).map { _ in CurlLoop(connections, idleLifetime: idleLifetime) })
    }
    loops = Locked(makeLoops())
    library = nil
    settings = connections
  }

  init(loop: CurlLoop = CurlLoop(), library: CurlLibrary? = nil) {
    makeLoops = { CurlLoops([CurlLoop()]) }
    loops = Locked(CurlLoops([loop]))
    self.library = library
    settings = loop.connections
  }

  /// The capabilities of the loaded libcurl with these settings, and the content codings that the system can
  /// decode.
  public var capabilities: TransportCapabilities { settings.capabilities }

  /// Sends the request and returns when the head of the final response has arrived.
  ///
  /// Throws a ``TransportError``, or an error of the request's body or trailers.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    if let failure = (library ?? .system).failure { throw failure }
    try request.checkForNetwork()
    let detour = settings.routes.isEmpty ? nil : try await settings.detour(for: request)
    try settings.check(request, detour: detour)
    if let refusal = CurlTrailers.refusal(of: request.request.trailers.fields) { throw refusal }
    let lease = loops.withLock { $0 }[request.request.location]
    let upload: TransferUpload
    if let inMemory = TransferUpload(inMemory: request.request) {
      upload = inMemory
    } else {
      upload = try await TransferUpload(
        request.request, unless: request.cancellation, timeout: request.timeout,
        suspension: request.suspension)
    }
    let exchange = CurlExchange(request, upload: upload, loop: lease.loop, detour: detour)
    exchange.start()
    let head = try await exchange.head()
    return TransportResponse(
      head: head, body: try Self.body(of: exchange, headers: head.headers, lease: lease))
  }

  /// A snapshot of the open connections, and of the requests that wait for a connection.
  ///
  /// Connections from before ``resetConnections()`` are not listed, even if a transfer still uses them.
  public var connections: ConnectionSettings.Pool.Snapshot {
    get async { await loops.withLock { $0 }.snapshot() }
  }

  /// Uses new connections and name lookups for later requests.
  ///
  /// Running transfers finish in the previous event loops.
  public func resetConnections() {
    let new = makeLoops()
    settings.lookups.removeAll()
    let old = loops.withLock { loops in
      defer { loops = new }
      return loops
    }
    old.retire()
  }

  /// Returns a text that identifies the client; `nil` if no identity is known.
  ///
  /// For an `https` URL, the text identifies the client certificate. For an `http` URL, the text identifies
  /// the proxy and its user name.
  public func clientIdentity(for url: URL) -> String? {
    let (identity, hasChanged) = settings.identity(for: url)
    if hasChanged { resetConnections() }
    return identity
  }

  private static func body(
    of exchange: CurlExchange, headers: HTTPHeaders, lease: CurlLoopLease
  ) throws -> BodyStream {
    let decoders = try CurlBodySource.decoders(for: headers, of: exchange)
    if decoders.isEmpty, let whole = exchange.takeWhole() {
      return BodyStream(whole.data, summary: whole.summary)
    }
    let coded = BodyStream(CurlBodySource(exchange, lease: lease))
    if decoders.isEmpty { return coded }
    return BodyStream(DecodedSource(coded, decoders: decoders, for: exchange.request))
  }
}
#endif
