import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("The transport step in isolation")
struct WireTests {
  private struct Answering: Request {
    typealias Response = HTTPResponse
    var policy = MockPolicy.always
    var answer: HTTPResponse? = HTTPResponse(status: 299)
    var mockPolicy: MockPolicy { policy }
    func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse? {
      answer
    }
  }

  private let transport = MockTransport { _ in .text("sent") }
  private let cacheable = MockTransport { _ in
    .text("sent").header("Cache-Control", "max-age=60")
  }
  private let slots = OriginSlots(limit: 1)
  private let shared = SharedTransfers()
  private let context = RequestContext(
    dispatched: .init(
      id: 1, request: OneOffRequest.get("x"), tools: RequestContext.Tools()),
    attempt: 1)

  private func wire(
    allowsMocks: Bool = true, _ coalescing: CoalescingPolicy = .none, cache: CacheAccess? = nil
  ) -> Wire {
    Wire(
      transport: cache == nil ? transport : cacheable, substitute: nil, shared: shared,
      limits: TransferLimits(), coalescing: coalescing,
      priority: .default, timeout: .seconds(60), networkAccess: .all, refusesPrivateAddresses: false,
      meter: nil, events: nil,
      allowsMocks: allowsMocks, cache: cache)
  }

  private func answer(
    _ wire: Wire, _ url: String = "http://a.example", isStreamed: Bool = false,
    of request: Answering = .init()
  ) async throws -> (HTTPResponse.Status, Wire.TransferState) {
    var transferState = Wire.TransferState(
      isStreamed: isStreamed, lease: slots.take(OriginNumber(1), isExempt: false))
    let time = TimeLimits(
      clock: .continuous, started: .zero, deadline: nil, attemptTimeout: nil,
      cancellation: CancellationSignal(), suspension: nil)
    let answer = try await wire.answer(
      to: HTTPRequest(url: try #require(URL(string: url))), of: request,
      for: Wire.Transfer(
        context: context, identified: nil, signals: TransferSignals(time, watch: nil), counter: nil),
      through: &transferState)
    for try await _ in answer.body {}
    defer { transferState.lease?.end() }
    return (answer.head.status, transferState)
  }

  @Test("The request's own mock comes before a data URL, and a data URL before the transport")
  func order() async throws {
    let own = try await answer(wire(), "data:,x")
    #expect(own.0 == 299 && own.1.isMocked && own.1.lease != nil)
    #expect(try await answer(wire(allowsMocks: false), "data:,x").0 == 200)
    #expect(transport.requests.isEmpty)
    let sent = try await answer(wire(), of: Answering(answer: nil))
    #expect(sent.0 == 200 && !sent.1.isMocked && transport.requests.count == 1)
  }

  @Test("A shared transfer has its slot until its end, and a stream shares nothing")
  func shares() async throws {
    let (_, transferState) = try await answer(wire(allowsMocks: false, .whileInFlight))
    #expect(transferState.lease == nil && !transferState.isLastHopShared && !transferState.isCoalesced)
    await until { slots.load.running == 0 }
    let (_, streamed) = try await answer(wire(allowsMocks: false, .whileInFlight), isStreamed: true)
    #expect(streamed.lease != nil && slots.load.running == 0 && shared.count == 0)
  }

  @Test("A cache hit is reported as such, and not as a shared transfer")
  func cached() async throws {
    let access = CacheAccess(
      MemoryCache(), policy: .standard, clock: .continuous, refreshes: CacheRefreshes(),
      redaction: .standard, limits: TransferLimits(), transport: cacheable)
    let wire = wire(allowsMocks: false, cache: access)
    let (_, sent) = try await answer(wire)
    #expect(!sent.isAnsweredByCache && !sent.isLastHopShared && !sent.leavesOriginStateUnchanged)
    let (_, kept) = try await answer(wire)
    #expect(kept.isAnsweredByCache && !kept.isLastHopShared && kept.leavesOriginStateUnchanged)
    #expect(cacheable.requests.count == 1)
  }

  @Test("A hop sent after a cached hop reports the server")
  func sentAfterCached() async throws {
    let access = CacheAccess(
      MemoryCache(), policy: .standard, clock: .continuous, refreshes: CacheRefreshes(),
      redaction: .standard, limits: TransferLimits(), transport: cacheable)
    let wire = wire(allowsMocks: false, cache: access)
    var transferState = Wire.TransferState()
    var seen: [Bool] = []
    for url in ["http://a.example", "http://a.example", "http://a.example/other"] {
      let time = TimeLimits(
        clock: .continuous, started: .zero, deadline: nil, attemptTimeout: nil,
        cancellation: CancellationSignal(), suspension: nil)
      let answer = try await wire.answer(
        to: HTTPRequest(url: try #require(URL(string: url))), of: Answering(),
        for: Wire.Transfer(
          context: context, identified: nil, signals: TransferSignals(time, watch: nil), counter: nil),
        through: &transferState)
      for try await _ in answer.body {}
      seen.append(transferState.leavesOriginStateUnchanged)
    }
    #expect(seen == [false, true, false])
  }

  @Test("A final failure is answered by the request's mock if its condition holds")
  func fallback() async throws {
    let http = HTTPRequest(url: try #require(URL(string: "http://a.example")))
    func fallback(_ wire: Wire, _ policy: MockPolicy, _ status: HTTPResponse.Status) async -> HTTPResponse
      .Status?
    {
      let failure = RequestError(.status, "no", response: HTTPResponse(status: status))
      let request = Answering(policy: policy)
      guard wire.mayFallBack(after: failure, of: request) else { return nil }
      let found = await wire.fallback(to: http, of: request, context: context)
      return try? found?.answer().head.status
    }
    #expect(await fallback(wire(), .whenFailed, 404) == 299)
    #expect(await fallback(wire(), .whenFailed, 500) == nil)
    #expect(await fallback(wire(), .always, 404) == nil)
    #expect(await fallback(wire(allowsMocks: false), .whenFailed, 404) == nil)
  }
}
