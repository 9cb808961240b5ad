#if canImport(FoundationNetworking)
public import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

typealias SessionChallengeHandler =
  @Sendable (URLAuthenticationChallenge) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

/// The default transport on Apple platforms: `URLSession`.
///
/// `URLSession` has its own behaviour:
///
/// - Response fields lose their order, and fields of the same name are joined, except `Set-Cookie`.
/// - Dot segments may be removed from paths, and missing fields such as `Accept` may be added.
/// - Trailers of the response and informational responses are not reported.
/// - The default values of ``/Errand/TransferLimits/decodedRatio``, ``/Errand/TransferLimits/connectTimeout``
///   and ``/Errand/TransferLimits/informationalCount`` have no effect.
/// - Other values of these limits, except `nil`, fail with ``/Errand/RequestError/Kind/unsupported``.
/// - Trailers of the request, a `GET` with a body, and the limits
///   ``/Errand/TransferLimits/decodedSize``, `maximumReceiveRate`, `maximumSendRate` and
///   `expectContinueSize` are not supported either.
///
/// On Linux, the module `ErrandURLSession` has this transport for comparison, not for production.
public final class URLSessionTransport: Transport, Sendable {
  private let configuration: URLSessionConfiguration
  private let onChallenge: SessionChallengeHandler?
  private let triesHTTP3: Bool
  private let lease: Locked<SessionLease>

  /// Creates a transport with its own session.
  ///
  /// - Parameter configuration: the session's settings; `.ephemeral` by default. The transport overrides the
  ///   cache, the cookie and credential stores, header fields, timeouts and the number of connections.
  public convenience init(configuration: URLSessionConfiguration = .ephemeral) {
    self.init(configuration, onChallenge: nil)
  }

  /// Creates a transport with its own session and with connection settings.
  ///
  /// Apple platforms support ``/Errand/TLSSettings/minimumVersion``, the system's proxies or no proxies, and
  /// the HTTP versions `.automatic` and `.http3`.
  ///
  /// - Throws: ``/Errand/RequestError/Kind/unsupported`` for a setting that a session does not support.
  public convenience init(
    _ settings: ConnectionSettings, configuration: URLSessionConfiguration = .ephemeral
  ) throws(TransportError) {
    if let foreign = Self.foreignPart(of: settings) {
      throw TransportError(.unsupported, "URLSession does not support \(foreign): use CurlTransport")
    }
    let copy = configuration.forOneTransport()
    if let rest = SessionPlatform.apply(settings, to: copy) {
      throw TransportError(
        .unsupported, "URLSession on this platform does not support \(rest): use CurlTransport")
    }
    self.init(copy, onChallenge: nil, triesHTTP3: settings.httpVersion == .http3)
  }

  private static func foreignPart(of settings: ConnectionSettings) -> String? {
    let (proxies, tls) = (settings.proxies, settings.tls)
    if proxies != .environment, proxies != .none { return "proxies other than .environment and .none" }
    if tls.certificateAuthorities != nil { return "tls.certificateAuthorities" }
    if !tls.pins.isEmpty { return "tls.pins" }
    if !tls.clientCertificates.isEmpty { return "tls.clientCertificates" }
    if !settings.routes.isEmpty { return "routes" }
    if settings.nameServer != nil { return "nameServer" }
    if settings.localAddress != nil { return "localAddress" }
    if ![.automatic, .http3].contains(settings.httpVersion) {
      return "httpVersion other than .automatic and .http3"
    }
    return settings.pool == ConnectionSettings.Pool() ? nil : "pool"
  }

  init(
    _ configuration: URLSessionConfiguration, onChallenge: SessionChallengeHandler?, triesHTTP3: Bool = false
  ) {
    self.configuration = configuration.forOneTransport()
    self.onChallenge = onChallenge
    self.triesHTTP3 = triesHTTP3
    lease = Locked(SessionLease(self.configuration, onChallenge: onChallenge, triesHTTP3: triesHTTP3))
  }

  /// The capabilities of the system's `URLSession`.
  public var capabilities: TransportCapabilities { SessionPlatform.capabilities }

  /// Sends the request and returns when the head of the final response has arrived.
  ///
  /// Throws a ``/Errand/TransportError``, or the error of the body's stream.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    try Self.check(request)
    let upload = try await TransferUpload(
      request.request, unless: request.cancellation, timeout: request.timeout, suspension: request.suspension)
    if request.request.method.token.lowercased() == "get", !upload.isEmpty {
      throw TransportError(.unsupported, "URLSession sends no body with GET: use another method or transport")
    }
    let exchange = URLSessionExchange(request, upload: upload, lease: lease.withLock { $0 })
    exchange.start()
    let head = try await exchange.head()
    if let whole = exchange.takeWhole() {
      return TransportResponse(head: head, body: BodyStream(whole.data, summary: whole.summary))
    }
    return TransportResponse(head: head, body: BodyStream(URLSessionBody(exchange)))
  }

  /// Uses a new session for later requests.
  ///
  /// Running transfers stay in the previous session.
  public func resetConnections() {
    let new = SessionLease(configuration, onChallenge: onChallenge, triesHTTP3: triesHTTP3)
    // The previous lease is released outside the lock.
    _ = lease.withLock { lease in
      defer { lease = new }
      return lease
    }
  }

  /// Returns a text for the client identity last shown to the server; `nil` if no identity is known.
  ///
  /// For an `http` URL, the identity last shown to a proxy counts too.
  public func clientIdentity(for url: URL) -> String? {
    onChallenge == nil ? nil : lease.withLock { $0 }.delegate.clients.identity(for: url)
  }

  var runningCount: Int { lease.withLock { $0 }.runningCount }

  private static func check(_ request: TransportRequest) throws {
    try request.checkForNetwork()
    if !request.request.trailers.isEmpty {
      throw TransportError(.unsupported, "URLSession sends no trailers: use CurlTransport")
    }
    if request.request.url.absoluteString.utf8.contains(UInt8(ascii: "@")), request.request.url.user() != nil
    {
      throw TransportError(.invalidURL, "the URL contains a user name or a password")
    }
    if request.limits.opensConnection {
      throw TransportError(
        .unsupported, "URLSession opens no connections for RequestAgent.connect: use CurlTransport")
    }
    guard let name = request.limits.unsupportedBySessions else { return }
    throw TransportError(
      .unsupported, "URLSession does not support limits.\(name): use the default value, or another transport"
    )
  }
}

final class URLSessionBody: BodySource {
  private let exchange: URLSessionExchange

  init(_ exchange: URLSessionExchange) { self.exchange = exchange }

  deinit { exchange.abandon() }

  func next() async throws -> Data? {
    // After the end of a transfer, a cancellation no longer calls `abandon()`. So unread chunks are dropped
    // here.
    if exchange.request.cancellation.isCancelled { exchange.abandon() }
    return try await exchange.nextChunk()
  }

  func cancel() { exchange.abandon() }

  var summary: TransportSummary { exchange.summary }
}
