import Foundation

/// Gets responses from a mock, a `data:` URL, the cache, a shared transfer, or the transport.
struct Wire: Sendable {
  struct TransferState: Sendable {
    var isStreamed = false
    var isForFile = false
    var wantsFreshConnection = false
    /// `nil`: the attempt holds no slot.
    var lease: OriginSlots.Lease?
    /// True if the request's mock replaced the transport for the last request.
    var isMocked = false
    /// True if a ``ResponderHook`` replaced the server for the last request.
    var isAnsweredByHook = false
    /// True if a mock or hooks were asked, and gave no response.
    ///
    /// An update of the origin's state resets the property.
    var hasPassedMock = false
    var isCoalesced = false
    var isLastHopShared = false
    var transferCount = 0
    /// True if the cache supplied the last response, and the attempt started no transfer for the response.
    var isAnsweredByCache = false
    var isReplacedByCache = false
    /// The error of the last sending, if any.
    ///
    /// A stored response may have replaced the error.
    var sendFailure: (any Error)?
    /// The headers that the server sent; `nil` if neither a cache nor a hook took part in the last response.
    ///
    /// Empty if the server sent no response.
    var serverHeaders: HTTPHeaders?
    /// The name of the last request's header with the remaining time of the dispatch; `nil`: none.
    var deadlineField: String?
    /// The status that the server sent with `serverHeaders`, if any.
    var serverStatus: HTTPResponse.Status?

    /// True for a response from another dispatch's transfer, a mock, a hook, or the cache without a transfer.
    var leavesOriginStateUnchanged: Bool { isLastHopShared || isAnsweredByCache || replacesServer }

    /// True for a response from a mock or a hook.
    var replacesServer: Bool { isMocked || isAnsweredByHook }

    mutating func beginHop() {
      (isMocked, isLastHopShared, isAnsweredByCache, isReplacedByCache) = (false, false, false, false)
      (serverHeaders, serverStatus, isAnsweredByHook, sendFailure) = (nil, nil, false, nil)
    }

    mutating func recordCacheUse(serverResponse: HTTPResponse?, countBefore: Int, isStale: Bool) {
      isAnsweredByCache = serverResponse == nil && transferCount == countBefore
      isReplacedByCache = isStale && !isAnsweredByCache
      (serverHeaders, serverStatus) = (serverResponse?.headers ?? HTTPHeaders(), serverResponse?.status)
    }
  }

  struct Transfer: Sendable {
    let context: RequestContext
    /// `nil` if the request was not signed, or if neither the cache nor coalescing needs an identity.
    let identified: IdentifiedRequest?
    let signals: TransferSignals
    let counter: TransportRequest.Counter?
    var connections: ConnectionNotifier?
  }

  typealias WillSend = (HTTPRequest) async throws -> Void

  let transport: any Transport
  let substitute: (any Transport)?
  let shared: SharedTransfers
  let limits: TransferLimits
  let coalescing: CoalescingPolicy
  let priority: RequestPriority
  let timeout: Duration
  let networkAccess: NetworkAccess
  let refusesPrivateAddresses: Bool
  let meter: TransferMeter?
  let events: DispatchEvents?
  let allowsMocks: Bool
  let cache: CacheAccess?
  var cookies: CookieStore?

  func mayMock(_ request: some Request) -> Bool {
    guard allowsMocks, case .always = request.mockPolicy.storage else { return false }
    return true
  }

  var asksIdentity: Bool { coalescing != .none || cache != nil }

