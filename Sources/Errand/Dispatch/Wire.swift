import Foundation

/// The source of responses: a mock of the request, a `data:` URL, the cache, a shared transfer, or the
/// transport.
struct Wire: Sendable {
  /// The state of an attempt on the wire: its slot, and the source of its response.
  struct TransferState: Sendable {
    /// True if the caller receives the response body as a stream.
    var isStreamed = false
    /// True if the response body is written to a file.
    var isForFile = false
    /// True if the request must use a new connection.
    var wantsFreshConnection = false
    /// The slot of the origin; `nil`: the attempt holds no slot.
    var lease: OriginSlots.Lease?
    /// True if a mock of the request responded to the last hop, or threw an error.
    var isMocked = false
    /// True if at least one hop joined a transfer of another dispatch.
    var isCoalesced = false
    /// True if the last hop joined a transfer of another dispatch.
    var isLastHopShared = false
    /// True if the cache responded to the last hop, so the server sent no response.
    var isAnsweredByCache = false
    /// The headers from the server for the last hop with a cache; empty if the cache responded, because
    /// cached headers set no cookies.
    var fieldsOnTheWire: HTTPHeaders?

    /// True if the last hop says nothing about the server.
    ///
    /// The cache or a mock of the request responded, or a different dispatch started the transfer and
    /// reports on the server.
    var tellsNothingOfServer: Bool { isLastHopShared || isAnsweredByCache || isMocked }

    /// Resets the facts of the last hop before the hop of a redirect.
    mutating func beginHop() {
      (isMocked, isLastHopShared, isAnsweredByCache, fieldsOnTheWire) = (false, false, false, nil)
    }
  }

  /// The context and the limits of a transfer.
  struct Transfer: Sendable {
    /// The context for informational responses and for mocks.
    let context: RequestContext
    /// The last request before its signing; `nil`: not signed, or the identity is not needed.
    let identified: IdentifiedRequest?
    /// The signals that end or suspend the transfer.
    let signals: TransferSignals
    /// The counter of sent body bytes; `nil`: no accessory or caller asks for progress.
    let counter: TransportRequest.Counter?
  }

  /// A closure called with a request to which the cache does not respond.
  typealias WillSend = (HTTPRequest) async throws -> Void

  /// The agent's transport, or its substitute.
  let transport: any Transport
  /// The transport used in place of the agent's transport; `nil`: the agent's transport is used.
  let substitute: (any Transport)?
  let shared: SharedTransfers
  let limits: TransferLimits
  let coalescing: CoalescingPolicy
  let priority: RequestPriority
  /// The longest time without progress of a transfer.
  let timeout: Duration
  let networkAccess: NetworkAccess
  /// True if the transport must refuse to connect to private addresses.
  let refusesPrivateAddresses: Bool
  let meter: TransferMeter?
  /// The receiver of informational responses; `nil`: there are no listeners.
  let events: DispatchEvents?
  /// True if mocks of requests may respond.
  let allowsMocks: Bool
  /// The access to the cache; `nil`: no caching.
  let cache: CacheAccess?

  /// True if the identity behind the credentials matters, because responses may be shared or cached.
  var asksIdentity: Bool { coalescing != .none || cache != nil }

  /// Sends a request and returns the response as soon as its head has arrived.
  ///
  /// - Parameters:
  ///   - request: the request of the dispatch; may supply a mock response.
  ///   - transfer: the context and the limits of the transfer.
  ///   - transferState: the slot of the attempt; records the source of the response.
  ///   - willSend: called with a request unless the cache responds; `nil`: there is nobody to call.
  @inline(__always)
  func answer(
    to http: HTTPRequest, of request: some Request, for transfer: Transfer,
    through transferState: inout TransferState,
    willSend: WillSend? = nil
  ) async throws -> TransportResponse {
    if allowsMocks, let mock = try await mock(of: request, to: http, for: transfer, through: &transferState) {
      try await willSend?(http)
      return mock
    }
    if URLParts.isData(http.url.absoluteString) {
      try await willSend?(http)
      return try Self.dataAnswer(to: http.url)
    }
    if let cache, transferState.isForFile, cache.policy.sendsNothing {
      throw TransportError.uncached(.notAnswered, because: "the cache does not answer downloads")
    }
    if let cache, !transferState.isForFile {
      return try await cachedAnswer(
        to: http, by: cache, for: transfer, through: &transferState, willSend: willSend)
    }
    try await willSend?(http)
    if mayShare(transferState),
      let shared = try await sharedAnswer(to: http, for: transfer, through: &transferState)
    {
      return shared
    }
    var sent = TransportRequest(
      http, timeout: timeout, limits: limits, priority: priority,
      cancellation: transfer.signals.end, suspension: transfer.signals.suspension)
    complete(&sent, for: transfer, through: transferState)
    return try await transport.send(sent)
  }

