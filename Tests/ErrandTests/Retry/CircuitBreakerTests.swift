import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("The circuit breaker of an agent")
struct CircuitBreakerTests {
  struct Fetch: Request {
    typealias Response = Void
    var path = "x"
    var retryPolicy: RetryPolicy = .none
  }

  let clock = TestClock()

  func agent(
    _ transport: any Transport, _ breaker: CircuitBreaker? = CircuitBreaker(minimumRequests: 2)
  ) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    configuration.circuitBreaker = breaker
    return RequestAgent(baseURL: "http://a.example", transport: transport, configuration: configuration)
  }

  func answers(_ statuses: HTTPResponse.Status...) -> FunctionTransport {
    FunctionTransport { _, number in HTTPResponse(status: statuses[min(number, statuses.count) - 1]) }
  }

  /// Error kinds, or `success`.
  func ends<R: Request>(_ count: Int, _ request: R, of agent: RequestAgent) async -> [String] {
    var ends: [String] = []
    for _ in 0..<count {
      do {
        _ = try await agent.send(request)
        ends.append("success")
      } catch {
        ends.append(((error as? RequestError)?.kind).map { "\($0)" } ?? "\(error)")
      }
    }
    return ends
  }

  @Test("The circuit opens, fails at once without sending, lets a probe through, and closes")
  func sequence() async throws {
    let transport = answers(503, 503, 503, 200)
    let agent = agent(transport)
    #expect(await ends(4, Fetch(), of: agent) == ["status", "status", "circuitOpen", "circuitOpen"])
    #expect(transport.requests.count == 2)
    await clock.advance(by: .seconds(15))
    #expect(await ends(2, Fetch(), of: agent) == ["status", "circuitOpen"])
    await clock.advance(by: .seconds(15))
    #expect(await ends(3, Fetch(), of: agent) == ["success", "success", "success"])
    #expect(transport.requests.count == 6)
  }

  @Test("The error names the origin, the reason, the duration, and the advice")
  func message() async throws {
    let agent = agent(answers(503))
    _ = await ends(2, Fetch(), of: agent)
    await clock.advance(by: .seconds(2.5))
    let error = try await #require(throws: RequestError.self) { try await agent.send(Fetch()) }
    #expect(
      error.description == """
        GET http://a.example/x failed: the circuit breaker of http://a.example is open: 2 of 2 attempts failed; the next \
        attempt is allowed in 12.5 s.
        Stage throttle, attempt 1, after 0.000 s.
        Try: Send the request again after the time named above. Until then the circuit breaker blocks requests, because the server failed too often.
        """)
    #expect(error.circuitWait == .seconds(12.5))
    #expect(error.kind == .circuitOpen && !error.isConnectionFailure && error.response == nil)
  }

  /// A response, and whether two such responses open the circuit.
  static let health: [(String, opens: Bool, @Sendable () throws -> HTTPResponse)] = [
    ("200", false, { HTTPResponse() }),
    ("404", false, { HTTPResponse(status: 404) }),
    ("429", false, { HTTPResponse(status: 429) }),
    ("500", true, { HTTPResponse(status: 500) }),
    ("501", false, { HTTPResponse(status: 501) }),
    ("504", true, { HTTPResponse(status: 504) }),
    ("no connection", true, { throw TransportError(.connectionFailed, "refused") }),
    ("a cut", true, { throw TransportError(.connectionLost, "cut") }),
    ("a timeout", true, { throw TransportError(.timedOut, "slow") }),
    ("no HTTP", false, { throw TransportError(.invalidResponse, "garbage") }),
    ("a cancellation", false, { throw TransportError.cancelled }),
  ]

  @Test("Only outcomes that reflect the server's health count", arguments: health)
  func counted(_ row: (name: String, opens: Bool, answer: @Sendable () throws -> HTTPResponse)) async {
    let transport = FunctionTransport { _, _ in try row.answer() }
    let agent = agent(transport)
    let ends = await ends(5, Fetch(), of: agent)
    #expect(ends.contains("circuitOpen") == row.opens)
    #expect(transport.requests.count == (row.opens ? 2 : 5))
  }

  @Test("A deadline that ends during the wait for the server counts as the server's timeout")
  func deadlines() async throws {
    let transport = GateTransport()
    let agent = agent(transport)
    for count in 1...2 {
      let handle = agent.start(Fetch().with(\.deadline, .seconds(1)))
      await transport.waitForStarts(count)
      await clock.waitForSleepers()
      await clock.advance(by: .seconds(1))
      let error = try await #require(throws: RequestError.self) { try await handle.value }
      #expect(error.kind == .deadlineExceeded)
    }
    #expect(await ends(1, Fetch(), of: agent) == ["circuitOpen"])
  }

  @Test("A dispatch that waits for a slot while the circuit opens is stopped before authentication")
  func openedMeanwhile() async throws {
    struct Signing: Authenticator {
      let recorder: Recorder
      func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
        recorder.add(request.url.path)
      }
    }
    let (transport, recorder) = (GateTransport(), Recorder())
    let agent = agent(transport)
    agent.maxRequestsPerOrigin = 1
    let signed = { Fetch(path: $0).with(\.authentication, .with(Signing(recorder: recorder))) }
    agent.start(signed("1"))
    await transport.waitForStarts(1)
    await agent.startWaiting(signed("2"))
    let third = await agent.startWaiting(signed("3"))
    transport.answer("/1", HTTPResponse(status: 503))
    await transport.waitForStarts(2)
    transport.answer("/2", HTTPResponse(status: 503))
    let error = try await #require(throws: RequestError.self) { try await third.value }
    #expect(error.kind == .circuitOpen && error.stage == .throttle)
    #expect(recorder.events == ["/1", "/2"])
  }

  @Test("A failure shared by 20 dispatches is a single failure")
  func shared() async throws {
    let transport = HeldTransport { _, _ in
      TransportResponse(head: HTTPResponse(status: 503), body: BodyStream(Data()))
    }
    let agent = agent(transport, CircuitBreaker())
    let handles = (0..<20).map { _ in agent.start(Fetch().with(\.coalescing, .whileInFlight)) }
    await agent.waitForSharing(20)
    transport.open()
    for handle in handles { await #expect(throws: RequestError.self) { try await handle.value } }
    #expect(await ends(19, Fetch(), of: agent) == Array(repeating: "status", count: 19))
    #expect(await ends(1, Fetch(), of: agent) == ["circuitOpen"])
    #expect(transport.requests.count == 20)
  }

  @Test("A broken shared transfer is a single failure, and every report shows the sharing")
  func sharedAndBroken() async throws {
    let transport = HeldTransport { _, _ in throw TransportError(.connectionLost, "cut") }
    let agent = agent(transport)
    let handles = (0..<5).map { _ in agent.start(Fetch().with(\.coalescing, .whileInFlight)) }
    await agent.waitForSharing(5)
    transport.open()
    for handle in handles { await #expect(throws: RequestError.self) { try await handle.value } }
    #expect(handles.compactMap { $0.report?.attempts[0].isCoalesced }.filter(\.self).count == 4)
    #expect(await ends(1, Fetch(), of: agent) == ["connectionLost"])
    #expect(await ends(1, Fetch(), of: agent) == ["circuitOpen"])
  }

  /// Shares the first hop of a redirect, and sends the second hop alone.
  private struct Forked: Request {
    typealias Response = String
    let path = "a"
    let coalescing = CoalescingPolicy.whileInFlight
    let number: Int

    func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
      if request.url.path == "/b" { request.url.append(path: "\(number)") }
    }
  }

  @Test("A dispatch that shared a hop and sent the next hop counts the next hop's outcome")
  func sharedAndFollowed() async throws {
    let transport = GateTransport()
    let agent = agent(transport, CircuitBreaker(minimumRequests: 3))
    let handles = (0..<3).map { agent.start(Forked(number: $0)) }
    await agent.waitForSharing(3)
    await transport.waitForStarts(1)
    transport.answer("/a", HTTPResponse(status: 302, headers: ["Location": "/b"]))
    await transport.waitForStarts(4)
    for number in 0..<3 { transport.answer("/b/\(number)", HTTPResponse(status: 503)) }
    for handle in handles { await #expect(throws: RequestError.self) { try await handle.value } }
    #expect(await ends(1, Fetch(), of: agent) == ["circuitOpen"])
  }

  @Test("A probe that waits again for its server stays the same probe")
  func waitingProbe() async throws {
    let transport = GateTransport()
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    configuration.circuitBreaker = CircuitBreaker(minimumRequests: 1, probes: 2)
    configuration.rateLimit = RateLimit(100, per: .seconds(1))
    let agent = RequestAgent(
      baseURL: "http://a.example", transport: transport, configuration: configuration)
    let failing = agent.start(Fetch(path: "x"))
    await transport.waitForStarts(1)
    transport.answer("/x", HTTPResponse(status: 503))
    await #expect(throws: RequestError.self) { try await failing.value }
    await clock.advance(by: .seconds(15))

    // The first probe is redirected, and must wait for the second probe's slot.
    let probe = agent.start(Forked(number: 1))
    let other = agent.start(Fetch(path: "other"))
    await transport.waitForStarts(3)
    agent.maxRequestsPerOrigin = 1
    transport.answer("/a", HTTPResponse(status: 302, headers: ["Location": "/b"]))
    await until { agent.waitingCount == 1 }
    transport.answer("/other", HTTPResponse(status: 429, headers: ["Retry-After": "9"]))
    await #expect(throws: RequestError.self) { try await other.value }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(9))
    await transport.waitForStarts(4)
    transport.open()
    _ = try await probe.value
    #expect(await ends(1, Fetch(), of: agent) == ["success"])
  }

  @Test("An accepted status counts by its meaning")
  func accepted() async {
    let accepting = OneOffRequest.get("x").with(\.validators, [.status(200..<600)])
    #expect(await ends(3, accepting, of: agent(answers(503))) == ["success", "success", "circuitOpen"])
  }

  @Test("Retries count, and a dispatch that meets the open circuit stops")
  func retries() async throws {
    let agent = agent(answers(503))
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(Fetch(retryPolicy: .upTo(9, backoff: .constant())))
    }
    #expect(error.kind == .circuitOpen && error.attempts == 3)
  }

  @Test("Each origin has its own circuit, and another origin's response after a redirect does not count")
  func origins() async throws {
    let transport = FunctionTransport { http, _ in
      http.url.host == "a.example"
        ? HTTPResponse(status: 307, headers: ["Location": "https://b.example/"]) : HTTPResponse(status: 503)
    }
    let agent = agent(transport)
    #expect(await ends(4, Fetch(), of: agent) == ["status", "status", "status", "status"])
    let other = Fetch(path: "https://b.example/")
    #expect(await ends(3, other, of: agent) == ["status", "status", "circuitOpen"])
    #expect(await ends(1, Fetch(), of: agent) == ["status"])
  }

  @Test("A cancelled probe makes room for the next probe")
  func cancelledProbe() async throws {
    let transport = MockTransport(clock: clock) { request in
      request.number <= 2 ? .status(503) : .status(200).delayed(by: .seconds(1))
    }
    let agent = agent(transport)
    _ = await ends(2, Fetch(), of: agent)
    await clock.advance(by: .seconds(15))
    let probe = Task { try await agent.send(Fetch()) }
    await clock.waitForSleepers()
    let error = try await #require(throws: RequestError.self) { try await agent.send(Fetch()) }
    #expect(error.reason.hasSuffix("2 of 2 attempts failed; a trial attempt is under way"))
    probe.cancel()
    await #expect(throws: CancellationError.self) { try await probe.value }

    let second = Task { try await agent.send(Fetch()) }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(1))
    try await second.value
    #expect(transport.requests.count == 4)
  }

  @Test("A stream counts by its head")
  func streams() async throws {
    let agent = agent(answers(200, 503, 503))
    for try await _ in try await agent.stream(.get("x")).body {}
    for kind in [RequestError.Kind.status, .circuitOpen] {
      let error = await #expect(throws: RequestError.self) { _ = try await agent.stream(.get("x")) }
      #expect(error?.kind == kind)
    }
  }

  @Test("Without a circuit breaker no dispatch is stopped")
  func off() async {
    let agent = agent(answers(503), nil)
    #expect(await ends(50, Fetch(), of: agent).allSatisfy { $0 == "status" })
    #expect(agent.origins.states.count == 0)
  }
}
