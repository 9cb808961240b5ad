import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("Forwarding by a mock")
struct PassThroughTests {
  private let real = MockTransport { .text("real \($0.target) \($0.text)") }

  @Test("A request without a stub is forwarded to listed hosts, and refused for other hosts")
  func hosts() async throws {
    let stub = Stub(.get, "/a", answers: .text("stub"))
    let transport = MockTransport(
      [stub], passing: PassThrough(to: real, hosts: ["cdn.example.com", .suffix(".images.example.com")]))
    #expect(try await transport.exchange(.get, "https://cdn.example.com/a").body == "stub")
    #expect(try await transport.exchange(.get, "https://CDN.example.com/b").body == "real /b ")
    #expect(try await transport.exchange(.get, "https://x.images.example.com/b").body == "real /b ")
    let message = try await transport.refusal(of: .get, "https://api.example.com/b")
    #expect(
      message == """
        no stub answers GET https://api.example.com/b; the only stub:
        1. \(stub): path is /b, not /a
        the request is not forwarded, because its host is api.example.com, not cdn.example.com \
        or a text that ends with .images.example.com
        """)
    let host = "cdn.example.com:8080"
    let one = MockTransport(passing: PassThrough(to: real, hosts: host))
    #expect(
      try await one.refusal(of: .get, "https://cdn.example.com:8080/b")
        .hasSuffix(
          "\nthe request is not forwarded, because its host is cdn.example.com, not cdn.example.com:8080"))
    #expect(transport.requests.count == 4 && real.requests.count == 2)
  }

  /// A transport that counts the resets of connections, and shows an identity.
  private struct Target: Transport {
    let resets = Locked(0)
    var capabilities: TransportCapabilities { MockTransport.standardCapabilities }
    func send(_ request: TransportRequest) async throws -> TransportResponse {
      throw TransportError.cancelled
    }
    func resetConnections() { resets.withLock { $0 += 1 } }
    func clientIdentity(for url: URL) -> String? { "certificate" }
  }

  @Test("The target transport resets its connections, and shows the client's identity")
  func contract() throws {
    let url = try #require(URL(string: "https://api.example.com/"))
    let target = Target()
    let forwarding = MockTransport(passing: PassThrough(to: target))
    RequestAgent.mocked(by: forwarding).resetConnections()
    #expect(target.resets.withLock { $0 } == 1 && forwarding.clientIdentity(for: url) == "certificate")
    #expect(real.clientIdentity(for: url) == nil)
  }

  @Test("Without a host list every request is forwarded, including streamed bodies, and recorded once")
  func bodies() async throws {
    let transport = MockTransport([Stub(.post, "/a", answers: .text("stub"))], passing: PassThrough(to: real))
    let agent = RequestAgent.mocked(by: transport)
    let body = RequestBody.stream(length: 5) { BodyStream(Data("hello".utf8)) }
    #expect(try await agent.send(.post("b", body: body, as: String.self)) == "real /b hello")
    #expect(try await agent.send(.post("a", body: body, as: String.self)) == "stub")
    #expect(transport.requests.map(\.text) == ["hello", "hello"])
  }

  @Test("An ignored request is not recorded, and no stub sees the request")
  func ignored() async throws {
    let stub = Stub(nil, "**", answers: .text("stub"))
    let transport = MockTransport(
      [stub], passing: PassThrough(to: real, ignoring: ["https://stats.example.com/**", "/health"]))
    #expect(try await transport.exchange(.post, "https://stats.example.com/x").body == "real /x ")
    #expect(try await transport.exchange(.get, "https://h/health").body == "real /health ")
    #expect(try await transport.exchange(.get, "https://h/healthy").body == "stub")
    #expect(transport.requests.map(\.path) == ["/healthy"] && stub.calls.count == 1)
  }

  @Test("An ignored path applies to listed hosts only, an ignored URL only to itself")
  func ignoredHosts() async throws {
    let transport = MockTransport(
      passing: PassThrough(
        to: real, hosts: ["cdn.example.com"], ignoring: ["https://stats.example.com/**", "/health"]))
    #expect(try await transport.exchange(.get, "https://cdn.example.com/health").body == "real /health ")
    #expect(try await transport.exchange(.get, "https://stats.example.com/x").body == "real /x ")
    #expect(transport.requests.isEmpty)
    _ = try await transport.refusal(of: .get, "https://api.example.com/health")
    #expect(transport.requests.map(\.path) == ["/health"] && real.requests.count == 2)
  }

  @Test("The default is to forward with the platform's transport")
  func platform() async throws {
    let server = try MockServer()
    server.route(.get, "/b", answers: .text("real"))
    let agent = RequestAgent(
      baseURL: server.baseURL, transport: MockTransport(passing: PassThrough(hosts: "127.0.0.1")))
    #expect(try await agent.send(.get("b", as: String.self)) == "real")
  }

  @Test("The mock has the capabilities of the real transport")
  func capabilities() {
    let real = MockTransport(capabilities: TransportCapabilities(contentCodings: ["gzip"])) { _ in
      .status(200)
    }
    #expect(MockTransport(passing: PassThrough(to: real)).capabilities == real.capabilities)
  }

  @Test("A scenario answers by its state, reports the state, and restarts on reset")
  func scenario() async throws {
    let filled = Stub(.get, "/cart", answers: .text("7")).scenario("cart", when: "filled").optional()
    let transport = MockTransport([
      filled, Stub(.get, "/cart", answers: .text("empty")).scenario("cart", when: "started"),
      Stub(.post, "/cart", answers: .status(201)).scenario("cart", when: "started", to: "filled"),
      Stub(.delete, "/cart", answers: .status(204)).scenario("cart", to: "closed"),
    ])
    func body() async throws -> String { try await transport.exchange(.get, "https://h/cart").body }
    #expect(transport.state(ofScenario: "cart") == "started")
    #expect(try await body() == "empty")
    try await transport.exchange(.post, "https://h/cart")
    #expect(try await body() == "7")
    try await transport.exchange(.delete, "https://h/cart")
    #expect(transport.state(ofScenario: "cart") == "closed")
    #expect(
      try await transport.refusal(of: .get, "https://h/cart")
        .contains("1. \(filled): scenario cart is closed, not filled"))
    transport.reset()
    #expect(try await body() == "empty")
    transport.setState("filled", ofScenario: "cart")
    #expect(try await body() == "7")
  }

  @Test("A scenario transition is taken once under concurrent requests")
  func atOnce() async throws {
    let first = Stub(.post, "/a", answers: .text("first")).scenario("s", when: "started", to: "done")
    let transport = MockTransport([first, Stub(.post, "/a", answers: .text("later"))])
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<50 { group.addTask { _ = try? await transport.exchange(.post, "https://h/a") } }
    }
    try first.checkCalled(times: 1)
  }

  @Test("Stubs share a base and header fields, and a stub with its own origin keeps the origin")
  func shared() async throws {
    let stubs = [
      Stub(.get, "/users/{id}", answers: .text("user")),
      Stub(.get, "https://other.example/a", answers: .text("a")),
    ].under("https://api.example.com/v1/", headers: ["Accept": .contains("json")])
    let transport = MockTransport(stubs)
    let json: HTTPHeaders = ["Accept": "application/json"]
    #expect(
      try await transport.exchange(.get, "https://api.example.com/v1/users/7", headers: json).body == "user")
    #expect(try await transport.exchange(.get, "https://other.example/a", headers: json).body == "a")
    #expect(
      try await transport.refusal(of: .get, "https://api.example.com/v1/users/7")
        .contains("1. \(stubs[0]): header Accept is missing, not a text that contains json"))
    #expect(stubs[0].calls.map(\.variables) == [["id": "7"]])
  }

  @Test("The answer of a stub reports the upload progress, also of a stream and with trailers")
  func progress() async throws {
    for trailers in [HTTPHeaders(), ["X-Sum": "1"]] {
      let clock = TestClock()
      let stub = Stub(.post, "/a", answers: .text("stub").delayed(by: .seconds(10)))
      let real = MockTransport(clock: clock) { _ in .status(200) }
      let transport = MockTransport([stub], passing: PassThrough(to: real), clock: clock)
      let body = RequestBody.stream(length: 5) { BodyStream(Data("hello".utf8)) }
      let agent = RequestAgent.mocked(by: transport, hooks: [Trailing(trailers: trailers)])
      let handle = agent.start(.post("a", body: body, as: String.self))
      await clock.waitForSleeps()
      let progress = handle.progress.current
      #expect(progress.phase == .sending && progress.completed == 5 && progress.total == 5)
      await clock.advance(by: .seconds(10))
      #expect(try await handle.value == "stub")
    }
  }

  /// Sends nothing, and ends with the cancellation of the request.
  private final class SilentTransport: Transport {
    private let started = Locked(false)

    var capabilities: TransportCapabilities { TransportCapabilities() }
    var isStarted: Bool { started.withLock { $0 } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      started.withLock { $0 = true }
      try await request.cancellation.cancelling { try await Task.sleep(for: .seconds(3_600)) }
      throw TransportError.cancelled
    }
  }

  @Test("A forwarded body counts as sent when the target transport sends the body")
  func forwardedProgress() async throws {
    let data = Data("hello".utf8)
    for body in [RequestBody.data(data), .stream(length: 5) { BodyStream(data) }] {
      let target = SilentTransport()
      let agent = RequestAgent.mocked(by: MockTransport(passing: PassThrough(to: target)))
      let handle = agent.start(.post("b", body: body, as: String.self))
      while !target.isStarted { await Task.yield() }
      #expect(handle.progress.current.completed == 0)
      handle.cancel()
      await #expect(throws: RequestError.self) { try await handle.value }
    }
  }

  private struct Trailing: RequestHooks {
    let trailers: HTTPHeaders
    func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
      if !trailers.fields.isEmpty { request.trailers = RequestTrailers(trailers) }
    }
  }
}
