import Foundation

/// What stands at the end of the way out: the request's own answer, a `data:` URL, a transfer shared with others, or the
/// transport.
struct Wire: Sendable {
  /// How an attempt has its way to the wire: the slot it holds there, and who answered.
  struct Passage: Sendable {
    /// Whether the body of the answer is handed on, not kept.
    var isStreamed = false
    /// Whether it is written into a file.
    var isForFile = false
    /// Whether it may use no connection that stands already.
    var wantsFreshConnection = false
    /// The slot of its origin; `nil` while it has none.
    var lease: OriginSlots.Lease?
    /// Whether the request answered itself.
    var isMocked = false
    /// Whether another dispatch began a transfer of it.
    var isCoalesced = false
    /// Whether another dispatch began the transfer of the hop that was sent last.
    var isLastHopShared = false
    /// Whether the cache answered the last hop: the dispatch has no response of the server then.
    var isAnsweredByCache = false
    /// What the server sent for the last hop, where a cache may have answered: only that sets cookies.
    var fieldsOnTheWire: HTTPHeaders?

    /// Whether the last hop tells nothing of the server: the cache answered, or another dispatch began the transfer and
    /// tells of the server itself.
    var tellsNothingOfServer: Bool { isLastHopShared || isAnsweredByCache }
  }

  /// For whom a request goes to the wire, and what limits the transfer.
  struct Transfer: Sendable {
    /// What informational responses are told with, and a mock is asked with.
    let context: RequestContext
    /// What the authenticator signed last; `nil`: no authenticator told whose credentials it used.
    let identified: IdentifiedRequest?
    /// What ends the transfer, and what lets it rest.
    let signals: TransferSignals
    /// Counts the bytes of the body that is sent; `nil`: nobody asks for progress.
    let counter: TransportRequest.Counter?
  }

  /// Tells what goes to the transport, or to what stands in its place.
  typealias WillSend = (HTTPRequest) async throws -> Void

  /// The agent's own, or what answers in its place.
  let transport: any Transport
  /// What answers in place of the agent's transport; `nil` for that.
  let substitute: (any Transport)?
  let shared: SharedTransfers
  let limits: TransferLimits
  let coalescing: CoalescingPolicy
  let priority: RequestPriority
  /// How long a transfer may be without progress.
  let timeout: Duration
  let networkAccess: NetworkAccess
  /// Whether the transport has to judge the addresses that it connects to.
  let refusesPrivateAddresses: Bool
  let meter: TransferMeter?
  /// Who tells of informational responses; `nil` where nobody listens.
  let events: DispatchEvents?
  /// Whether requests may answer themselves.
  let allowsMocks: Bool
  /// `nil` where nothing is cached.
  let cache: CacheAccess?

  /// Whether it matters whose credentials a request carries.
  var asksIdentity: Bool { coalescing != .none || cache != nil }

  /// Sends a request and gives the answer once its head is there.
  ///
  /// - Parameters:
  ///   - request: what the wire request was made of, which may answer itself.
  ///   - transfer: for whom the request goes to the wire, and what limits it.
  ///   - passage: the slot of the attempt; keeps who answered.
  ///   - willSend: called with a request that no cache answers; `nil` where it is told already, or there is nobody to tell.
  @inline(__always)
  func answer(
    to http: HTTPRequest, of request: some Request, for transfer: Transfer, through passage: inout Passage,
    willSend: WillSend? = nil
  ) async throws -> TransportResponse {
    if allowsMocks, let mock = try await mock(of: request, to: http, for: transfer, through: &passage) {
      try await willSend?(http)
      return mock
    }
    if URLParts.isData(http.url.absoluteString) {
      try await willSend?(http)
      return try Self.dataAnswer(to: http.url)
    }
    if let cache, passage.isForFile, cache.policy.sendsNothing {
      throw CacheAccess.missing(.notAnswered, because: "a download is not answered from it")
    }
    if let cache, !passage.isForFile {
      return try await cachedAnswer(
        to: http, by: cache, for: transfer, through: &passage, willSend: willSend)
    }
    try await willSend?(http)
    if mayShare(passage), let shared = try await sharedAnswer(to: http, for: transfer, through: &passage) {
      return shared
    }
    var sent = TransportRequest(
      http, timeout: timeout, limits: limits, priority: priority,
      cancellation: transfer.signals.end, suspension: transfer.signals.suspension)
    complete(&sent, for: transfer, through: passage)
    return try await transport.send(sent)
  }

  /// What the cache has, or the wire gives.
  @inline(never)
  private func cachedAnswer(
    to http: HTTPRequest, by cache: CacheAccess, for transfer: Transfer, through passage: inout Passage,
    willSend: WillSend?
  ) async throws -> TransportResponse {
    passage.isAnsweredByCache = false
    var sent: HTTPHeaders?
    let answer = try await cache.answer(
      to: http, identified: transfer.identified, unless: transfer.signals.end
    ) {
      try transfer.signals.check()
    } send: { http in
      try await willSend?(http)
      let shared =
        mayShare(passage) ? try await sharedAnswer(to: http, for: transfer, through: &passage) : nil
      let answer: TransportResponse
      if let shared {
        answer = shared
      } else {
        var own = TransportRequest(
          http, timeout: timeout, limits: limits, priority: priority,
          cancellation: transfer.signals.end, suspension: transfer.signals.suspension)
        complete(&own, for: transfer, through: passage)
        answer = try await transport.send(own)
      }
      sent = answer.head.headers
      return CacheAccess.Sent(answer: answer, isShared: passage.isLastHopShared)
    } refresh: { http, signal in
      var sent = TransportRequest(
        http, timeout: timeout, limits: limits, priority: .low, cancellation: signal)
      (sent.networkAccess, sent.refusesPrivateAddresses) = (networkAccess, refusesPrivateAddresses)
      return try await transport.send(sent)
    }
    passage.isAnsweredByCache = sent == nil
    passage.fieldsOnTheWire = sent ?? HTTPHeaders()
    return answer
  }

