public import Foundation

/// A network layer: sends a single request and returns a single response.
///
/// Write a transport to use a different networking stack.
///
/// - Leave redirects, retries, cookies, the cache and credentials to the agent.
/// - Add only header fields that the transport itself must set, such as `Host` and `Content-Length`.
/// - For a request with trailers, send a ``TransportRequest/TrailedBody`` instead of the body.
/// - End when ``TransportRequest/cancellation`` fires, because the dispatch waits for the transport.
public protocol Transport: Sendable {
  /// The features of this transport. The property must be cheap, because agents read the property often.
  var capabilities: TransportCapabilities { get }

  /// Sends the request and returns when the head of the final response has arrived.
  ///
  /// The agent calls the method off the main actor, unless the method is isolated to the main actor. Throw a
  /// failure as a ``TransportError``.
  func send(_ request: TransportRequest) async throws -> TransportResponse

  /// Makes later requests use new connections; by default, does nothing.
  ///
  /// Running transfers should finish. A wrapping transport must forward the call to the wrapped transport.
  func resetConnections()

  /// A snapshot of the open connections, and of the requests that wait for a connection.
  ///
  /// By default, throws ``RequestError/Kind/unsupported``. A wrapping transport must forward the property.
  var connections: ConnectionSettings.Pool.Snapshot { get async throws }

  /// Returns the client identity that the transport shows for a URL, such as a client certificate.
  ///
  /// `nil`, the default: no known identity. A cache separates the responses by identity. The text of an
  /// identity should be the same in every process, and should contain no secret. A wrapping transport must
  /// forward the call to the wrapped transport.
  func clientIdentity(for url: URL) -> String?
}

extension Transport {
  /// Returns `nil`: no known identity.
  public func clientIdentity(for url: URL) -> String? { nil }

  /// Does nothing.
  public func resetConnections() {}

  /// Throws ``RequestError/Kind/unsupported``.
  public var connections: ConnectionSettings.Pool.Snapshot {
    get async throws {
      throw TransportError.noConnections(of: self)
    }
  }
}

extension TransportError {
  package static func noConnections(of transport: some Transport) -> TransportError {
    let name = "\(type(of: transport))"
    return TransportError(.unsupported, name + " cannot list connections: only CurlTransport can")
  }
}

/// A transport that usually reads only the text of a request's URL.
package protocol URLTextTransport: Transport {}

/// The agent's request to a transport.
public struct TransportRequest: Sendable {
  /// The request, checked and complete except for the header fields that the transport adds.
  public var request: HTTPRequest
  /// The maximum time without progress before ``RequestError/Kind/timedOut``; 60 s by default.
  public var timeout: Duration
  /// The limits of the transfer.
  ///
  /// The agent enforces ``TransferLimits/bodySize`` and ``TransferLimits/attemptTimeout``. The transport
  /// should enforce the remaining limits.
  public var limits: TransferLimits
  /// The urgency relative to concurrent requests.
  public var priority: RequestPriority
  /// The allowed kinds of network; a value other than `.all` needs ``TransportCapabilities/choosesNetworks``.
  public var networkAccess: NetworkAccess = .all
  /// True if the transport must refuse private addresses; needs ``TransportCapabilities/checksAddresses``.
  public var refusesPrivateAddresses = false
  /// The signal to end the transfer.
  public var cancellation: CancellationSignal
  /// The signal to pause the transfer and its timers; `nil` if the transfer cannot be suspended.
  public var suspension: SuspensionSignal?
  /// The counter for the transferred bytes of the bodies; `nil` if the transfer's progress is not measured.
  public var counter: TransportRequest.Counter?
  /// The receiver of informational responses (RFC 9110 section 15.2), except 100 and 101; `nil` without a
  /// receiver.
  ///
  /// The transport may call the closure on any thread.
  public var informational: (@Sendable (HTTPResponse) -> Void)? {
    get { listener?.informational }
    set { listener = TransferListener(informational: newValue, connection: listener?.connection) }
  }
  /// The receiver of the steps in which a connection is opened for the request; `nil` without a receiver.
  ///
  /// The transport may call the closure on any thread. The duration is the time since the step. A request
  /// over an open connection has no steps.
  public var connectionStep: (@Sendable (TransportSummary.ConnectionStep, Duration) -> Void)? {
    get { listener?.connection }
    set { listener = TransferListener(informational: listener?.informational, connection: newValue) }
  }
  /// The receivers, in an object so that the request stays small; `nil` without a receiver.
  var listener: TransferListener?
  /// True if the transport should not reuse a connection.
  ///
  /// Set in a retry after the error `timedOut` or `connectionLost`, because the connection may have caused
  /// such an error.
  package var wantsFreshConnection = false
  package var isBulk = false
  /// The permit for a transfer to the origin; `nil` if the agent holds no permit.
  var slot: OriginSlots.Lease?
}

extension TransportRequest {
  /// Creates a request for a transport.
  public init(
    _ request: HTTPRequest, timeout: Duration = .seconds(60), limits: TransferLimits = TransferLimits(),
    priority: RequestPriority = .default, cancellation: CancellationSignal = CancellationSignal(),
    suspension: SuspensionSignal? = nil
  ) {
    self.init(
      request: request, timeout: timeout, limits: limits, priority: priority, cancellation: cancellation,
      suspension: suspension)
  }

  package func checkForNetwork() throws {
    if cancellation.isCancelled { throw TransportError.cancelled }
    if WebScheme(text: request.location.text) == nil {
      throw TransportError(.invalidURL, "only http and https URLs can be sent")
    }
    if timeout <= .zero {
      throw TransportError(
        .timedOut, "the timeout of \(timeout.secondsText) leaves no time to send anything")
    }
  }
}

/// The response of a transport.
public struct TransportResponse: Sendable {
  /// The head of the final response, with an empty body.
  public var head: HTTPResponse
  /// The body, decoded if the transport decodes the content coding.
  public var body: BodyStream

  /// Creates a response from a head and a body.
  public init(head: HTTPResponse, body: BodyStream) {
    self.head = head
    self.body = body
  }
}
