public import Errand
import Foundation

/// A transport that answers from memory: of a closure, or of a list of stubs.
///
///     let transport = MockTransport([
///       Stub(.get, "/users/7", answers: .status(503), .json(#"{"id":7}"#)),
///       Stub(.post, "/users", answers: .status(201)),
///     ])
///     let transport = MockTransport { request in .text("you sent \(request.text)") }
///
/// It replaces only the wire; everything else of a dispatch runs as in production. It reads each body to its end
/// and records each request. A wait longer than the request's timeout ends with
/// ``/Errand/RequestError/Kind/timedOut`` after the timeout, on the same clock. Each object is on its own, so tests
/// with different stubs for one URL run in parallel.
///
/// Stubs may be added to it, also to one with a closure, which is asked what they do not answer.
public final class MockTransport: Transport, StubbedMock, Sendable {
  /// What it claims to be able to do.
  public let capabilities: TransportCapabilities

  /// What a mock transport can do: streamed uploads, trailers, and a choice of networks and of addresses, because a mock reaches none; no
  /// content codings.
  public static let standardCapabilities = TransportCapabilities(
    sendsTrailers: true, choosesNetworks: true, checksAddresses: true)

  /// Its stubs; ask the transport.
  public let stubs: StubList

  private let clock: AgentClock
  /// Is asked what no stub answers.
  private let closure: StubClosure?
  private let passing: PassThrough?
  private let journal: TransportJournal

  /// Makes a transport that asks a closure which does not wait.
  ///
  /// - Parameters:
  ///   - clock: where delays and gaps are waited; the continuous clock by default. Give it a ``TestClock``.
  ///   - capabilities: what it claims to be able to do; ``standardCapabilities`` by default.
  ///   - answer: called for each request, several at a time when they come so, in the request's own task, off the main
  ///     actor. What it throws is thrown to the agent.
  public convenience init(
    clock: any Clock<Duration> = ContinuousClock(),
    capabilities: TransportCapabilities = MockTransport.standardCapabilities,
    answer: @escaping @Sendable (ReceivedRequest) throws -> MockAnswer
  ) {
    self.init([], closure: .prompt(answer), passing: nil, clock: clock, capabilities: capabilities)
  }

  /// Makes a transport that asks a closure which may wait.
  ///
  /// - Parameters:
  ///   - clock: where delays and gaps are waited; the continuous clock by default. Give it a ``TestClock``.
  ///   - capabilities: what it claims to be able to do; ``standardCapabilities`` by default.
  ///   - answer: called for each request, several at a time when they come so, in a task that is cancelled with
  ///     the request, off the main actor. What it throws is thrown to the agent.
  public convenience init(
    clock: any Clock<Duration> = ContinuousClock(),
    capabilities: TransportCapabilities = MockTransport.standardCapabilities,
    answer: @escaping @Sendable (ReceivedRequest) async throws -> MockAnswer
  ) {
    self.init([], closure: .waiting(answer), passing: nil, clock: clock, capabilities: capabilities)
  }

  /// Makes a transport of stubs; the first one that matches and is not spent answers.
  ///
  /// A request that none answers fails with ``Errand/RequestError/Kind/unmatchedStub``; the message has the stubs that
  /// came nearest, where they were written, and what differed. The other parameters are those of the other
  /// initializers.
  public convenience init(
    _ stubs: [Stub], clock: any Clock<Duration> = ContinuousClock(),
    capabilities: TransportCapabilities = MockTransport.standardCapabilities
  ) {
    self.init(stubs, closure: nil, passing: nil, clock: clock, capabilities: capabilities)
  }

  /// Makes a transport of one stub or of some; see the initializer with a list.
  public convenience init(
    _ first: Stub, _ others: Stub..., clock: any Clock<Duration> = ContinuousClock(),
    capabilities: TransportCapabilities = MockTransport.standardCapabilities
  ) {
    self.init([first] + others, closure: nil, passing: nil, clock: clock, capabilities: capabilities)
  }

  /// Makes a transport of stubs that hands on what they do not answer; it claims to be able to do what that transport can.
  ///
  /// A body that is streamed is read to its end before it is handed on.
  ///
  /// - Parameters:
  ///   - stubs: the first that matches and is not spent answers.
  ///   - passing: what is handed on, and to which transport.
  ///   - clock: where delays and gaps of stubs are waited; the continuous clock by default.
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

  /// Every request, in the order in which they were complete; one cancelled before is not among them.
  public var requests: [ReceivedRequest] { journal.requests }

  /// Whether it may have an answer to anything.
  package var canAnswer: Bool { closure != nil || passing != nil || !stubs.all.isEmpty }

  /// Forgets what it has received and the calls of its stubs; these and the scenarios begin anew.
  ///
  /// The numbers of requests go on. A request that is being answered meanwhile is forgotten too.
  public func reset() {
    journal.reset()
    stubs.reset()
  }

