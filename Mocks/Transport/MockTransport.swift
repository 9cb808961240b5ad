public import Errand
public import Foundation

/// A transport whose stubs or closure answer the requests.
///
///     let transport = MockTransport(Stub(.get, "/users/7", answers: .status(503), .json(#"{"id":7}"#)))
///     let transport = MockTransport { request in .text("you sent \(request.text)") }
///
/// The transport records completely received requests, except requests ignored by a ``PassThrough``. If an
/// answer is delayed beyond the request's timeout, the request fails with
/// ``/Errand/RequestError/Kind/timedOut``. If the transport has a closure and stubs, the closure answers the
/// requests that no stub answers.
public final class MockTransport: Transport, StubbedMock, Sendable {
  /// The capabilities reported to the agent.
  public let capabilities: TransportCapabilities

  /// The default capabilities: streamed uploads, trailers, the choice of networks and the check of addresses;
  /// no content codings.
  public static let standardCapabilities = TransportCapabilities(
    sendsTrailers: true, choosesNetworks: true, checksAddresses: true)

  /// The list of stubs; use the methods of the transport instead.
  public let stubs: StubList

  private let clock: AgentClock
  private let closure: StubClosure?
  private let passing: PassThrough?
  private let journal: TransportJournal

  /// Creates a transport with a synchronous closure, which answers the requests that no stub answers.
  ///
  /// The closure runs off the main actor, possibly concurrently. The agent receives thrown errors, unless the
  /// request was cancelled.
  public convenience init(
    clock: any Clock<Duration> = ContinuousClock(),
    capabilities: TransportCapabilities = MockTransport.standardCapabilities,
    answer: @escaping @Sendable (ReceivedRequest) throws -> MockAnswer
  ) {
    self.init([], closure: .prompt(answer), passing: nil, clock: clock, capabilities: capabilities)
  }

  /// Creates a transport with an asynchronous closure; the closure's task is cancelled with the request.
  public convenience init(
    clock: any Clock<Duration> = ContinuousClock(),
    capabilities: TransportCapabilities = MockTransport.standardCapabilities,
    answer: @escaping @Sendable (ReceivedRequest) async throws -> MockAnswer
  ) {
    self.init([], closure: .waiting(answer), passing: nil, clock: clock, capabilities: capabilities)
  }

  /// Creates a transport with a list of stubs.
  ///
  /// The first matching stub below its limit of answers gives the answer. Without such a stub, a request
  /// fails with ``Errand/RequestError/Kind/unmatchedStub``.
  public convenience init(
    _ stubs: [Stub], clock: any Clock<Duration> = ContinuousClock(),
    capabilities: TransportCapabilities = MockTransport.standardCapabilities
  ) {
    self.init(stubs, closure: nil, passing: nil, clock: clock, capabilities: capabilities)
  }

  /// Creates a transport with one or more stubs.
  public convenience init(
    _ first: Stub, _ others: Stub..., clock: any Clock<Duration> = ContinuousClock(),
    capabilities: TransportCapabilities = MockTransport.standardCapabilities
  ) {
    self.init([first] + others, closure: nil, passing: nil, clock: clock, capabilities: capabilities)
  }

  /// Creates a transport with a rule for forwarding requests.
  ///
  /// The transport has the capabilities of the target transport. A streamed body is read completely before
  /// forwarding. The body of an ignored request stays a stream.
  public convenience init(
    _ stubs: [Stub] = [], passing: PassThrough, clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.init(
      stubs, closure: nil, passing: passing, clock: clock, capabilities: passing.transport.capabilities)
  }

  private init(
    _ stubs: [Stub], closure: StubClosure?, passing: PassThrough?, clock: any Clock<Duration>,
    capabilities: TransportCapabilities
  ) {
    self.clock = AgentClock(clock)
    self.capabilities = capabilities
    self.closure = closure
    self.passing = passing
    journal = TransportJournal()
    self.stubs = StubList(journal)
    self.stubs.add(stubs)
  }

  /// The recorded requests in the order of complete arrival.
  public var requests: [ReceivedRequest] { journal.requests }

  package var canAnswer: Bool { closure != nil || passing != nil || !stubs.all.isEmpty }

  /// Removes the recorded requests, and restarts stubs and scenarios; request numbers continue.
  public func reset() {
    journal.reset()
    stubs.reset()
  }

  /// Resets the connections of the target transport of a ``PassThrough``.
  public func resetConnections() { passing?.transport.resetConnections() }

  /// The connections of the target transport of a ``PassThrough``.
  ///
  /// Without a `PassThrough`, throws an error of kind ``/Errand/RequestError/Kind/unsupported``.
  public var connections: ConnectionSettings.Pool.Snapshot {
    get async throws {
      guard let passing else { throw TransportError.noConnections(of: self) }
      return try await passing.transport.connections
    }
  }

  /// Returns the client identity of the target transport of a ``PassThrough``.
  public func clientIdentity(for url: URL) -> String? { passing?.transport.clientIdentity(for: url) }

