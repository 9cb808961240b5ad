import ErrandMocks
import ErrandService
import Foundation
import Testing

@testable import Errand

@Suite("The health of a base", .timeLimit(.minutes(5)))
struct FailoverHealthTests {
  typealias Answer = Result<HTTPResponse, TransportError>

  let clock = TestClock(autoAdvances: true)
  /// By the first letter of the host; other hosts respond with 200.
  let answers = Locked<[String: Answer]>([:])

  private static let down = Answer.failure(TransportError(.connectionFailed, "the server is down"))
  private static let unavailable = Answer.success(HTTPResponse(status: 503))
  private static let storable = HTTPResponse(
    headers: ["Cache-Control": "max-age=60"], body: Data("1".utf8))

  private func failover(order: Failover.Order = .first, maximumFailures: Int = 1) throws -> Failover {
    let bases = try ["a", "b"].map(FailoverTests.base)
    return Failover(bases, order: order, maximumFailures: maximumFailures)
  }

  private func agent(
    _ failover: Failover, retries: Int = 0, hooks: [any RequestHooks] = [],
    _ change: (inout AgentConfiguration) -> Void = { _ in }
  ) -> (RequestAgent, FunctionTransport) {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    configuration.jitter = { 0 }
    configuration.retryPolicy = .upTo(retries, backoff: .constant(.seconds(4)))
    configuration.failover = failover
    change(&configuration)
    let transport = FunctionTransport { [answers] request, _ in
      let name = String((request.url.host ?? "").prefix(1))
      return try answers.withLock { $0[name] }?.get() ?? HTTPResponse()
    }
    return (
      RequestAgent(transport: transport, hooks: hooks, configuration: configuration), transport
    )
  }

  private func set(_ host: String, to answer: Answer?) { answers.withLock { $0[host] = answer } }

  private func hosts(_ transport: FunctionTransport) -> String {
    transport.requests.compactMap { $0.url.host?.first.map(String.init) }.joined()
  }

  private func redirect(to url: String) -> Answer {
    .success(HTTPResponse(status: 302, headers: ["Location": url]))
  }

  @Test("A failure counts if the cache gives a stale response instead")
  func stale() async throws {
    for failure in [Self.down, Self.unavailable] {
      let failover = try failover()
      let (agent, transport) = agent(failover) {
        $0.cache = MemoryCache()
        $0.cachePolicy = .networkElseCache
      }
      set("a", to: .success(Self.storable))
      try await agent.send(.get("x"))
      set("a", to: failure)
      let report = try await agent.response(for: .get("x")).report
      #expect(report.cache?.source == .stale)
      #expect(failover.bases.map(\.isResting) == [true, false])
      try await agent.send(.get("x"))
      #expect(hosts(transport) == "aab")
    }
  }

