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
public final class MockTransport: Transport, Sendable {
  /// What it claims to be able to do.
  public let capabilities: TransportCapabilities

  private enum Answer: Sendable {
    case stubs(StubList)
    case prompt(@Sendable (ReceivedRequest) throws -> MockAnswer)
    case waiting(@Sendable (ReceivedRequest) async throws -> MockAnswer)
  }

  private let clock: AgentClock
  private let answer: Answer
  private let received = Locked<[ReceivedRequest]>([])

  /// Makes a transport that asks a closure which does not wait.
  ///
  /// - Parameters:
  ///   - clock: where delays and gaps are waited; the continuous clock by default. Give it a ``TestClock``.
  ///   - capabilities: what it claims to be able to do; streamed uploads, a choice of networks and of addresses, as it reaches none, and no content codings by default.
  ///   - answer: called for each request, several at a time when they come so, in the request's own task, off the main
  ///     actor. What it throws is thrown to the agent.
  public init(
    clock: any Clock<Duration> = ContinuousClock(),
    capabilities: TransportCapabilities = TransportCapabilities(choosesNetworks: true, checksAddresses: true),
    answer: @escaping @Sendable (ReceivedRequest) throws -> MockAnswer
  ) {
    self.clock = AgentClock(clock)
    self.capabilities = capabilities
    self.answer = .prompt(answer)
  }

  /// Makes a transport that asks a closure which may wait.
  ///
  /// - Parameters:
  ///   - clock: where delays and gaps are waited; the continuous clock by default. Give it a ``TestClock``.
  ///   - capabilities: what it claims to be able to do; streamed uploads, a choice of networks and of addresses, as it reaches none, and no content codings by default.
  ///   - answer: called for each request, several at a time when they come so, in a task that is cancelled with
  ///     the request, off the main actor. What it throws is thrown to the agent.
  public init(
    clock: any Clock<Duration> = ContinuousClock(),
    capabilities: TransportCapabilities = TransportCapabilities(choosesNetworks: true, checksAddresses: true),
    answer: @escaping @Sendable (ReceivedRequest) async throws -> MockAnswer
  ) {
    self.clock = AgentClock(clock)
    self.capabilities = capabilities
    self.answer = .waiting(answer)
  }

  /// Makes a transport of stubs; the first one that matches and is not spent answers.
  ///
  /// A request that none answers fails with ``Errand/RequestError/Kind/unmatchedStub``; the message has the stubs that
  /// came nearest, where they were written, and what differed. The other parameters are those of the other
  /// initializers.
  public init(
    _ stubs: [Stub], clock: any Clock<Duration> = ContinuousClock(),
    capabilities: TransportCapabilities = TransportCapabilities(choosesNetworks: true, checksAddresses: true)
  ) {
    self.clock = AgentClock(clock)
    self.capabilities = capabilities
    self.answer = .stubs(StubList(stubs))
  }

  /// Every request, in the order in which they were complete; one cancelled before is not among them.
  public var requests: [ReceivedRequest] { received.withLock { $0 } }

  /// The stubs that have not answered yet, in their order; none with a closure.
  public var unusedStubs: [Stub] { if case .stubs(let list) = answer { list.unused } else { [] } }

  /// Throws ``UnusedStubs``, which names files and lines, unless every stub has answered: for the end of a test.
  public func checkAllUsed() throws { try UnusedStubs.check(unusedStubs) }

  /// Records the request and gives the answer for it.
  ///
  /// Throws ``/Errand/TransportError/cancelled`` when the request's cancellation fires, also in a delay.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    let cancellation = request.cancellation
    guard !cancellation.isCancelled else { throw TransportError.cancelled }
    do {
      let received = record(request.request, body: try await body(of: request))
      let answer = try await answer(to: received, request.request, cancellation)
        .answering(received)
      try answer.checkNeedsNoConnection()
      let wait = ProgressWait(clock: clock, timeout: request.timeout)
      if answer.delay > .zero {
        try await cancellation.cancelling { try await wait.sleep(for: answer.delay) }
      }
      if let fault = answer.fault, fault.bodyLength == nil {
        try await cancellation.cancelling { try await fault.happen(to: request.request.url, wait) }
      }
      guard !cancellation.isCancelled else { throw TransportError.cancelled }
      let body = try answer.body(to: request.request, wait: wait, cancellation: cancellation)
      let head = HTTPResponse(
        status: answer.status, headers: answer.framedHeaders, url: request.request.url)
      return TransportResponse(
        head: head, body: answer.isCoded ? try body.decoded(head.headers, for: request) : body)
    } catch {
      throw cancellation.isCancelled ? TransportError.cancelled : error
    }
  }

  /// All the bytes of the body; only a stream is waited for, in a task that is cancelled with the request.
  @inline(__always)
  private func body(of request: TransportRequest) async throws -> Data {
    switch request.request.body.content {
    case .none: Data()
    case .data(let data): Self.counted(data, request)
    case .stream(let stream, let length):
      try await request.cancellation.cancelling { try await stream.drained(request.counter, length) }
    }
  }

  private static func counted(_ data: Data, _ request: TransportRequest) -> Data {
    request.counter?.sent(Int64(data.count), of: Int64(data.count))
    return data
  }

  @inline(__always)
  private func answer(
    to received: ReceivedRequest, _ sent: HTTPRequest, _ cancellation: CancellationSignal
  ) async throws -> MockAnswer {
    switch answer {
    case .stubs(let list): try list.answer(to: received, sent)
    case .prompt(let answer): try answer(received)
    case .waiting(let answer): try await cancellation.cancelling { try await answer(received) }
    }
  }

  private func record(_ request: HTTPRequest, body: Data) -> ReceivedRequest {
    received.withLock { received in
      received.append(ReceivedRequest(number: received.count + 1, request, body: body))
      return received[received.count - 1]
    }
  }
}

extension BodyStream {
  /// All its bytes.
  fileprivate func drained(_ counter: TransferCounter?, _ length: Int64?) async throws -> Data {
    var bytes = Data()
    for try await chunk in self {
      bytes.append(chunk)
      counter?.sent(Int64(bytes.count), of: length)
    }
    return bytes
  }
}
