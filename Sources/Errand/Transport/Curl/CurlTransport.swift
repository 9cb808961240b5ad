#if os(Linux)
public import Foundation

/// The default transport on Linux: libcurl's multi interface, driven by a few threads.
///
/// The system's `libcurl.so.4`, or else `libcurl-gnutls.so.4`, is loaded with the first request; without either, and with one
/// before 7.76, every request fails with ``RequestError/Kind/unsupported``. A statically linked executable can load nothing:
/// the package's trait `LinkedCurl` links libcurl and zlib instead.
///
/// A thread starts with its first request and ends when the transport and every body it gave are gone. Released
/// transports end nothing: a request in flight, and a body still being read, run to their end.
///
/// It speaks HTTP/1.1, and HTTP/2 over TLS when libcurl 8.3 or newer was built with it, and keeps connections open for reuse. An older libcurl
/// does not tell a whole response over HTTP/2 from one that was cut.
/// Requests at once to an https host wait for its first connection and share it, as many as the server allows at once;
/// those beyond open connections of their own, and so do all when the server has no HTTP/2. ``capabilities`` tells
/// what this libcurl can do.
///
/// It decodes the content codings `gzip` and `deflate`, `br` and `zstd` where the system has `libz.so.1`, `libbrotlidec.so.1`
/// and `libzstd.so.1`; a response in any other coding is given as it came. A connection that the server closed while
/// it was idle is replaced and the request sent again when its method is idempotent (RFC 9110 section 9.2.2) and its
/// body can be replayed; any other request fails with ``RequestError/Kind/connectionLost``, but where HTTP/2 says that
/// it was not acted on. The proxies named by the environment (`https_proxy`, `no_proxy`) are used, but never for this
/// machine (`localhost`, `127.0.0.0/8`, `::1`), unless ``ConnectionSettings/proxies`` names others; the environment is read once.
///
/// TLS is 1.2 or newer, whatever the system's configuration allows. Where the environment has `SSLKEYLOGFILE`, libcurl
/// writes the keys of every connection to that file, also in release builds: who may set a process's environment may
/// read what it sends. Where libcurl uses neither OpenSSL nor GnuTLS nor wolfSSL, a connection over TLS with HTTP/1.1 is
/// used for one request.
///
/// Trailers of a request go over HTTP/1.1, for which an https host gets a connection of its own beside one of HTTP/2, as libcurl sends
/// them over no other; 65,000 bytes of them at most.
///
/// An answer that comes before the whole body was sent counts, and ends the sending. A 417 to a request with an `Expect`
/// ends with its head, and nothing is sent again. With libcurl before 7.87 a request that ends while its name is looked up
/// holds up those on the same thread until the name server answers.
public final class CurlTransport: Transport, Sendable {
  private let loops: Locked<CurlLoops>
  private let makeLoops: @Sendable () -> CurlLoops
  private let library: CurlLibrary
  private let connections: CurlConnections

  /// Makes a transport with connections of its own.
  ///
  /// - Parameters:
  ///   - certificateAuthorities: a file of certificates in PEM form that are trusted instead of the system's
  ///     authorities, such as the private one of a company; `nil`, the default, trusts the system's. Where the file
  ///     cannot be read, https requests fail with ``RequestError/Kind/secureConnectionFailed``.
  ///   - eventLoops: the number of threads, at least 1; `nil`, the default, takes one for every two processors, four at
  ///     most. All requests to one scheme, host and port stay on one of them, so more help only a program that talks
  ///     to several at once.
  ///   - idleConnectionLifetime: how long a connection may have been idle and still be used again, in whole seconds,
  ///     rounded up; 60 by default, as many servers close theirs soon after. An older one is closed within a second or
  ///     two, or an eighth of that time. `.zero` uses each for one request.
  public convenience init(
    certificateAuthorities: URL? = nil, eventLoops: Int? = nil,
    idleConnectionLifetime: Duration = .seconds(60)
  ) {
    var settings = ConnectionSettings()
    settings.tls.certificateAuthorities = certificateAuthorities
    self.init(
      connections: CurlConnections(settings), eventLoops: eventLoops, idleLifetime: idleConnectionLifetime)
  }

  /// Makes a transport with connections of its own, and a say in how they are made.
  ///
  /// - Parameters:
  ///   - settings: its proxies, and what TLS has to be like.
  ///   - eventLoops: the number of threads; see ``init(certificateAuthorities:eventLoops:idleConnectionLifetime:)``.
  ///   - idleConnectionLifetime: how long a connection may have been idle and still be used again; 60 seconds by default.
  /// - Throws: what this libcurl cannot do, of the kind ``RequestError/Kind/unsupported``; a file that cannot be read, of the kind
  ///   ``RequestError/Kind/file``; pins without a key, of the kind ``RequestError/Kind/invalidRequest``.
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
    library = .system
    self.connections = connections
  }

  init(loop: CurlLoop = CurlLoop(), library: CurlLibrary = .system) {
    makeLoops = { CurlLoops([CurlLoop()]) }
    loops = Locked(CurlLoops([loop]))
    self.library = library
    connections = loop.connections
  }

  /// What the libcurl found at run time can do, and the codings for which the system has decoders; bodies may be
  /// streams.
  public var capabilities: TransportCapabilities { .curl }

  /// Sends the request and returns when the head of the final response is there.
  ///
  /// Throws a ``TransportError``, or what the stream of the request's body threw.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    if let failure = library.failure { throw failure }
    try request.checkForNetwork()
    try connections.check(request)
    if let refusal = CurlTrailers.refusal(of: request.request.trailers.fields) { throw refusal }
    let lease = loops.withLock { $0 }[request.request.url]
    let exchange = CurlExchange(
      request,
      upload: try await TransferUpload(
        request.request, unless: request.cancellation, timeout: request.timeout,
        suspension: request.suspension),
      loop: lease.loop)
    exchange.start()
    let head = try await exchange.head()
    return TransportResponse(
      head: head, body: try Self.body(of: exchange, headers: head.headers, lease: lease))
  }

  /// Closes the idle connections at once, and sends what comes from now on over new ones.
  ///
  /// What runs ends on the threads of before, which end with it; no connection of theirs is used for another request.
  public func resetConnections() {
    let new = makeLoops()
    let old = loops.withLock { loops in
      defer { loops = new }
      return loops
    }
    old.retire()
  }

  /// The SHA-256 of the file of the client certificate that the host is shown; for an http URL that goes to a proxy with credentials, of
  /// the proxy and the name.
  ///
  /// The file is looked at each time. Where it is another client's by now, connections are reset: those that stand showed the one before.
  public func clientIdentity(for url: URL) -> String? {
    let (identity, hasChanged) = connections.identity(for: url)
    if hasChanged { resetConnections() }
    return identity
  }

  /// A small body has come with its head and is given as it is, unless it has to be decoded.
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