  @Test("A retry after a response without the server waits as the server asks")
  func responder() async throws {
    let page = LocalResponder("page") { _, _ in HTTPResponse(status: 503, headers: ["Retry-After": "2"]) }
    let (agent, _) = agent(try failover(), retries: 1, hooks: [page])
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("x")) }
    let retries = error.report?.attempts.map(\.retry)
    #expect(retries == [AttemptReport.Retry(wait: .seconds(2), source: .retryAfter), nil])
  }

  @Test("After a redirect to another origin, failures there do not count")
  func redirected() async throws {
    let failover = try failover()
    let (agent, transport) = agent(failover, retries: 1)
    set("a", to: redirect(to: "https://z.example/x"))
    for failure in [Self.down, Self.unavailable] {
      set("z", to: failure)
      await #expect(throws: RequestError.self) { try await agent.send(.get("x")) }
    }
    #expect(hosts(transport) == "azazazaz")
    #expect(failover.bases.map(\.isResting) == [false, false])
  }

  @Test("A redirect to another origin is a success of the base")
  func redirectIsSuccess() async throws {
    let failover = try failover(maximumFailures: 2)
    let (agent, transport) = agent(failover)
    set("z", to: Self.down)
    for answer in [Self.down, redirect(to: "https://z.example/x"), Self.down] {
      set("a", to: answer)
      _ = try? await agent.send(.get("x"))
    }
    #expect(hosts(transport) == "aaza")
    #expect(failover.bases.map(\.isResting) == [false, false])
  }

  @Test("An error of a hook, and a failure of another host of a hook's choice, do not count")
  func hooks() async throws {
    set("z", to: Self.down)
    let throwing = URLFilter { _ in throw TransportError(.connectionFailed, "the hook failed") }
    let url = try #require(URL(string: "https://z.example/x"))
    let moving = URLFilter { $0.url = url }
    for (hook, expected) in [(throwing, ""), (moving, "z")] {
      let failover = try failover()
      let (agent, transport) = agent(failover, hooks: [hook])
      await #expect(throws: RequestError.self) { try await agent.send(.get("x")) }
      #expect(hosts(transport) == expected)
      #expect(failover.bases.map(\.isResting) == [false, false])
    }
  }

  @Test("A status 503 that a validator accepts is no success")
  func accepted() async throws {
    let failover = try failover(maximumFailures: 2)
    let (agent, transport) = agent(failover)
    for answer in [Self.down, Self.unavailable, Self.down] {
      set("a", to: answer)
      _ = try? await agent.send(.get("x").with(\.validators, [StandardValidator.status(200..<600)]))
    }
    #expect(hosts(transport) == "aaa")
    #expect(failover.bases.map(\.isResting) == [true, false])
  }

  @Test("The head of a stream is the success, and the end of the body is none")
  func stream() async throws {
    let failover = try failover()
    let (agent, _) = agent(failover)
    set("a", to: Self.down)
    _ = try? await agent.send(.get("x"))
    try await clock.sleep(for: .seconds(30))
    set("a", to: .success(HTTPResponse(body: Data("1".utf8))))
    let stream = try await agent.stream(.get("x"))
    #expect(failover.bases.map(\.isResting) == [false, false])
    set("a", to: Self.down)
    _ = try? await agent.send(.get("x"))
    for try await _ in stream.body {}
    #expect(failover.bases.map(\.isResting) == [true, false])
  }

  @Test("An open circuit of a base fails over, also for POST")
  func circuit() async throws {
    let requests: [OneOffRequest<Void>] = [.get("x"), .post("x")]
    for request in requests {
      let (agent, transport) = agent(try failover(), retries: 1) {
        $0.circuitBreaker = CircuitBreaker(minimumRequests: 1)
      }
      set("a", to: .success(HTTPResponse(status: 500)))
      _ = try? await agent.send(request.with(\.retryPolicy, .none))
      let report = try await agent.response(for: request).report
      #expect(report.attempts.map { $0.retry?.source } == [.failover, nil])
      #expect(hosts(transport) == "ab" && report.elapsed == .zero)
    }
  }

  @Test("A failed TLS connection fails over for a repeatable request")
  func tls() async throws {
    set("a", to: .failure(TransportError(.secureConnectionFailed, "the certificate is unknown")))
    let cases: [(OneOffRequest<Void>, String)] = [(.get("x"), "ab"), (.post("x"), "a")]
    for (request, expected) in cases {
      let (agent, transport) = agent(try failover(), retries: 1)
      _ = try? await agent.send(request)
      #expect(hosts(transport) == expected)
    }
  }

  @Test("The condition of a policy decides about a failed TLS connection")
  func condition() async throws {
    set("a", to: .failure(TransportError(.secureConnectionFailed, "the certificate is unknown")))
    let (agent, transport) = agent(try failover()) {
      $0.retryPolicy = .upTo(1)
      $0.retryPolicy.condition = { _ in false }
    }
    _ = try? await agent.send(.get("x"))
    #expect(hosts(transport) == "a")
  }

  @Test("A failover has no wait, so the time limit of the policy allows it")
  func timeLimit() async throws {
    set("a", to: Self.down)
    let (agent, transport) = agent(try failover()) {
      $0.retryPolicy = .upTo(2, backoff: .constant(.seconds(4)), within: .seconds(3))
    }
    try await agent.send(.get("x"))
    #expect(hosts(transport) == "ab")
  }

  @Test("The removal of a cached response covers all bases")
  func removal() async throws {
    for host in ["a", "b"] { set(host, to: .success(Self.storable)) }
    let (agent, transport) = agent(try failover(order: .roundRobin)) {
      $0.cache = MemoryCache()
      $0.cachePolicy = .cacheElseNetwork
    }
    for _ in 0..<3 { try await agent.send(.get("x")) }
    #expect(hosts(transport) == "ab")
    try await agent.cache.remove(for: .get("x"))
    for _ in 0..<2 { try await agent.send(.get("x")) }
    #expect(hosts(transport) == "abba")
  }

  @Test("Repeated URLs are one base, and the longest path decides about the base of a URL")
  func bases() throws {
    let urls = try ["a.example/v1", "b.example/v1", "a.example/v1", "a.example/v1/eu"].map {
      try #require(URL(string: "https://\($0)"))
    }
    let failover = Failover(urls)
    #expect(failover.bases.map(\.url) == [urls[0], urls[1], urls[3]])
    #expect(failover.base(of: URL(string: "https://a.example/v1/eu/x")) == urls[3])
    #expect(failover.base(of: URL(string: "https://a.example/v1/x")) == urls[0])
    #expect(failover.nearestBase(to: URL(string: "https://b.example/files/7")) == urls[1])
    #expect(failover.nearestBase(to: URL(string: "https://z.example/v1")) == urls[0])
  }

  @Test("An explanation reports a path that leaves the first base")
  func leaving() async throws {
    let (agent, _) = agent(try failover())
    let text = try await agent.explain(.get("../x")).description
    #expect(text.contains("leaves the base: its dot segments lead to /x"))
  }
}

/// A hook that changes each request.
private struct URLFilter: RequestHooks {
  let change: @Sendable (inout HTTPRequest) throws -> Void

  init(_ change: @escaping @Sendable (inout HTTPRequest) throws -> Void) { self.change = change }

  func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
    try change(&request)
  }
}