  /// Returns the response from the cache, or from the wire.
  @inline(never)
  private func cachedAnswer(
    to http: HTTPRequest, by cache: CacheAccess, for transfer: Transfer,
    through transferState: inout TransferState,
    willSend: WillSend?
  ) async throws -> TransportResponse {
    transferState.isAnsweredByCache = false
    var sent: HTTPHeaders?
    let answer = try await cache.answer(
      to: http, identified: transfer.identified, unless: transfer.signals.end
    ) {
      try transfer.signals.check()
    } send: { http in
      try await willSend?(http)
      let shared =
        mayShare(transferState)
        ? try await sharedAnswer(to: http, for: transfer, through: &transferState) : nil
      let answer: TransportResponse
      if let shared {
        answer = shared
      } else {
        var own = TransportRequest(
          http, timeout: timeout, limits: limits, priority: priority,
          cancellation: transfer.signals.end, suspension: transfer.signals.suspension)
        complete(&own, for: transfer, through: transferState)
        answer = try await transport.send(own)
      }
      sent = answer.head.headers
      return CacheAccess.Sent(answer: answer, isShared: transferState.isLastHopShared)
    } refresh: { http, signal in
      var sent = TransportRequest(
        http, timeout: timeout, limits: limits, priority: .low, cancellation: signal)
      (sent.networkAccess, sent.refusesPrivateAddresses) = (networkAccess, refusesPrivateAddresses)
      return try await transport.send(sent)
    }
    transferState.isAnsweredByCache = sent == nil
    transferState.fieldsOnTheWire = sent ?? HTTPHeaders()
    return answer
  }

  /// True if the request may share a transfer with identical requests.
  @inline(__always)
  private func mayShare(_ transferState: borrowing TransferState) -> Bool {
    coalescing != .none && !transferState.isStreamed && networkAccess == .all && !refusesPrivateAddresses
  }

  /// Sets the remaining properties of a request for an unshared transfer.
  @inline(__always)
  private func complete(
    _ sent: inout TransportRequest, for transfer: Transfer, through transferState: borrowing TransferState
  ) {
    sent.counter = transfer.counter
    sent.informational = informational(transfer.context)
    sent.networkAccess = networkAccess
    sent.refusesPrivateAddresses = refusesPrivateAddresses
    sent.isBulk = transferState.isStreamed || transferState.isForFile
    sent.wantsFreshConnection = transferState.wantsFreshConnection
    sent.slot = transferState.lease
  }

  /// Returns a closure that passes informational responses to listeners; `nil`: there are no listeners.
  private func informational(_ context: RequestContext) -> (@Sendable (HTTPResponse) -> Void)? {
    guard let events else { return nil }
    return { events.tell($0, in: context) }
  }

  /// Returns the request's mock response to a final failure; `nil`: no mock responds to the failure.
  func fallback(
    for failure: RequestError, to http: HTTPRequest, of request: some Request, context: RequestContext
  ) async -> MockFallback? {
    guard allowsMocks, case .whenFailed(let condition) = request.mockPolicy.storage, condition(failure)
    else { return nil }
    do {
      let response = try await Self.mockResponse(of: request, for: http, context: context)
      return response.map { MockFallback(to: http, result: .success($0)) }
    } catch {
      return MockFallback(to: http, result: .failure(error))
    }
  }

  /// Returns the request's mock response in place of the transport's; `nil`: no mock responds.
  @inline(never)
  private func mock(
    of request: some Request, to http: HTTPRequest, for transfer: Transfer,
    through transferState: inout TransferState
  ) async throws -> TransportResponse? {
    guard case .always = request.mockPolicy.storage else { return nil }
    // A mock that throws takes the place of the transport too.
    transferState.isMocked = true
    let response = try await HeldSlotMark.holding(if: transferState.lease != nil) {
      try await Self.mockResponse(of: request, for: http, context: transfer.context)
    }
    try transfer.signals.check()
    transferState.isMocked = response != nil
    return response.map { TransportResponse(mock: $0) }
  }

