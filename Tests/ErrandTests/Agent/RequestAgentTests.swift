import Foundation
import Testing

@testable import Errand

@Suite("An agent")
struct RequestAgentTests {
  struct Fetch: Request {
    typealias Response = String
    var path = "things"
    var tag = 0
    var userInfo: [String: any Sendable] = [:]
    var comment: String?
  }

  @Test("A bad base URL is an error of each request that needs the base, and never a crash")
  func badBase() async throws {
    let transport = FunctionTransport()
    let agent = RequestAgent(baseURL: "http://exa mple/", transport: transport)
    let error = try await #require(throws: RequestError.self) { try await agent.send(Fetch()) }
    #expect(error.kind == .invalidURL)
    #expect(error.stage == .build)
    try await agent.send(Fetch(path: "https://example.com/"))
    #expect(transport.requests.map(\.url.absoluteString) == ["https://example.com/"])
  }

  @Test("Without a transport or a CDN, the error says so and nothing is sent")
  func missingCDN() async throws {
    struct CDN: Request {
      typealias Response = String
      let path = "logo.png"
      let usesCDN = true
    }
    let transport = FunctionTransport()
    let error = try await #require(throws: RequestError.self) {
      try await RequestAgent(baseURL: "http://example.com", transport: transport).send(CDN())
    }
    #expect(error.reason == "usesCDN is set, but neither the request nor the agent has a CDN URL")
    #expect(transport.requests.isEmpty)

