import ErrandMocks
import Foundation
import Testing

@testable import Errand
@testable import ErrandURLSession

@Suite("Sharing of cached responses", .timeLimit(.minutes(5)))
struct CacheSharingTests {
  private func agent(
    _ cache: ResponseCache, _ transport: MockTransport, _ authenticator: (any Authenticator)?
  ) -> RequestAgent {
    var configuration = AgentConfiguration()
    (configuration.cache, configuration.authenticator) = (cache, authenticator)
    return RequestAgent(baseURL: "https://api.test", transport: transport, configuration: configuration)
  }

  private func get(_ agent: RequestAgent, _ headers: HTTPHeaders = [:]) async throws -> String {
    try await agent.send(.get("me", headers: headers, as: String.self))
  }

  @Test(
    "Responses to credentials are not shared with other users, in any location of the credentials, even if public"
  )
  func credentials() async throws {
    let transport = MockTransport { .text("\($0.number)").header("Cache-Control", "public, max-age=60") }
    let cache = MemoryCache()
    let (ann, bob) = (
      agent(cache, transport, BearerAuthenticator(token: "ann-1234567")),
      agent(cache, transport, BearerAuthenticator(token: "bob-1234567"))
    )
    let nobody = agent(cache, transport, nil)
    let key = agent(cache, transport, APIKeyAuthenticator("k-1234567", header: "X-Team"))
    #expect(try await [get(ann), get(bob), get(nobody), get(key)] == ["1", "2", "3", "4"])
    #expect(try await get(nobody, ["Authorization": "Basic YTpi"]) == "5")
    #expect(try await get(nobody, ["Cookie": "session=1"]) == "6")
    #expect(try await get(nobody, ["X-API-Key": "7654321"]) == "7")
    #expect(try await [get(ann), get(bob), get(nobody), get(key)] == ["1", "2", "3", "4"])
    #expect(try await get(nobody, ["Cookie": "session=1"]) == "6")
    #expect(transport.requests.count == 7)
    // An unsafe request of one user invalidates the entries of all users.
    try await bob.send(.post("me"))
    #expect(try await [get(ann), get(nobody)] == ["9", "10"])
  }

  private struct ShowingTransport: Transport {
    let inner: MockTransport
    let shown: Locked<String?>
    var capabilities: TransportCapabilities { inner.capabilities }
    func send(_ request: TransportRequest) async throws -> TransportResponse { try await inner.send(request) }
    func clientIdentity(for url: URL) -> String? { shown.withLock { $0 } }
  }

  @Test("The transport's identity separates responses, and a response is not stored if the identity changes")
  func shownClient() async throws {
    let shown = Locked<String?>(nil)
    let transport = ShowingTransport(
      inner: MockTransport { request in
        if request.path == "/switch" { shown.withLock { $0 = "eve" } }
        return .text("\(request.number)").header("Cache-Control", "private, max-age=60")
      }, shown: shown)
    var configuration = AgentConfiguration()
    configuration.cache = MemoryCache()
    let agent = RequestAgent(baseURL: "https://api.test", transport: transport, configuration: configuration)
    func get(_ path: String, as name: String?) async throws -> String {
      shown.withLock { $0 = name }
      let received = try await agent.response(for: .get(path, as: String.self))
      return "\(received.value) \(received.report.cache?.storing ?? "")"
    }
    #expect(try await [get("me", as: nil), get("me", as: nil)] == ["1 stored", "1 "])
    #expect(try await [get("me", as: "ann"), get("me", as: "bob")] == ["2 stored", "3 stored"])
    #expect(try await [get("me", as: "ann"), get("me", as: nil)] == ["2 ", "1 "])
    let left = "not stored: the client identity of the transport has changed"
    #expect(try await [get("switch", as: "ann"), get("switch", as: "eve")] == ["4 \(left)", "5 stored"])
    #expect(try await get("switch", as: "ann") == "6 \(left)")
  }