  /// Whether the request may share a transfer with identical requests.
  @inline(__always)
  private func mayShare(_ passage: borrowing Passage) -> Bool {
    coalescing != .none && !passage.isStreamed && networkAccess == .all && !refusesPrivateAddresses
  }

  /// Completes what the transport gets for a transfer that is not shared.
  @inline(__always)
  private func complete(
    _ sent: inout TransportRequest, for transfer: Transfer, through passage: borrowing Passage
  ) {
    sent.counter = transfer.counter
    sent.informational = informational(transfer.context)
    sent.networkAccess = networkAccess
    sent.refusesPrivateAddresses = refusesPrivateAddresses
    sent.isBulk = passage.isStreamed || passage.isForFile
    sent.wantsFreshConnection = passage.wantsFreshConnection
    sent.slot = passage.lease
  }

  /// Tells the listeners of the dispatch what informational responses come to an attempt; `nil` where nobody listens.
  private func informational(_ context: RequestContext) -> (@Sendable (HTTPResponse) -> Void)? {
    guard let events else { return nil }
    return { events.tell($0, in: context) }
  }

  /// The request's own answer to a failure that stands; `nil` where there is none.
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

  /// The request's own answer instead of the wire's, where mocks are allowed; `nil` where there is none.
  @inline(never)
  private func mock(
    of request: some Request, to http: HTTPRequest, for transfer: Transfer, through passage: inout Passage
  ) async throws -> TransportResponse? {
    guard case .always = request.mockPolicy.storage else { return nil }
    let response = try await SlotHold.holding(if: passage.lease != nil) {
      try await Self.mockResponse(of: request, for: http, context: transfer.context)
    }
    try transfer.signals.check()
    guard let response else { return nil }
    passage.isMocked = true
    return TransportResponse(mock: response)
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

  /// The answer of a transfer that is shared with identical requests; `nil` for a request that is not shared.
  @inline(never)
  private func sharedAnswer(
    to http: HTTPRequest, for transfer: Transfer, through passage: inout Passage
  ) async throws -> TransportResponse? {
    let (identified, signal) = (transfer.identified, transfer.signals.end)
    guard
      let key = CoalescingKey(
        identified?.identity == nil ? http : identified?.unsigned ?? http, identity: identified?.identity,
        policy: coalescing, timeout: timeout, limits: limits, substitute: substitute)
    else { return nil }
    if signal.isCancelled { throw TransportError.cancelled }
    // It is the transfer's now, as the dispatch may leave before it has ended; those that come to share send nothing.
    let lease = passage.lease
    passage.lease = nil
    var sent = TransportRequest(http, timeout: timeout, limits: limits, priority: priority)
    sent.slot = lease
    sent.informational = informational(transfer.context)
    let (joined, isFirst) = shared.join(key, by: transport, sending: sent) { lease?.end() }
    // Also where it fails.
    passage.isLastHopShared = !isFirst
    passage.isCoalesced = passage.isCoalesced || !isFirst
    return try await shared.answer(of: joined, for: key, unless: signal)
  }
}

/// What ends a transfer, and what lets it rest: of the ``TimeLimits`` of a dispatch and the watch over an attempt what the transfer
/// needs.
struct TransferSignals: Sendable {
  /// Fires when the dispatch is cancelled.
  let cancellation: CancellationSignal
  /// `nil`: the dispatch cannot be suspended.
  let suspension: SuspensionSignal?
  /// What ends the attempt; `nil`: the attempt has no limit of time.
  let watch: TimeWatch?

  @inline(__always)
  init(_ time: TimeLimits, watch: TimeWatch?) {
    (cancellation, suspension, self.watch) = (time.cancellation, time.suspension, watch)
  }

  /// Fires when the dispatch is cancelled, or the time of the attempt is up.
  var end: CancellationSignal {
    @inline(__always) get { watch?.signal ?? cancellation }
  }

  /// Throws when the dispatch was cancelled, or the time of the attempt is up.
  @inline(__always)
  func check() throws {
    if cancellation.isCancelled { throw CancellationError() }
    if let watch { try watch.check() }
  }

  /// Waits while the dispatch is suspended; ends with an error when the transfer has to end.
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

/// The request's own answer after its last attempt failed.
final class MockFallback: Sendable {
  /// The request that failed, as it was sent, or as it was when it failed before that.
  let request: HTTPRequest
  private let response: Result<HTTPResponse, any Error>

  init(to request: HTTPRequest, result: Result<HTTPResponse, any Error>) {
    self.request = request
    response = result
  }

  /// What the attempt that is made of it gets instead of the wire's answer.
  func answer() throws -> TransportResponse { TransportResponse(mock: try response.get()) }
}

extension TransportResponse {
  /// A whole response as a transport would give it.
  init(mock response: HTTPResponse) {
    var head = response
    head.body = Data()
    head.trailers = [:]
    self.init(
      head: head, body: BodyStream(response.body, summary: TransportSummary(trailers: response.trailers)))
  }
}