  /// Answers or forwards a request, and usually records the request.
  ///
  /// Throws ``/Errand/TransportError/cancelled`` if the request is cancelled before the answer.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    let cancellation = request.cancellation
    guard !cancellation.isCancelled else { throw TransportError.cancelled }
    if let passing, passing.ignores(request.request) { return try await passing.transport.send(request) }
    do {
      let received = try await received(request)
      guard let given = try await answer(to: received, for: request) else {
        return try await passOn(request, received: received)
      }
      let answer = given.answering(received)
      if !answer.isPlain { try answer.wire.checkNeedsNoConnection() }
      let wait = ProgressWait(clock: clock, timeout: request.timeout)
      if answer.delay > .zero {
        try await cancellation.cancelling { try await wait.sleep(for: answer.delay) }
      }
      if let fault = answer.fault, fault.bodyLength == nil {
        try await cancellation.cancelling { try await fault.happen(to: request.request.url, wait) }
      }
      guard !cancellation.isCancelled else { throw TransportError.cancelled }
      if !answer.isPlain { answer.wire.tellInformational(request.informational) }
      let body = try answer.body(to: request.request, wait: wait, cancellation: cancellation)
      var head = HTTPResponse(status: answer.status, headers: answer.framing.headers)
      head.location = request.request.location
      return TransportResponse(
        head: head, body: answer.isCoded ? try body.decoded(head.headers, for: request) : body)
    } catch {
      throw cancellation.isCancelled ? TransportError.cancelled : error
    }
  }

  @inline(__always)
  private func received(_ request: TransportRequest) async throws -> ReceivedRequest {
    guard let trailed = TransportRequest.TrailedBody(request.request) else {
      return journal.add(request.request, body: try await body(of: request), trailers: HTTPHeaders())
    }
    let counter = passing == nil ? request.counter : nil
    let body = try await request.cancellation.cancelling {
      try await trailed.stream.drained(by: counter, length: trailed.length)
    }
    // Checked again, because trailers may be computed despite a cancellation.
    guard !request.cancellation.isCancelled else { throw TransportError.cancelled }
    return journal.add(request.request, body: body, trailers: trailed.trailers ?? [:])
  }

  @inline(__always)
  private func body(of request: TransportRequest) async throws -> Data {
    switch request.request.body.content {
    case .none: return Data()
    // The target transport counts the bytes of a forwarded body.
    case .data(let data): return passing == nil ? Self.counted(data, for: request) : data
    case .stream(let stream, let length):
      let counter = passing == nil ? request.counter : nil
      return try await request.cancellation.cancelling {
        try await stream.drained(by: counter, length: length)
      }
    }
  }

  private static func counted(_ data: Data, for request: TransportRequest) -> Data {
    request.counter?.sent(Int64(data.count), of: Int64(data.count))
    return data
  }

  /// Returns `nil` if the request must be forwarded.
  @inline(__always)
  private func answer(
    to received: ReceivedRequest, for request: TransportRequest
  ) async throws -> MockAnswer? {
    let (sent, cancellation) = (request.request, request.cancellation)
    guard let (use, position) = stubs.taken(by: received) else {
      if let closure { return try await answer(to: received, by: closure, cancellation) }
      let message = { self.stubs.refusal("stub", of: received, sent: sent) { $0.url(sent.url) } }
      guard let passing else { throw TransportError(.unmatchedStub, message()) }
      guard let refusal = passing.refusal(of: sent) else { return nil }
      throw TransportError(.unmatchedStub, "\(message())\n\(refusal)")
    }
    if passing != nil, !received.body.isEmpty { _ = Self.counted(received.body, for: request) }
    guard let answer = use.answer(at: position) else {
      guard let closure = use.closure else { return .status(200) }
      return try await self.answer(to: received.filled(for: use.pattern), by: closure, cancellation)
    }
    guard let reencoded = answer.reencoded, let coding = sent.jsonCoding else { return answer }
    return reencoded(coding)
  }

  private func answer(
    to received: ReceivedRequest, by closure: StubClosure, _ cancellation: CancellationSignal
  ) async throws -> MockAnswer {
    switch closure {
    case .prompt(let answer): try answer(received)
    case .waiting(let answer): try await cancellation.cancelling { try await answer(received) }
    }
  }

  /// Forwards a request.
  ///
  /// The recorded bytes replace a streamed body, because the stream was already read.
  private func passOn(_ request: TransportRequest, received: ReceivedRequest) async throws
    -> TransportResponse
  {
    guard let passing else {
      throw TransportError(.unmatchedStub, "no stub answers the request, and the mock forwards no requests")
    }
    var request = request
    if case .stream = request.request.body.content { request.request.body = .data(received.body) }
    if request.request.trailers.isComputed { request.request.trailers = RequestTrailers(received.trailers) }
    return try await passing.transport.send(request)
  }
}

extension MockTransport: URLTextTransport {}

private final class TransportJournal: RequestJournal {
  private struct State {
    var requests: [ReceivedRequest] = []
    var removedCount = 0
  }

  private let state = Locked(State())

  var requests: [ReceivedRequest] { state.withLock { $0.requests } }

  @inline(__always)
  func add(_ request: HTTPRequest, body: Data, trailers: HTTPHeaders) -> ReceivedRequest {
    state.withLock { state in
      let number = state.removedCount + state.requests.count + 1
      state.requests.append(ReceivedRequest(number: number, request, body: body, trailers: trailers))
      return state.requests[state.requests.count - 1]
    }
  }

  func requests(numbered numbers: [Int]) -> [ReceivedRequest] {
    state.withLock { state in
      numbers.map { $0 - state.removedCount - 1 }.filter(state.requests.indices.contains)
        .map { state.requests[$0] }
    }
  }

  func reset() {
    let old = state.withLock { state in
      let old = state.requests
      state.removedCount += old.count
      state.requests = []
      return old
    }
    withExtendedLifetime(old) {}
  }
}

extension BodyStream {
  /// Reads the whole stream; throws if the stream has more or fewer bytes than a known `length`.
  package func drained(by counter: TransportRequest.Counter? = nil, length: Int64?) async throws -> Data {
    var (bytes, promised) = (Data(), PromisedLength(length))
    for try await chunk in self {
      try promised.add(chunk.count)
      bytes.append(chunk)
      counter?.sent(Int64(bytes.count), of: length)
    }
    try promised.end()
    return bytes
  }
}
