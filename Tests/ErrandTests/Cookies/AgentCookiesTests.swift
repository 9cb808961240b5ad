import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Cookies of an agent", .timeLimit(.minutes(5)))
struct AgentCookiesTests {
  private let server: MockServer
  private let store = CookieStore()

  init() throws {
    server = try MockServer()
    server.route(.get, "/set", answers: .status(200).header("Set-Cookie", "a=1; Path=/"))
    server.route(.get, "/echo") { .text($0.headers["Cookie"] ?? "none") }
  }

  private func agent(_ store: CookieStore?, _ retries: RetryPolicy = .none) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.cookies = store
    configuration.retryPolicy = retries
    configuration.clock = AgentClock(TestClock(autoAdvances: true), date: Date())
    return RequestAgent(baseURL: server.baseURL, configuration: configuration)
  }

  private func echo(_ agent: RequestAgent, _ policy: CookiePolicy = .inherited) async throws -> String {
    try await agent.send(.get("echo", as: String.self).with(\.cookies, policy))
  }

  @Test(
    "Without a store there are no cookies, with a store cookies are sent back, and agents share a store explicitly"
  )
  func stores() async throws {
    let (bare, first, second) = (agent(nil), agent(store), agent(CookieStore()))
    for agent in [bare, first] { try await agent.send(.get("set")) }
    #expect(try await echo(bare) == "none")
    #expect(try await echo(first) == "a=1")
    #expect(try await echo(second) == "none")
    #expect(try await echo(agent(store)) == "a=1")
    #expect(try await echo(first, .none) == "none")
    #expect(try await echo(second, .store(store)) == "a=1")
  }

  #if os(Linux)
  @Test(
    "A cookie of any bytes is sent back unchanged",
    arguments: [
      [Array("s=".utf8) + [0xFF, 0x74]], [[0xD4, 0xC5, 0x3D, 0xCF, 0xCB]], [Array("u=é".utf8)],
      [Array("a=1".utf8), Array("s=".utf8) + [0xFF, 0x09, 0xC3], Array("u=é".utf8)],
    ])
  func bytes(_ cookies: [[UInt8]]) async throws {
    let line = Data("Set-Cookie: ".utf8)
    let answer = cookies.reduce(MockAnswer.status(200)) { $0.headerLine(line + $1 + Data("; Path=/".utf8)) }
    server.route(.get, "/bytes", answers: answer)
    server.route(.get, "/seen") { request in
      let field = request.headers.fields.first { $0.name == "Cookie" }
      return .data(Data(field?.foreignBytes ?? Array((field?.value ?? "").utf8)))
    }
    let agent = agent(store)
    try await agent.send(.get("bytes"))
    let seen = try await agent.send(.get("seen", as: Data.self))
    #expect(Array(seen) == Array(cookies.joined(separator: Array("; ".utf8))))
    let own = try await agent.send(.get("seen", as: Data.self).with(\.headers, ["Cookie": "x=ü"]))
    #expect(Array(own) == Array(([Array("x=ü".utf8)] + cookies).joined(separator: Array("; ".utf8))))
  }
  #endif

  @Test(
    "Set-Cookie counts in followed and unfollowed redirects, in refused responses, and in each attempt"
  )
  func everyAnswer() async throws {
    server.route(
      .get, "/login",
      answers: .status(302).header("Location", "/echo").header("Set-Cookie", "session=7; Path=/"))
    server.route(.get, "/refused", answers: .status(403).header("Set-Cookie", "refused=1; Path=/"))
    server.route(.get, "/flaky") { request in
      request.headers["Cookie"]?.contains("again") == true
        ? .text("done") : .status(503).header("Set-Cookie", "again=1; Path=/")
    }
    let agent = agent(store, .upTo(1))
    #expect(try await agent.send(.get("login", as: String.self)) == "session=7")
    await #expect(throws: RequestError.self) { try await agent.send(.get("refused")) }
    await #expect(throws: RequestError.self) {
      try await agent.send(.get("login").with(\.redirectPolicy, .none))
    }
    #expect(try await agent.send(.get("flaky", as: String.self)) == "done")
    #expect(try await echo(agent) == "session=7; refused=1; again=1")
    let stream = try await agent.stream(.get("set"))
    for try await _ in stream.body {}
    #expect(store.all.map(\.name) == ["session", "refused", "again", "a"])
  }

  @Test("A redirect to another host sends no cookies there, and the other host sets no foreign cookies")
  func elsewhere() async throws {
    let other = try MockServer(on: .ipv6)
    other.route(.get, "/echo") {
      .text($0.headers["Cookie"] ?? "none").header("Set-Cookie", "toss=1; Domain=127.0.0.1")
    }
    server.route(
      .get, "/away",
      answers: .status(302).header("Location", other.baseURL.appending(path: "echo").absoluteString))
    let agent = agent(store)
    try await agent.send(.get("set"))
    #expect(try await agent.send(.get("away", as: String.self)) == "none")
    #expect(try await echo(agent) == "a=1")
    #expect(store.all.map(\.name) == ["a"])
  }

  @Test("A request's own Cookie stays, and is not sent twice")
  func own() async throws {
    let agent = agent(store)
    try await agent.send(.get("set"))
    store.set(try #require(Cookie(name: "b", value: "2", domain: "127.0.0.1")))
    let request = OneOffRequest<String>.get("echo", headers: ["Cookie": "a=mine; c=3"], as: String.self)
    #expect(try await agent.send(request) == "a=mine; c=3; b=2")
  }

  @Test("An explanation names the source of cookies, and no printed form has a value")
  func explained() async throws {
    let agent = agent(store)
    store.set(try #require(Cookie(name: "sid", value: "s3cretvalue", domain: "127.0.0.1")))
    let explanation = try await agent.explain(.get("echo"))
    #expect(explanation.request.headers["Cookie"] == "sid=s3cretvalue")
    let text = "\(explanation)"
    #expect(text.contains("Cookie:") && text.contains("(cookies)") && text.contains("the agent's"))
    #expect(!text.contains("s3cretvalue"))
    server.route(.get, "/leak", answers: .status(500))
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("leak")) }
    for printed in ["\(error)", String(reflecting: error), "\(error.report.map { "\($0)" } ?? "")"] {
      #expect(!printed.contains("s3cretvalue"))
    }
  }

  @Test("A mock sets and receives cookies")
  func mocked() async throws {
    let transport = MockTransport { request in
      request.number == 1
        ? .status(200).header("Set-Cookie", "m=1") : .text(request.headers["Cookie"] ?? "none")
    }
    var configuration = AgentConfiguration()
    configuration.cookies = store
    let agent = RequestAgent(
      baseURL: "https://mocked.example", transport: transport, configuration: configuration)
    try await agent.send(.get("a"))
    #expect(try await agent.send(.get("b", as: String.self)) == "m=1")
  }

  @Test("A page that sets a cookie and redirects to itself is followed, up to the limit")
  func selfRedirect() async throws {
    func transport(_ sets: String) -> FunctionTransport {
      FunctionTransport { http, _ in
        http.headers["Cookie"] == "seen=1"
          ? HTTPResponse(body: Data("in".utf8))
          : HTTPResponse(status: 302, headers: ["Location": "/page", "Set-Cookie": sets])
      }
    }
    var configuration = AgentConfiguration()
    configuration.cookies = CookieStore()
    let good = RequestAgent(
      baseURL: "https://a.example", transport: transport("seen=1; Path=/"), configuration: configuration)
    #expect(try await good.send(.get("page", as: String.self)) == "in")
    configuration.cookies = CookieStore()
    let endless = RequestAgent(
      baseURL: "https://a.example", transport: transport("other=1"), configuration: configuration)
    let error = try await #require(throws: RequestError.self) { try await endless.send(.get("page")) }
    let round = "10 redirects were followed, and the server sent another; the redirects repeat "
    #expect(error.reason == round + #""https://a.example/page""#)
    let without = RequestAgent(baseURL: "https://a.example", transport: transport("seen=1"))
    let lost = try await #require(throws: RequestError.self) { try await without.send(.get("page")) }
    #expect(lost.reason == error.reason)
  }

  @Test("A mocked hop sets no cookies of an earlier hop, with a cache too")
  func mockedHop() async throws {
    struct Fetch: Request {
      typealias Response = String
      let path = "a"
      let mockPolicy = MockPolicy.always
      func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse? {
        request.url.host == "b.example" ? HTTPResponse(body: Data("mocked".utf8)) : nil
      }
    }
    let transport = MockTransport { _ in
      .status(302).header("Location", "https://b.example/").header("Set-Cookie", "a=1; Path=/")
    }
    var configuration = AgentConfiguration()
    (configuration.cookies, configuration.cache, configuration.allowsMocks) = (store, .memory(), true)
    let agent = RequestAgent(
      baseURL: "https://a.example", transport: transport, configuration: configuration)
    #expect(try await agent.send(Fetch()) == "mocked")
    #expect(store.all.map(\.domain) == ["a.example"])
  }

  @Test("A mock after the final failure sets cookies")
  func fallback() async throws {
    struct Mocked: Request {
      typealias Response = Void
      let path = "missing"
      let mockPolicy = MockPolicy.whenFailed

      func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse? {
        HTTPResponse(headers: ["Set-Cookie": "mock=1; Path=/"])
      }
    }
    server.route(.get, "/missing", answers: .status(404))
    var configuration = AgentConfiguration()
    configuration.cookies = store
    configuration.allowsMocks = true
    let agent = RequestAgent(baseURL: server.baseURL, configuration: configuration)
    try await agent.send(Mocked())
    #expect(try await echo(agent) == "mock=1")
  }

  @Test("A refresh in the background sets cookies")
  func refreshed() async throws {
    let bench = CacheBench(policy: .staleWhileRevalidate, { $0.cookies = store }) { request in
      CacheBench.counting("max-age=10", request.number == 2 ? ["Set-Cookie": "n=2; Path=/"] : [:])(request)
    }
    #expect(try await bench.get() == "1 network")
    #expect(store.all.isEmpty)
    await bench.advance(11)
    #expect(try await bench.get() == "1 stale")
    await bench.agent.cacheRefreshes.wait()
    #expect(store.all.map(\.value) == ["2"])
  }
}
