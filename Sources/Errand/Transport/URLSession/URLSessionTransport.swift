#if canImport(FoundationNetworking)
public import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// What a user's code makes of a challenge.
typealias SessionChallengeHandler =
  @Sendable (URLAuthenticationChallenge) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

/// The default transport on Apple platforms: `URLSession`.
///
/// One session for all requests, with tasks and a delegate; it keeps no cookie, no cache and no credential, and follows no redirect, as
/// the agent does what there is to do. A session lives until the transport and every body it gave are gone: released transports end
/// nothing.
///
/// What `URLSession` itself decides stays its own. It joins response fields of one name, but for `Set-Cookie`, and has no order of
/// fields; it removes dot segments from paths; it adds `Accept`, `Accept-Language` and `Accept-Encoding` where a request has none, and
/// `Content-Type: application/x-www-form-urlencoded` to a body without a type; it tells neither trailers nor informational responses, and sends no trailers; it
/// decodes content codings itself, without ``TransferLimits/decodedRatio``. ``TransferLimits/connectTimeout`` is not kept: a session
/// does not tell when a connection stands. A limit that it cannot keep and that differs from its default fails with
/// ``RequestError/Kind/unsupported``, and so does a `GET` with a body.
///
/// On Linux it is there to be given by hand, for comparison, and not for production: Foundation ends the process when a response has
/// trailers or a connection is cut inside a head, before Swift 6.4. There a body that is a stream is first kept in memory, a server that
/// sends faster than the body is read fills memory, and the system's certificates alone are trusted. ``CurlTransport`` has none of that.
public final class URLSessionTransport: Transport, Sendable {
  private let configuration: URLSessionConfiguration
  private let onChallenge: SessionChallengeHandler?
  private let lease: Locked<SessionLease>

  /// Makes a transport with a session of its own.
  ///
  /// - Parameter configuration: what the session begins with, such as a service type or a minimum version of TLS; copied. What it keeps
  ///   between requests (cookies, cache, credentials), its header fields, its times and its number of connections are set aside. `.ephemeral` by default.
  public convenience init(configuration: URLSessionConfiguration = .ephemeral) {
    self.init(configuration, onChallenge: nil)
  }

  /// Makes a transport that connects as it is told, as far as a session does.
  ///
  /// On Apple platforms that is ``TLSSettings/minimumVersion``, and of the proxies the system's or none. The rest, and all of it on Linux, is a
  /// ``CurlTransport``'s; a `URLSessionConfiguration` and `onChallenge` have what there is of it.
  ///
  /// - Parameters:
  ///   - settings: how to connect.
  ///   - configuration: as in ``init(configuration:)``; the settings count.
  /// - Throws: what a session does not do, of the kind ``RequestError/Kind/unsupported``.
  public convenience init(
    _ settings: ConnectionSettings, configuration: URLSessionConfiguration = .ephemeral
  ) throws(TransportError) {
    if let foreign = Self.foreignPart(of: settings) {
      throw TransportError(.unsupported, "URLSession keeps no \(foreign); CurlTransport does")
    }
    let copy = configuration.forOneTransport()
    if let rest = SessionPlatform.apply(settings, to: copy) {
      throw TransportError(.unsupported, "URLSession of this platform keeps no \(rest); CurlTransport does")
    }
    self.init(copy, onChallenge: nil)
  }

  /// What no session is told in this way.
  private static func foreignPart(of settings: ConnectionSettings) -> String? {
    let (proxies, tls) = (settings.proxies, settings.tls)
    if proxies != .environment, proxies != .none { return "stated proxies" }
    if tls.certificateAuthorities != nil { return "tls.certificateAuthorities" }
    if !tls.pins.isEmpty { return "tls.pins" }
    return tls.clientCertificates.isEmpty ? nil : "tls.clientCertificates"
  }

  init(_ configuration: URLSessionConfiguration, onChallenge: SessionChallengeHandler?) {
    self.configuration = configuration.forOneTransport()
    self.onChallenge = onChallenge
    lease = Locked(SessionLease(self.configuration, onChallenge: onChallenge))
  }

  /// What this system's `URLSession` can do.
  public var capabilities: TransportCapabilities { SessionPlatform.capabilities }

  /// Sends the request and returns when the head of the final response is there.
  ///
  /// Throws a ``TransportError``, or what the stream of the request's body threw.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    try Self.check(request)
    let upload = try await TransferUpload(
      request.request, unless: request.cancellation, timeout: request.timeout, suspension: request.suspension)
    if request.request.method.token.lowercased() == "get", !upload.isEmpty {
      throw TransportError(.unsupported, "URLSession sends no body with GET; use another method or transport")
    }
    let exchange = URLSessionExchange(request, upload: upload, lease: lease.withLock { $0 })
    exchange.start()
    let head = try await exchange.head()
    if let whole = exchange.takeWhole() {
      return TransportResponse(head: head, body: BodyStream(whole.data, summary: whole.summary))
    }
    return TransportResponse(head: head, body: BodyStream(URLSessionBody(exchange)))
  }

  /// Sends what comes from now on in a new session, and so over new connections.
  ///
  /// What runs ends in the session of before, which ends with it.
  public func resetConnections() {
    let new = SessionLease(configuration, onChallenge: onChallenge)
    // The one before is released after the lock.
    _ = lease.withLock { lease in
      defer { lease = new }
      return lease
    }
  }

  /// A digest of what `onChallenge` has shown of the client to the host, in the session of now: a certificate, or a name with a password.
  ///
  /// It is not known before the first connection, whose response is not kept. Reset connections where `onChallenge` answers for another
  /// user from now on. What the system shows of itself, without `onChallenge`, is not told apart.
  public func clientIdentity(for url: URL) -> String? {
    onChallenge == nil ? nil : lease.withLock { $0 }.delegate.clients.identity(for: url)
  }

  /// How many transfers run in the session of now; for tests.
  var runningCount: Int { lease.withLock { $0 }.runningCount }

  private static func check(_ request: TransportRequest) throws {
    try request.checkForNetwork()
    if !request.request.trailers.isEmpty {
      throw TransportError(.unsupported, "URLSession sends no trailers; CurlTransport does")
    }
    if request.request.url.absoluteString.utf8.contains(UInt8(ascii: "@")), request.request.url.user() != nil
    {
      throw TransportError(.invalidURL, "the URL has a user name or a password in it")
    }
    guard let name = request.limits.unkeptBySessions else { return }
    throw TransportError(
      .unsupported, "URLSession cannot keep limits.\(name); leave it at its default, or use another transport"
    )
  }
}

/// The body of a response: takes the chunks from the exchange.
final class URLSessionBody: BodySource {
  private let exchange: URLSessionExchange

  init(_ exchange: URLSessionExchange) { self.exchange = exchange }

  deinit { exchange.giveUp() }

  func next() async throws -> Data? {
    // The transfer may have ended before the signal fired, with chunks still to be read.
    if exchange.request.cancellation.isCancelled { exchange.giveUp() }
    return try await exchange.nextChunk()
  }

  func cancel() { exchange.giveUp() }

  var summary: TransportSummary { exchange.summary }
}