  /// Records the request and gives the answer for it.
  ///
  /// Throws ``/Errand/TransportError/cancelled`` when the request's cancellation fires, also in a delay.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    let cancellation = request.cancellation
    guard !cancellation.isCancelled else { throw TransportError.cancelled }
    if let passing, passing.ignores(request.request) { return try await passing.transport.send(request) }
    do {
      let received = try await received(request)
      guard let given = try await answer(to: received, sent: request.request, unless: cancellation) else {
        return try await passOn(request, received: received)
      }
      let answer = given.answering(received)
      try answer.wire.checkNeedsNoConnection()
      let wait = ProgressWait(clock: clock, timeout: request.timeout)
      if answer.delay > .zero {
        try await cancellation.cancelling { try await wait.sleep(for: answer.delay) }
      }
      if let fault = answer.fault, fault.bodyLength == nil {
        try await cancellation.cancelling { try await fault.happen(to: request.request.url, wait) }
      }
      guard !cancellation.isCancelled else { throw TransportError.cancelled }
      answer.wire.tellInformational(request.informational)
      let body = try answer.body(to: request.request, wait: wait, cancellation: cancellation)
      let head = HTTPResponse(
        status: answer.status, headers: answer.framedHeaders, url: request.request.url)
      return TransportResponse(
        head: head, body: answer.isCoded ? try body.decoded(head.headers, for: request) : body)
    } catch {
      throw cancellation.isCancelled ? TransportError.cancelled : error
    }
  }

  /// Reads a request to its end, trailers and all, and records it.
  @inline(__always)
  private func received(_ request: TransportRequest) async throws -> ReceivedRequest {
    guard let trailed = TransportRequest.TrailedBody(request.request) else {
      return journal.add(request.request, body: try await body(of: request), trailers: HTTPHeaders())
    }
    let counter = passing == nil ? request.counter : nil
    let body = try await request.cancellation.cancelling {
      try await trailed.stream.drained(by: counter, length: trailed.length)
    }
    // What computes them may come to its end all the same.
    guard !request.cancellation.isCancelled else { throw TransportError.cancelled }
    return journal.add(request.request, body: body, trailers: trailed.trailers ?? [:])
  }

  /// All the bytes of the body; only a stream is waited for, in a task that is cancelled with the request.
  @inline(__always)
  private func body(of request: TransportRequest) async throws -> Data {
    switch request.request.body.content {
    case .none: return Data()
    case .data(let data): return Self.counted(data, for: request)
    case .stream(let stream, let length):
      // What is handed on is counted when it is sent.
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

  /// The answer of a stub or of the closure; `nil` when the request is to be handed on.
  @inline(__always)
  private func answer(
    to received: ReceivedRequest, sent: HTTPRequest, unless cancellation: CancellationSignal
  ) async throws -> MockAnswer? {
    guard let (use, position) = stubs.taken(by: received) else {
      if let closure { return try await answer(to: received, by: closure, cancellation) }
      let message = { self.stubs.refusal("stub", of: received, sent: sent) { $0.url(sent.url) } }
      guard let passing else { throw TransportError(.unmatchedStub, message()) }
      guard let refusal = passing.refusal(of: sent) else { return nil }
      throw TransportError(.unmatchedStub, "\(message())\n\(refusal)")
    }
    guard let answer = use.answer(at: position) else {
      guard let closure = use.closure else { return .status(200) }
      return try await self.answer(to: received.filled(for: use.pattern), by: closure, cancellation)
    }
    guard let remade = answer.remade, let coding = sent.jsonCoding else { return answer }
    return remade(coding)
  }

  private func answer(
    to received: ReceivedRequest, by closure: StubClosure, _ cancellation: CancellationSignal
  ) async throws -> MockAnswer {
    switch closure {
    case .prompt(let answer): try answer(received)
    case .waiting(let answer): try await cancellation.cancelling { try await answer(received) }
    }
  }

  /// Hands a request on, whose body was read.
  private func passOn(_ request: TransportRequest, received: ReceivedRequest) async throws
    -> TransportResponse
  {
    guard let passing else { throw TransportError(.unmatchedStub, "nothing takes what no stub answers") }
    var request = request
    if case .stream = request.request.body.content { request.request.body = .data(received.body) }
    if request.request.trailers.isComputed { request.request.trailers = RequestTrailers(received.trailers) }
    return try await passing.transport.send(request)
  }
}

/// What a transport has received.
private final class TransportJournal: RequestJournal {
  private struct State {
    var requests: [ReceivedRequest] = []
    /// How many came before these, and are forgotten.
    var forgotten = 0
  }

  private let state = Locked(State())

  var requests: [ReceivedRequest] { state.withLock { $0.requests } }

  @inline(__always)
  func add(_ request: HTTPRequest, body: Data, trailers: HTTPHeaders) -> ReceivedRequest {
    state.withLock { state in
      let number = state.forgotten + state.requests.count + 1
      state.requests.append(ReceivedRequest(number: number, request, body: body, trailers: trailers))
      return state.requests[state.requests.count - 1]
    }
  }

  func requests(numbered numbers: [Int]) -> [ReceivedRequest] {
    state.withLock { state in
      numbers.map { $0 - state.forgotten - 1 }.filter(state.requests.indices.contains)
        .map { state.requests[$0] }
    }
  }

  func reset() {
    let old = state.withLock { state in
      let old = state.requests
      state.forgotten += old.count
      state.requests = []
      return old
    }
    withExtendedLifetime(old) {}
  }
}

extension BodyStream {
  /// All its bytes.
  fileprivate func drained(by counter: TransportRequest.Counter?, length: Int64?) async throws -> Data {
    var bytes = Data()
    for try await chunk in self {
      bytes.append(chunk)
      counter?.sent(Int64(bytes.count), of: length)
    }
    return bytes
  }
}
