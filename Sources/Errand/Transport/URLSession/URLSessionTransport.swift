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
/// The requests share a session until ``resetConnections()``. The session stores no cookie, response or
/// credential and follows no redirect.
///
/// `URLSession` itself decides some behaviour:
///
/// - Response fields of the same name are joined, except `Set-Cookie`, and lose their order.
/// - Dot segments are removed from paths.
/// - A request without `Accept`, `Accept-Language` or `Accept-Encoding` may get the missing field. A body
///   without a type may get `Content-Type: application/x-www-form-urlencoded`.
/// - Trailers and informational responses are not reported.
/// - The default values of ``/Errand/TransferLimits/decodedRatio``, ``/Errand/TransferLimits/connectTimeout``
///   and ``/Errand/TransferLimits/informationalCount`` have no effect.
///
/// Requests with these features fail with ``/Errand/RequestError/Kind/unsupported``:
///
/// - trailers, or a `GET` with a body
/// - a ``/Errand/TransferLimits/decodedSize``, ``/Errand/TransferLimits/maximumReceiveRate``,
///   ``/Errand/TransferLimits/maximumSendRate`` or ``/Errand/TransferLimits/expectContinueSize``
/// - a ``/Errand/TransferLimits/decodedRatio``, ``/Errand/TransferLimits/connectTimeout`` or
///   ``/Errand/TransferLimits/informationalCount`` other than the default and `nil`
///
/// On Linux, the transport is in the module `ErrandURLSession`, and is meant for comparison, not for
/// production. Before Swift 6.4, Foundation may crash when a response has trailers or a connection breaks
/// inside a head. On Linux, a streamed request body is first collected in memory, and a slowly read response
/// fills memory.
public final class URLSessionTransport: Transport, Sendable {
  private let configuration: URLSessionConfiguration
  private let onChallenge: SessionChallengeHandler?
  private let triesHTTP3: Bool
  private let lease: Locked<SessionLease>

  /// Creates a transport with its own session.
  ///
  /// - Parameter configuration: the session's settings, such as a service type or a minimum TLS version;
  ///   copied. The transport overrides the stores for cookies, cache and credentials, the header fields, the
  ///   timeouts and the number of connections. `.ephemeral` by default.
  public convenience init(configuration: URLSessionConfiguration = .ephemeral) {
    self.init(configuration, onChallenge: nil)
  }

  /// Creates a transport with connection settings, as far as a session supports them.
  ///
  /// Apple platforms support ``/Errand/TLSSettings/minimumVersion``, the system's proxies or no proxies, and
  /// the HTTP versions `.automatic` and `.http3`.
  /// On Linux, only the defaults are accepted. `CurlTransport` supports further settings.
  ///
  /// - Parameters:
  ///   - settings: the connection settings.
  ///   - configuration: as in ``init(configuration:)``; the settings take precedence, but the higher minimum of
  ///     the two TLS versions applies.
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

  /// Sends the request and returns as soon as the head of the final response has arrived.
  ///
  /// Throws a ``/Errand/TransportError``, or the error thrown by the stream of the request body.
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

  /// Uses a new session, and so new connections, for all later requests.
  ///
  /// Running transfers finish in the previous session.
  public func resetConnections() {
    let new = SessionLease(configuration, onChallenge: onChallenge, triesHTTP3: triesHTTP3)
    // The previous lease is released outside the lock.
    _ = lease.withLock { lease in
      defer { lease = new }
      return lease
    }
  }

  /// Returns a text for the client identity that `onChallenge` has shown in the current session.
  ///
  /// The text contains digests of the user names or certificates shown to the host and, for `http`, to a
  /// proxy. `nil`: no identity was shown. Reset the connections when `onChallenge` starts to respond for a
  /// different user.
  public func clientIdentity(for url: URL) -> String? {
    onChallenge == nil ? nil : lease.withLock { $0 }.delegate.clients.identity(for: url)
  }

  /// For tests.
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
    // Chunks may be left if the transfer ended before the cancellation.
    if exchange.request.cancellation.isCancelled { exchange.abandon() }
    return try await exchange.nextChunk()
  }

  func cancel() { exchange.abandon() }

  var summary: TransportSummary { exchange.summary }
}
