#if os(Linux)
public import Foundation

extension CurlTransport: URLTextTransport {}

/// The default transport on Linux: libcurl's multi interface, driven by a few threads.
///
/// The process loads the system's `libcurl.so.4`, or else `libcurl-gnutls.so.4`, at the first use. Without
/// libcurl, or with a version before 7.76, requests fail with ``RequestError/Kind/unsupported``. A statically
/// linked executable needs the package's trait `LinkedCurl`, which links libcurl and zlib.
///
/// Releasing a transport cancels nothing: running requests and response bodies finish.
///
/// HTTP/2 over TLS needs libcurl 8.3 or newer, built with HTTP/2. With HTTP/2, concurrent requests to a host
/// usually share a connection.
///
/// The transport decodes `gzip` and `deflate` with the system's `libz.so.1`, `br` with `libbrotlidec.so.1`,
/// and `zstd` with `libzstd.so.1`. A body with an unknown coding, or without the library for a coding, is
/// delivered unchanged. More than four codings are an error.
///
/// If a connection breaks after the transport began to send a request, the transport may send the request
/// again over another connection. If the method is not idempotent (RFC 9110 section 9.2.2), the transport
/// does so only if the server is known not to have processed the request.
///
/// By default, the transport uses the proxies of the environment; see ``Proxy/Rules/environment``. Other
/// proxies are set in ``ConnectionSettings/proxies``.
///
/// The minimum TLS version is at least 1.2, even if the system's configuration allows older versions. If the
/// environment has `SSLKEYLOGFILE`, libcurl usually writes the keys of TLS connections to this file, also in
/// release builds.
///
/// Requests with trailers use HTTP/1.1. Trailers are limited to 65,000 bytes.
///
/// A response may arrive before the whole body was sent, and may then end the upload. With some versions of
/// libcurl, a request that ends during its name lookup may block other requests until the lookup ends.
public final class CurlTransport: Transport, Sendable {
  private let loops: Locked<CurlLoops>
  private let makeLoops: @Sendable () -> CurlLoops
  /// The library of a test; `nil` for the system's library.
  private let library: CurlLibrary?
  private let connections: CurlConnections

  /// Creates a transport with its own connections.
  ///
  /// - Parameters:
  ///   - certificateAuthorities: a PEM file of trusted certificates, which replace the system's authorities;
  ///     `nil`, the default, trusts the system's authorities. If the file cannot be read, HTTPS requests fail
  ///     with ``RequestError/Kind/secureConnectionFailed``.
  ///   - eventLoops: the number of event loops, each with a thread, at least 1; `nil`, the default: half the
  ///     number of processors, from 1 to 4. Requests to the same origin share an event loop.
  ///   - idleConnectionLifetime: the longest idle time after which a connection is reused, rounded up to
  ///     whole seconds; 60 s by default. With `.zero`, no idle connection is reused.
  public convenience init(
    certificateAuthorities: URL? = nil, eventLoops: Int? = nil,
    idleConnectionLifetime: Duration = .seconds(60)
  ) {
    var settings = ConnectionSettings()
    settings.tls.certificateAuthorities = certificateAuthorities
    self.init(
      connections: CurlConnections(settings), eventLoops: eventLoops, idleLifetime: idleConnectionLifetime)
  }

  /// Creates a transport with its own connections, proxies, routes and TLS settings.
  ///
  /// - Parameters:
  ///   - settings: the proxies, routes, TLS settings and connections.
  ///   - eventLoops: the number of event loops; see
  ///     ``init(certificateAuthorities:eventLoops:idleConnectionLifetime:)``.
  ///   - idleConnectionLifetime: the longest idle time after which a connection is reused; 60 s by default.
  /// - Throws: ``RequestError/Kind/unsupported`` without libcurl 7.76 or newer, or for a setting that the
  ///   loaded libcurl does not support; ``RequestError/Kind/file`` for an unreadable file;
  ///   ``RequestError/Kind/invalidRequest`` for an invalid host, route or name server, or for pins without a
  ///   key.
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
    self.connections = connections
  }

  init(loop: CurlLoop = CurlLoop(), library: CurlLibrary? = nil) {
    makeLoops = { CurlLoops([CurlLoop()]) }
    loops = Locked(CurlLoops([loop]))
    self.library = library
    connections = loop.connections
  }

  /// The features of the loaded libcurl, and the content codings with a decoder on the system.
  public var capabilities: TransportCapabilities { connections.capabilities }

  /// Sends the request and returns as soon as the head of the final response has arrived.
  ///
  /// Throws a ``TransportError``, or the error thrown by the stream of the request body.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    if let failure = (library ?? .system).failure { throw failure }
    try request.checkForNetwork()
    let detour = connections.routes.isEmpty ? nil : try await connections.detour(for: request)
    try connections.check(request, detour: detour)
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

  /// Closes the idle connections, and uses new connections and new name lookups for later requests.
  ///
  /// Running transfers finish on the previous threads and connections.
  public func resetConnections() {
    let new = makeLoops()
    connections.lookups.removeAll()
    let old = loops.withLock { loops in
      defer { loops = new }
      return loops
    }
    old.retire()
  }

  /// Returns a text with a digest of the client identity for the URL.
  ///
  /// For HTTPS, the digest covers the file of the client certificate. For HTTP through a proxy with
  /// credentials, the digest covers the proxy and the user name. Without an identity, the result is `nil`.
  ///
  /// The call resets the connections if the certificate file has changed, because open connections may have
  /// presented the previous certificate.
  public func clientIdentity(for url: URL) -> String? {
    let (identity, hasChanged) = connections.identity(for: url)
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
