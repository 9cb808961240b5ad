import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("A mock server on a fixed port, and as a proxy", .timeLimit(.minutes(5)))
struct MockServerProxyTests {
  /// Creates a server on a fixed port from 20,000 to 29,999, outside of the usual ephemeral ranges.
  private static func fixed(on loopback: MockServer.Loopback = .ipv4) throws -> (
    server: MockServer, port: Int
  ) {
    for port in (20_000..<30_000).shuffled().prefix(50) {
      if let server = try? MockServer(on: loopback, port: port) { return (server, port) }
    }
    throw TransportError(.connectionFailed, "no port was free")
  }

  @Test(
    "The server listens on the given address and port, and again after the previous server has stopped",
    arguments: [false, true])
  func fixedPort(_ isIPv6: Bool) async throws {
    let loopback = isIPv6 ? MockServer.Loopback.ipv6 : .ipv4
    let (server, port) = try Self.fixed(on: loopback)
    #expect(server.port == port && server.baseURL.port == port)
    server.route(.get, "/a", answers: .text("there"))
    let agent = RequestAgent(baseURL: server.baseURL)
    #expect(try await agent.send(.get("a", as: String.self)) == "there")
    let taken = try #require(throws: TransportError.self) { try MockServer(on: loopback, port: port) }
    #expect(taken.kind == .connectionFailed)
    #expect(taken.message == "the mock server could not listen on port \(port): Address already in use")
    server.stop()
    let again = try MockServer(on: loopback, port: port)
    again.route(.get, "/a", answers: .text("again"))
    #expect(try await RequestAgent(baseURL: again.baseURL).send(.get("a", as: String.self)) == "again")
  }

  @Test("An invalid port is refused", arguments: [-1, 65_536])
  func noPort(_ port: Int) throws {
    let error = try #require(throws: TransportError.self) { try MockServer(port: port) }
    #expect(error.kind == .invalidRequest)
    #expect(error.message == "the port \(port) of the mock server is not in 0...65535")
  }
}

#if os(Linux)
extension MockServerProxyTests {
  /// Creates an agent that uses a server as its proxy.
  private static func agent(through proxy: MockServer) throws -> RequestAgent {
    var settings = ConnectionSettings()
    settings.proxies = .all(try #require(Proxy("http://127.0.0.1:\(proxy.port)")))
    settings.tls = TLSSettings()
    // On a busy machine, a forwarded request may take longer than the default timeout of 60 s.
    var configuration = AgentConfiguration()
    configuration.timeout = .seconds(240)
    return RequestAgent(transport: try CurlTransport(settings), configuration: configuration)
  }

  @Test("An unanswered request is forwarded with its body, and without hop-by-hop fields")
  func forwarded() async throws {
    let origin = try MockServer(on: .ipv6)
    origin.route(.post, "/echo") { request in
      .text("got \(request.text)", status: 201).header("X-Origin", "1").header("Connection", "X-Hop")
        .header("X-Hop", "1")
    }
    let proxy = try MockServer(passing: PassThrough())
    proxy.route(.get, "/mocked", answers: .text("mocked"))
    let agent = try Self.agent(through: proxy)
    let base = "http://[::1]:\(origin.port)"
    let request = OneOffRequest<String>.post(
      "\(base)/echo?a=1", headers: ["X-Own": "1", "Proxy-Authorization": "Basic x"], body: .text("hello"),
      as: String.self)
    let received = try await agent.response(for: request)
    #expect(received.value == "got hello" && received.response.status == 201)
    #expect(received.response.headers["X-Origin"] == "1" && received.response.headers["X-Hop"] == nil)
    let sent = try #require(origin.requests.first)
    #expect(sent.target == "/echo?a=1" && sent.headers["X-Own"] == "1" && sent.text == "hello")
    #expect(sent.headers["Proxy-Authorization"] == nil && sent.headers["Host"] == "[::1]:\(origin.port)")
    #expect(sent.headers["Accept-Encoding"] == "identity")
    #expect(try await agent.send(.get("\(base)/mocked", as: String.self)) == "mocked")
    #expect(origin.requestCount == 1 && proxy.requestCount == 2 && proxy.unmatched.isEmpty)
  }

  @Test("Requests are forwarded concurrently, over one connection and many connections")
  func concurrent() async throws {
    let origin = try MockServer(on: .ipv6)
    origin.route(.get, "/n/{id}") { request in .text(request.variables["id"] ?? "") }
    let proxy = try MockServer(passing: PassThrough())
    let agent = try Self.agent(through: proxy)
    let values = try await withThrowingTaskGroup(of: String.self) { group in
      for number in 0..<40 {
        group.addTask {
          try await agent.send(.get("http://[::1]:\(origin.port)/n/\(number)", as: String.self))
        }
      }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(values == Set((0..<40).map(String.init)))
  }

  @Test("A failure is a 502, an unlisted host a 404, and an ignored request is not recorded")
  func refused() async throws {
    let failing = MockTransport { _ in .fault(.refused) }
    let proxy = try MockServer(passing: PassThrough(to: failing, hosts: "a.example", ignoring: ["/health"]))
    let agent = try Self.agent(through: proxy)
    func answer(_ url: String) async throws -> RequestError {
      // Plain HTTP is allowed, because the base URL comes from code.
      let base = try #require(URL(string: url))
      return try await #require(throws: RequestError.self) {
        try await agent.send(OneOffRequest.get("").with(\.baseURL, base))
      }
    }
    let failed = try await answer("http://a.example/x")
    #expect(failed.status == 502)
    #expect(
      failed.response.map { String(decoding: $0.body, as: UTF8.self) }
        == "the request could not be forwarded: no connection to a.example:80 could be made")
    #expect(try await answer("http://b.example/x").status == 404)
    #expect(try await answer("http://a.example/health").status == 502)
    #expect(proxy.requests.map(\.target) == ["http://a.example/x", "http://b.example/x"])
    #expect(failing.requests.map(\.url?.absoluteString) == ["http://a.example/x", "http://a.example/health"])
  }

  @Test("The proxy detects a loop, and a disconnected client ends the forwarded request")
  func itself() async throws {
    let clock = TestClock()
    let slow = MockTransport(clock: clock) { _ in .text("late").delayed(by: .seconds(600)) }
    let proxy = try MockServer(passing: PassThrough(to: slow))
    let direct = RequestAgent(baseURL: proxy.baseURL)
    let own = try await #require(throws: RequestError.self) { try await direct.send(.get("a")) }
    #expect(own.status == 404 && slow.requests.isEmpty)
    // Under another name of this machine, the request returns to the proxy. The proxy detects the loop.
    let loop = try MockServer(passing: PassThrough(to: CurlTransport()))
    let looped = try Self.agent(through: loop)
    let ownBase = try #require(URL(string: "http://0.0.0.0:\(loop.port)"))
    let back = try await #require(throws: RequestError.self) {
      try await looped.send(OneOffRequest.get("a").with(\.baseURL, ownBase))
    }
    #expect(back.status == 404 && loop.requests.count == 2)
    let agent = try Self.agent(through: proxy)
    let base = try #require(URL(string: "http://a.example/x"))
    let handle = agent.start(OneOffRequest.get("").with(\.baseURL, base))
    await clock.waitForSleepers()
    handle.cancel()
    await #expect(throws: RequestError.self) { try await handle.value }
    await proxy.waitForClosedConnections(1)
    while !clock.pendingDeadlines.isEmpty { await Task.yield() }
    #expect(clock.pendingDeadlines.isEmpty && slow.requests.count == 1)
  }
}
#endif