  @Test("Answers to challenges are known by host and port, and a proxy's only for http")
  func shownBySessions() throws {
    let clients = ShownClients()
    func identity(_ url: String) throws -> String? {
      clients.identity(for: try #require(URL(string: url)))
    }
    #expect(try identity("https://h.test/") == nil)
    clients.record("certificate 1", at: ShownClients.place(host: "H.test", port: 443))
    let first = try #require(try identity("https://h.test/a"))
    #expect(try identity("https://h.test:443/b") == first && !first.contains("certificate"))
    #expect(try identity("https://h.test:444/") == nil && identity("https://other.test/") == nil)
    clients.record("certificate 2", at: ShownClients.place(host: "h.test", port: 443))
    #expect(try identity("https://h.test/a") != first)
    clients.record("user ann", at: ShownClients.proxy)
    #expect(try identity("http://other.test/") != nil && identity("https://other.test/") == nil)
  }

  @Test("An identity from an authenticator outlives its tokens")
  func identity() async throws {
    struct Signing: Authenticator {
      let name: String
      let tokens = Locked(0)
      func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
        request.headers["Authorization"] = "Bearer \(tokens.withLock { $0 += 1; return $0 })"
        context.identify(as: name)
      }
    }
    let transport = MockTransport {
      .text("\($0.number)").header("Cache-Control", "max-age=60").header("Vary", "Authorization")
    }
    let cache = MemoryCache()
    let (ann, bob) = (
      agent(cache, transport, Signing(name: "ann")), agent(cache, transport, Signing(name: "bob"))
    )
    #expect(try await [get(ann), get(ann), get(bob), get(ann)] == ["1", "1", "2", "1"])
  }

  @Test("Agents share responses through the same cache or its name only")
  func names() async throws {
    let transport = MockTransport { .text("\($0.number)").header("Cache-Control", "max-age=60") }
    let name = UUID().uuidString
    let shared = MemoryCache.named(name)
    #expect(MemoryCache.named(name) === shared && MemoryCache.named(name + "x") !== shared)
    let agents = [
      agent(shared, transport, nil), agent(MemoryCache.named(name), transport, nil),
      agent(MemoryCache(), transport, nil),
    ]
    var texts: [String] = []
    for agent in agents { texts.append(try await get(agent)) }
    #expect(texts == ["1", "1", "2"])
  }