  private static func mockResponse(
    of request: some Request, for http: HTTPRequest, context: RequestContext
  ) async throws -> HTTPResponse? {
    do {
      return try await request.mockResponse(for: http, context: context)
    } catch let error as TransportError {
      throw error
    } catch {
      throw HookFailure(hook: "mockResponse", cause: error)
    }
  }

  @inline(never)
  private static func dataAnswer(to url: URL) throws -> TransportResponse {
    TransportResponse(mock: try DataURL.response(for: url))
  }

  /// Returns the response of a transfer shared by identical requests; `nil` if the request cannot be
  /// shared.
  @inline(never)
  private func sharedAnswer(
    to http: HTTPRequest, for transfer: Transfer, through transferState: inout TransferState
  ) async throws -> TransportResponse? {
    let (identified, signal) = (transfer.identified, transfer.signals.end)
    guard
      let key = CoalescingKey(
        identified?.identity == nil ? http : identified?.unsigned ?? http, identity: identified?.identity,
        policy: coalescing, timeout: timeout, limits: limits, substitute: substitute)
    else { return nil }
    if signal.isCancelled { throw TransportError.cancelled }
    // The transfer takes the slot, because the dispatch may end first. Joining dispatches send nothing.
    let lease = transferState.lease
    transferState.lease = nil
    var sent = TransportRequest(http, timeout: timeout, limits: limits, priority: priority)
    sent.slot = lease
    sent.informational = informational(transfer.context)
    let (joined, isFirst) = shared.join(key, by: transport, sending: sent) { lease?.end() }
    // Recorded before the wait, so also for a transfer that fails.
    transferState.isLastHopShared = !isFirst
    transferState.isCoalesced = transferState.isCoalesced || !isFirst
    return try await shared.answer(of: joined, for: key, unless: signal)
  }
}

/// The signals that end or suspend a transfer, from a dispatch's ``TimeLimits`` and an attempt's time
/// watch.
struct TransferSignals: Sendable {
  /// The signal that fires when the dispatch is cancelled.
  let cancellation: CancellationSignal
  /// The suspension signal; `nil`: the dispatch cannot be suspended.
  let suspension: SuspensionSignal?
  /// The time watch of the attempt; `nil`: the attempt has no time limit.
  let watch: TimeWatch?

  @inline(__always)
  init(_ time: TimeLimits, watch: TimeWatch?) {
    (cancellation, suspension, self.watch) = (time.cancellation, time.suspension, watch)
  }

  /// The signal that fires when the dispatch is cancelled, or when the attempt times out.
  var end: CancellationSignal {
    @inline(__always) get { watch?.signal ?? cancellation }
  }

  /// Throws if the dispatch is cancelled, or if the attempt has timed out.
  @inline(__always)
  func check() throws {
    if cancellation.isCancelled { throw CancellationError() }
    if let watch { try watch.check() }
  }

  /// Waits while the dispatch is suspended; throws if the transfer must end.
  @inline(__always)
  func rest() async throws {
    guard let suspension else { return }
    try await rest(suspension)
  }

  @inline(never)
  private func rest(_ suspension: SuspensionSignal) async throws {
    if suspension.isSuspended { await suspension.wait(unless: end) }
    try check()
  }
}

/// The request's mock response after the last attempt failed.
final class MockFallback: Sendable {
  /// The failed request, as sent, or as of the failure if the attempt failed before sending.
  let request: HTTPRequest
  private let response: Result<HTTPResponse, any Error>

  init(to request: HTTPRequest, result: Result<HTTPResponse, any Error>) {
    self.request = request
    response = result
  }

  /// Returns the response for the additional attempt that sends nothing; throws the error of the mock.
  func answer() throws -> TransportResponse { TransportResponse(mock: try response.get()) }
}

extension TransportResponse {
  /// Creates a response from a whole response, as a transport would deliver it.
  init(mock response: HTTPResponse) {
    var head = response
    head.body = Data()
    head.trailers = [:]
    self.init(
      head: head, body: BodyStream(response.body, summary: TransportSummary(trailers: response.trailers)))
  }
}