  func answer(
    to http: HTTPRequest, of request: some Request, for transfer: Transfer,
    through transferState: inout TransferState,
    willSend: WillSend? = nil
  ) async throws -> TransportResponse {
    if mayMock(request),
      let mock = try await mock(of: request, to: http, for: transfer, through: &transferState)
    {
      try await willSend?(http)
      return mock
    }
    if URLParts.isData(http.location.text) {
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
    return try await sentAnswer(to: http, for: transfer, through: &transferState)
  }

  @inline(never)
  private func cachedAnswer(
    to http: HTTPRequest, by cache: CacheAccess, for transfer: Transfer,
    through transferState: inout TransferState,
    willSend: WillSend?
  ) async throws -> TransportResponse {
    transferState.isAnsweredByCache = false
    let (countBefore, deadlineField) = (transferState.transferCount, transferState.deadlineField)
    var sent: HTTPResponse?
    let answer = try await cache.answer(
      to: http, identified: transfer.identified, unless: transfer.signals.end
    ) {
      try transfer.signals.check()
    } send: { http in
      try await willSend?(http)
      let answer = try await sentAnswer(to: http, for: transfer, through: &transferState)
      sent = answer.head
      return CacheAccess.Sent(answer: answer, isShared: transferState.isLastHopShared)
    } refresh: { http, signal in
      var http = http
      // The deadline of the dispatch does not apply to the refresh.
      if let deadlineField { http.headers[deadlineField] = nil }
      let answer = try await refresh(http, over: cache.transport, unless: signal)
      cookies?.take(answer.head.headers, from: http.url, now: cache.clock.date)
      return answer
    }
    transferState.recordCacheUse(
      serverResponse: sent, countBefore: countBefore, isStale: cache.verdict?.source == .stale)
    return answer
  }

  private func sentAnswer(
    to http: HTTPRequest, for transfer: Transfer, through transferState: inout TransferState
  ) async throws -> TransportResponse {
    transferState.sendFailure = nil
    do {
      if mayShare(transferState),
        let shared = try await sharedAnswer(to: http, for: transfer, through: &transferState)
      {
        return shared
      }
      let own = transportRequest(http, for: transfer, through: transferState)
      transferState.transferCount += 1
      return try await transport.send(own)
    } catch {
      transferState.sendFailure = error
      throw error
    }
  }

  private func refresh(
    _ http: HTTPRequest, over transport: any Transport, unless signal: CancellationSignal
  ) async throws -> TransportResponse {
    var sent = TransportRequest(
      http, timeout: timeout, limits: limits, priority: .low, cancellation: signal)
    (sent.networkAccess, sent.refusesPrivateAddresses) = (networkAccess, refusesPrivateAddresses)
    return try await transport.send(sent)
  }

  @inline(__always)
  private func mayShare(_ transferState: borrowing TransferState) -> Bool {
    coalescing != .none && !transferState.isStreamed && networkAccess == .all && !refusesPrivateAddresses
  }

  @inline(__always)
  func transportRequest(
    _ http: HTTPRequest, for transfer: Transfer, through transferState: borrowing TransferState
  ) -> TransportRequest {
    // Not `init(_:timeout:…)`, which would copy the large value.
    TransportRequest(
      request: http, timeout: timeout, limits: limits, priority: priority, networkAccess: networkAccess,
      refusesPrivateAddresses: refusesPrivateAddresses, cancellation: transfer.signals.end,
      suspension: transfer.signals.suspension, counter: transfer.counter,
      listener: Self.listener(transfer, to: events),
      wantsFreshConnection: transferState.wantsFreshConnection,
      isBulk: transferState.isStreamed || transferState.isForFile, slot: transferState.lease)
  }

  // Static, because the call of a method would copy the `Wire`.
  @inline(__always)
  private static func listener(_ transfer: Transfer, to events: DispatchEvents?) -> TransferListener? {
    if events == nil, transfer.connections == nil { return nil }
    return makeListener(transfer.context, to: events, connections: transfer.connections)
  }

  @inline(never)
  private static func makeListener(
    _ context: RequestContext, to events: DispatchEvents?, connections: ConnectionNotifier?
  ) -> TransferListener {
    var informational: (@Sendable (HTTPResponse) -> Void)?
    if let events { informational = { response in events.tell(response, in: context) } }
    return TransferListener(informational: informational) { step, delay in
      events?.tell(step, after: delay, in: context)
      connections?.note(step, after: delay)
    }
  }

  func mayFallBack(after failure: RequestError, of request: some Request) -> Bool {
    guard allowsMocks, case .whenFailed(let condition) = request.mockPolicy.storage else { return false }
    return condition(failure)
  }

  func fallback(
    to http: HTTPRequest, of request: some Request, context: RequestContext
  ) async -> MockFallback? {
    do {
      let response = try await Self.mockResponse(of: request, for: http, context: context)
      return response.map { MockFallback(to: http, result: .success($0)) }
    } catch {
      return MockFallback(to: http, result: .failure(error))
    }
  }

  @inline(never)
  private func mock(
    of request: some Request, to http: HTTPRequest, for transfer: Transfer,
    through transferState: inout TransferState
  ) async throws -> TransportResponse? {
    // A mock that throws also replaces the transport.
    transferState.isMocked = true
    let response = try await HeldSlotMark.holding(if: transferState.lease != nil) {
      try await Self.mockResponse(of: request, for: http, context: transfer.context)
    }
    transferState.isMocked = response != nil
    try transfer.signals.check()
    if response == nil { transferState.hasPassedMock = true }
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
    // A new shared transfer takes over the slot, because the dispatch may end before the transfer.
    let lease = transferState.lease
    transferState.lease = nil
    var sent = TransportRequest(http, timeout: timeout, limits: limits, priority: priority)
    sent.slot = lease
    sent.wantsFreshConnection = transferState.wantsFreshConnection
    sent.listener = Self.listener(transfer, to: events)
    let (joined, isFirst) = shared.join(key, by: transport, sending: sent) { lease?.end() }
    // Recorded before the wait, because the transfer may fail.
    transferState.isLastHopShared = !isFirst
    transferState.isCoalesced = transferState.isCoalesced || !isFirst
    if isFirst { transferState.transferCount += 1 }
    return try await shared.answer(of: joined, for: key, unless: signal)
  }
}

/// The result of the request's `mockResponse` after a failure without a retry.
final class MockFallback: Sendable {
  let request: HTTPRequest
  private let response: Result<HTTPResponse, any Error>

  init(to request: HTTPRequest, result: Result<HTTPResponse, any Error>) {
    self.request = request
    response = result
  }

  func answer() throws -> TransportResponse { TransportResponse(mock: try response.get()) }
}

extension TransportResponse {
  init(mock response: HTTPResponse) {
    var head = response
    head.body = Data()
    head.trailers = [:]
    self.init(
      head: head, body: BodyStream(response.body, summary: TransportSummary(trailers: response.trailers)))
  }
}