  @Test("Concurrent misses share a transfer, and its stored response serves later requests")
  func coalesced() async throws {
    let server = try MockServer()
    defer { server.stop() }
    server.route(.get, "/a") {
      .text("\($0.number)").header("Cache-Control", "max-age=60").delayed(by: .milliseconds(50))
    }
    var configuration = AgentConfiguration()
    configuration.cache = MemoryCache()
    let agent = RequestAgent(baseURL: server.baseURL, configuration: configuration)
    let request = OneOffRequest<String>.get("a", as: String.self).with(\.coalescing, .whileInFlight)
    let texts = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<50 { group.addTask { try await agent.send(request) } }
      return try await group.reduce(into: [String]()) { $0.append($1) }
    }
    #expect(texts == Array(repeating: "1", count: 50))
    #expect(try await agent.response(for: request).report.cache?.source == .cache)
    #expect(server.requestCount == 1)
  }

  @Test("Redirects are cached by the same rules: 301 and 308 by default, others if the server allows")
  func redirects() async throws {
    let transport = MockTransport { request in
      switch request.path {
      case "/moved":
        .status(308).header("Location", "/new").header("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")
      case "/found": .status(302).header("Location", "/new")
      case "/kept": .status(302).header("Location", "/new").header("Cache-Control", "max-age=60")
      default: .text("\(request.number)").header("Cache-Control", "max-age=60")
      }
    }
    let agent = agent(MemoryCache(), transport, nil)
    for path in ["moved", "moved", "found", "found", "kept", "kept"] {
      #expect(try await agent.send(.get(path, as: String.self)) == "2")
    }
    #expect(transport.requests.map(\.path) == ["/moved", "/new", "/found", "/found", "/kept"])
  }

  @Test("A request's own mock is neither stored nor replaced by the cache")
  func mocks() async throws {
    struct Mocked: Request {
      typealias Response = String
      let path = "me"
      let mockPolicy = MockPolicy.always
      func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse? {
        HTTPResponse(headers: ["Cache-Control": "max-age=60"], body: Data("mock".utf8))
      }
    }
    let transport = MockTransport { .text("\($0.number)").header("Cache-Control", "max-age=60") }
    var configuration = AgentConfiguration()
    (configuration.cache, configuration.allowsMocks) = (MemoryCache(), true)
    let agent = RequestAgent(baseURL: "https://api.test", transport: transport, configuration: configuration)
    #expect(try await get(agent) == "1")
    let received = try await agent.response(for: Mocked())
    #expect(received.value == "mock" && received.report.cache == nil)
    #expect(try await get(agent) == "1")
  }

  @Test("A hit sends nothing, and returns its turn of the rate limit")
  func limits() async throws {
    let clock = TestClock(autoAdvances: true)
    let bench = CacheBench { configuration in
      configuration.rateLimit = RateLimit(2, per: .seconds(10))
      configuration.clock = AgentClock(clock, date: CacheBench.epoch)
    } answer: {
      CacheBench.counting("max-age=600")($0)
    }
    for _ in 0..<5 { _ = try await bench.get() }
    _ = try await bench.get("b")
    #expect(bench.count == 2 && clock.sleeps.filter { $0 > .seconds(1) }.isEmpty)
  }

  @Test("Set-Cookie counts when the server sends the field, not for a cache hit")
  func cookies() async throws {
    let cookies = CookieStore()
    let tag = "\"a\""
    let bench = CacheBench {
      $0.cookies = cookies
    } answer: { request in
      let answer = request.headers.contains("If-None-Match") ? MockAnswer.status(304) : .text("x")
      return answer.header("Cache-Control", "max-age=10").header("ETag", tag)
        .header("Set-Cookie", "number=\(request.number); Path=/only")
    }
    _ = try await bench.get()
    #expect(cookies.all.map(\.value) == ["1"])
    cookies.removeAll()
    _ = try await bench.get()
    #expect(cookies.all.isEmpty)
    await bench.advance(10)
    #expect(try await bench.get() == "x revalidated")
    #expect(cookies.all.map(\.value) == ["2"])
  }

  @Test("The dispatch that started a shared transfer stores the response")
  func storedOnce() async throws {
    let cache = CountingCache()
    let gate = OneTime<Void>()
    let transport = MockTransport { _ async throws in
      try await gate.wait()
      return .text("x").header("Cache-Control", "max-age=60")
    }
    let agent = agent(cache, transport, nil)
    let request = OneOffRequest<String>.get("a", as: String.self).with(\.coalescing, .whileInFlight)
    let handles = (0..<5).map { _ in agent.start(request) }
    while agent.sharedTransfers.waiterCount < 5 { await Task.yield() }
    gate.set(())
    var told: [String] = []
    for handle in handles {
      _ = try await handle.value
      told.append(handle.report?.cache?.storing ?? "")
    }
    #expect(cache.stores.withLock { $0 } == 1)
    #expect(
      told.sorted()
        == Array(repeating: "left to the dispatch that started the transfer", count: 4) + ["stored"])
  }

  /// Stores nothing.
  private final class CountingCache: ResponseCache, @unchecked Sendable {
    let stores = Locked(0)

    override func store(_ response: CachedResponse, for key: CacheKey) async -> String? {
      stores.withLock { $0 += 1 }
      return nil
    }
  }

  @Test("A cancelled dispatch removes nothing from the cache, and a cancelled agent keeps no refresh")
  func cancelled() async throws {
    let bench = CacheBench(policy: .staleWhileRevalidate) { request in
      let answer = CacheBench.counting("max-age=1")(request)
      return request.number == 1 ? answer : answer.fault(.stalled)
    }
    _ = try await bench.get()
    await bench.advance(5)
    #expect(try await bench.get() == "1 stale")
    while bench.count < 2 { await Task.yield() }
    bench.agent.cancelAll()
    await bench.agent.cacheRefreshes.wait()
    #expect(try await bench.get("a", .cacheOnly) == "1 stale")
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await bench.get()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