    var configuration = AgentConfiguration()
    configuration.cdnURL = URL(string: "http://cdn.example.com/assets")
    try await RequestAgent(baseURL: "http://example.com", transport: transport, configuration: configuration)
      .send(CDN())
    #expect(transport.requests.map(\.url.absoluteString) == ["http://cdn.example.com/assets/logo.png"])
  }

  @Test("Default headers are added once, and only if absent")
  func defaultHeaders() async throws {
    struct Own: Request {
      typealias Response = [Int]
      var headers: HTTPHeaders = [:]
    }
    var configuration = AgentConfiguration()
    configuration.userAgent = "tests/1"
    configuration.acceptLanguage = "de, en;q=0.9"
    configuration.headers = ["X-House": "1", "X-Both": "agent"]
    let transport = FunctionTransport(capabilities: TransportCapabilities(contentCodings: ["gzip"])) { _, _ in
      HTTPResponse(body: Data("[]".utf8))
    }
    let agent = RequestAgent(
      baseURL: "http://example.com", transport: transport, configuration: configuration)
    try await agent.send(Own(headers: ["X-Both": "request"]))
    try await agent.send(Own(headers: ["accept": "x/y", "USER-AGENT": "me", "Accept-Encoding": "identity"]))

    let sent = transport.requests.map { $0.headers.fields.map { "\($0.name): \($0.value)" } }
    #expect(
      sent == [
        [
          "X-House: 1", "X-Both: request", "Accept: application/json", "Accept-Encoding: gzip",
          "Accept-Language: de, en;q=0.9", "User-Agent: tests/1",
        ],
        [
          "X-House: 1", "X-Both: agent", "accept: x/y", "USER-AGENT: me", "Accept-Encoding: identity",
          "Accept-Language: de, en;q=0.9",
        ],
      ])
  }

  @Test("A request for a range gets the undecoded bytes by default")
  func range() async throws {
    let transport = FunctionTransport(capabilities: TransportCapabilities(contentCodings: ["gzip"]))
    let agent = RequestAgent(baseURL: "http://example.com", transport: transport)
    for headers in [["Range": "bytes=5-"], ["range": "bytes=5-", "Accept-Encoding": "br"]] as [HTTPHeaders] {
      try await agent.send(.get("a", headers: headers, as: Data.self))
    }
    #expect(transport.requests.map { $0.headers["Accept-Encoding"] } == [nil, "br"])
  }

  @Test("A custom request is sent unchanged, and hooks still run")
  func customRequest() async throws {
    struct Custom: Request {
      typealias Response = Void
      let path = "ignored"
      let headers: HTTPHeaders = ["X-Ignored": "1"]
      var customRequest: HTTPRequest? {
        HTTPRequest(
          url: URL(string: "https://other.example/x")!, method: .put, headers: ["X-A": "1"],
          body: .text("body"))
      }
      func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
        request.headers.add("X-Hook", "1")
      }
    }
    let transport = FunctionTransport()
    try await RequestAgent(baseURL: "http://example.com", transport: transport).send(Custom())
    let sent = try #require(transport.requests.first)
    #expect(sent.method == .put)
    #expect(sent.url.absoluteString == "https://other.example/x")
    #expect(sent.headers == ["X-A": "1", "Content-Type": "text/plain; charset=utf-8", "X-Hook": "1"])
    #expect(sent.body.data == Data("body".utf8))
  }

  @Test("User info of a URL becomes an Authorization header and leaves the URL")
  func userInfo() async throws {
    let transport = FunctionTransport()
    let agent = RequestAgent(baseURL: "http://Aladdin:open%20sesame@example.com", transport: transport)
    try await agent.send(Fetch())
    #expect(transport.requests.map(\.url.absoluteString) == ["http://example.com/things"])
    #expect(transport.requests.first?.headers["Authorization"] == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
  }

  @Test("A data URL is answered without a transport")
  func dataURL() async throws {
    let transport = FunctionTransport()
    let agent = RequestAgent(transport: transport)
    let received = try await agent.response(for: Fetch(path: "data:text/plain,hi%20there"))
    #expect(received.value == "hi there")
    #expect(received.response.status == 200)
    #expect(transport.requests.isEmpty)
  }

  @Test("A URL from a hook is checked like any other, and its user info is removed")
  func hookedURL() async throws {
    struct Moving: RequestHooks {
      var url: String
      func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
        request.url = URL(string: url)!
      }
    }
    let transport = FunctionTransport()
    func agent(_ url: String) -> RequestAgent {
      RequestAgent(baseURL: "http://example.com", transport: transport, hooks: [Moving(url: url)])
    }
    try await agent("https://u:p@other.example/x#part").send(Fetch())
    #expect(transport.requests.map(\.url.absoluteString) == ["https://other.example/x"])
    #expect(transport.requests.first?.headers["Authorization"] == "Basic dTpw")
    for (url, reason) in [
      (
        "file:///etc/passwd",
        "the scheme \"file\" of \"file:///etc/passwd\" is not supported: use http, https or data"
      ),
      ("relative/path", "the URL \"relative/path\" has no scheme or no host"),
    ] {
      let error = try await #require(throws: RequestError.self) { try await agent(url).send(Fetch()) }
      #expect(error.kind == .invalidURL)
      #expect(error.reason == reason)
    }
    #expect(transport.requests.count == 1)
  }

  @Test("Tag, userInfo and comment reach every hook")
  func carried() async throws {
    let seen = Recorder()
    let agent = RequestAgent(
      baseURL: "http://example.com", transport: FunctionTransport(),
      accessories: [
        EventAccessory(willStart: { context in
          let info = context.userInfo["who"] as? String ?? ""
          seen.add("\(context.tag) \(info) \(context.comment ?? "") \(context.request is Fetch)")
        })
      ])
    try await agent.send(Fetch(tag: 7, userInfo: ["who": "me"], comment: "why"))
    try await agent.send(Fetch(tag: 8).with(\.comment, "because"))
    #expect(seen.events == ["7 me why true", "8  because true"])
  }

  @Test("Numbers of dispatches are unique, and stay the same over all attempts")
  func numbers() async throws {
    let seen = Recorder()
    var configuration = AgentConfiguration()
    configuration.retryBudget = .unlimited
    let agent = RequestAgent(
      baseURL: "http://example.com", transport: FunctionTransport { _, _ in HTTPResponse(status: 503) },
      accessories: [EventAccessory(willSend: { _, context in seen.add("\(context.id).\(context.attempt)") })],
      configuration: configuration)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<1000 {
        group.addTask {
          _ = try? await agent.send(Fetch().with(\.retryPolicy, .upTo(1, backoff: .constant())))
        }
      }
    }
    #expect(Set(seen.events) == Set((1...1000).flatMap { ["\($0).1", "\($0).2"] }))
    #expect(seen.events.count == 2000)
    #expect(agent.liveCount == 0)
  }
}
