public import Foundation

/// The wire: sends one request and gives one response.
///
/// Everything else is the agent's.
///
/// ## Choose between a transport and a hook
///
/// A hook (``RequestHooks``) changes what is sent or received, whatever carries it. A transport carries it. Write
/// one to use another networking stack; to answer in tests, use `MockTransport` of `ErrandMocks`.
///
/// ## Implement a transport
///
/// A transport follows no redirect, retries nothing, and keeps no cookie, cache or credential. It sends the head
/// and the body as given, or a ``TransportRequest/TrailedBody`` where it sends trailers, adds only the fields that frame the message (`Host`,
/// `Content-Length`, `Transfer-Encoding`), gives the final head as soon as it is known, and the body as it is pulled. It ends at once
/// when ``TransportRequest/cancellation`` fires, which covers the caller's task too: the dispatch waits for it. It
/// throws ``TransportError`` when it cannot do its work.
public protocol Transport: Sendable {
  /// What this transport can do; asked before each request, so keep it cheap.
  var capabilities: TransportCapabilities { get }

  /// Sends the request and returns when the head of the final response is there. Never called on the main actor.
  func send(_ request: TransportRequest) async throws -> TransportResponse

  /// Sends what comes from now on over new connections; what runs goes on over its own.
  ///
  /// Does nothing by default. A transport with connections closes those that are idle at once, and the others when
  /// their last transfer has ended; one around another tells that one.
  func resetConnections()

  /// The client as which the transport shows itself to the server of a URL, besides what is in the request; `nil`, the default,
  /// where it shows nothing, such as no client certificate.
  ///
  /// A cache keeps apart what each client was answered. The text is the same for one client in every process, another for another client,
  /// and holds no secret: a digest of the certificate does. The agent asks before it looks into its cache, and again when the head of the
  /// response is there: a response is not kept where the text is another by then. A transport around another asks that one.
  func clientIdentity(for url: URL) -> String?
}

extension Transport {
  /// Shows nothing.
  public func clientIdentity(for url: URL) -> String? { nil }

  /// Does nothing.
  public func resetConnections() {}
}

/// What the agent hands to a transport.
public struct TransportRequest: Sendable {
  /// The request, checked and complete but for the fields that frame it.
  public var request: HTTPRequest
  /// How long there may be no progress (no byte sent or received) before it ends with
  /// ``RequestError/Kind/timedOut``.
  public var timeout: Duration
  /// How much the transfer may take.
  ///
  /// The agent itself looks after ``TransferLimits/bodySize`` and ``TransferLimits/attemptTimeout``; the others are
  /// the transport's.
  public var limits: TransferLimits
  /// How urgent it is beside others, for a transport that can tell its peer or share out something of its own.
  ///
  /// The agent has seen to the order in which requests start. `CurlTransport` makes no use of it: the weights of HTTP/2 are
  /// deprecated (RFC 9113 section 5.3.2).
  public var priority: RequestPriority
  /// Over which kinds of network it may go; less than all only where ``TransportCapabilities/choosesNetworks``.
  public var networkAccess: NetworkAccess = .all
  /// Whether it may connect to public addresses only, by ``DestinationPolicy/refusesPrivateAddresses``; `true` only where
  /// ``TransportCapabilities/checksAddresses``.
  public var refusesPrivateAddresses = false
  /// Fires when the transfer is to end at once.
  public var cancellation: CancellationSignal
  /// Tells when the transfer is to rest; `nil` when it never rests.
  ///
  /// The agent reads no more of the body meanwhile. A transport with timers of progress stops them.
  public var suspension: SuspensionSignal?
  /// Where the transport tells how many bytes of the bodies have moved; `nil` when nobody wants to know.
  ///
  /// Without it progress is counted as bodies are read, after decoding, and nothing is known of what is sent.
  public var counter: TransportRequest.Counter?
  /// Where the transport tells the informational responses (RFC 9110 section 15.2) that come before the final one, but for 100, which is its own;
  /// `nil` when nobody wants to know.
  ///
  /// Each has a status, header fields and no body. It is called on a thread of the transport, and returns at once. `CurlTransport` and
  /// `MockTransport` call it; `URLSession` does not tell of them.
  public var informational: (@Sendable (HTTPResponse) -> Void)?
  /// Whether no connection that stands may be used: one of them has just failed the same request.
  package var wantsFreshConnection = false
  /// Whether the body of the response may be long, and is not kept.
  package var isBulk = false
  /// The slot of its origin that the agent holds for it; `nil` for none.
  var slot: OriginSlots.Lease?

  /// Makes a request for a transport; the agent does, and tests of transports.
  public init(
    _ request: HTTPRequest, timeout: Duration = .seconds(60), limits: TransferLimits = TransferLimits(),
    priority: RequestPriority = .default, cancellation: CancellationSignal = CancellationSignal(),
    suspension: SuspensionSignal? = nil
  ) {
    self.request = request
    self.timeout = timeout
    self.limits = limits
    self.priority = priority
    self.cancellation = cancellation
    self.suspension = suspension
  }
}

extension TransportRequest {
  /// Throws what nothing can be sent for.
  func checkForNetwork() throws {
    if cancellation.isCancelled { throw TransportError.cancelled }
    if WebScheme(request.url) == nil {
      throw TransportError(.invalidURL, "only http and https URLs can be sent")
    }
    if timeout <= .zero {
      throw TransportError(
        .timedOut, "the timeout of \(timeout.secondsText) leaves no time to send anything")
    }
  }
}

/// What a transport gives back.
public struct TransportResponse: Sendable {
  /// The head of the final response; its body is empty.
  public var head: HTTPResponse
  /// The body after content decoding.
  public var body: BodyStream

  /// Makes a response of a head and a body still to come.
  public init(head: HTTPResponse, body: BodyStream) {
    self.head = head
    self.body = body
  }
}
