import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Credentials and named origins")
struct TrustedOriginsTests {
  struct Call: Request {
    typealias Response = Void
    var path = ""
    var baseURL: URL?
    var usesCDN = false
    var cdnURL: URL?
    var customRequest: HTTPRequest?
    var authentication = Authentication.inherited
    let headers: HTTPHeaders = ["X-Own": "o"]
  }

  static let key = APIKeyAuthenticator("k-1234567", query: "appid")
  static let bearer = BearerAuthenticator(token: "t-1234567")

  static func configuration(_ authenticator: any Authenticator = bearer) -> AgentConfiguration {
    var configuration = AgentConfiguration()
    configuration.headers = ["X-Team-Key": "team", "X-Client": "app", "Cache-Control": "no-cache"]
    configuration.authenticator = authenticator
    return configuration
  }

  private static func url(_ text: String) -> URL { URL(string: text)! }

  /// Whether an agent with the base URL `https://api.example/v1` sends credentials.
  static let rows: [(String, Call, Bool)] = [
    ("relative", Call(path: "users"), true),
    ("the base's origin", Call(path: "https://api.example/elsewhere"), true),
    ("in other spelling", Call(path: "HTTPS://API.example:443/x"), true),
    ("another host", Call(path: "https://other.example/x"), false),
    ("another port", Call(path: "https://api.example:444/x"), false),
    ("another scheme", Call(path: "http://api.example/x"), false),
    ("a host behind user info", Call(path: "https://api.example@other.example/x"), false),
    ("a longer host", Call(path: "https://api.example.other.example/x"), false),
    ("a listed one", Call(path: "https://files.example/x"), true),
    ("a listed one at another port", Call(path: "https://files.example:8443/x"), false),
    ("its own base", Call(path: "x", baseURL: url("https://own.example/v2")), true),
    (
      "a URL under its own base", Call(path: "https://own.example/x", baseURL: url("https://own.example")),
      true
    ),
    (
      "an international base",
      Call(path: "https://xn--bcher-kva.example/", baseURL: url("https://bücher.example")), true
    ),
    ("the agent's CDN", Call(path: "x", usesCDN: true), true),
    ("its own CDN", Call(path: "x", usesCDN: true, cdnURL: url("https://own-cdn.example")), true),
    ("a URL instead of the CDN", Call(path: "https://other.example/x", usesCDN: true), false),
    ("its own authenticator", Call(path: "https://other.example/x", authentication: .with(bearer)), false),
  ]

  @Test("Credentials are sent to named origins only", arguments: rows)
  func origins(_ row: (String, Call, Bool)) async throws {
    let transport = FunctionTransport()
    var configuration = Self.configuration()
    configuration.cdnURL = Self.url("https://cdn.example")
    configuration.destinations.plainHTTP = .allowed
    configuration.trustedOrigins = [Self.url("https://files.example/any?path"), Self.url("relative")]
    let agent = RequestAgent(
      baseURL: "https://api.example/v1", transport: transport, configuration: configuration)
    let report = try await agent.response(for: row.1).report
    let sent = try #require(transport.requests.first).headers
    #expect((sent["Authorization"] == "Bearer t-1234567") == row.2, "\(row.0)")
    #expect((sent["X-Team-Key"] == "team") == row.2 && (sent["X-Client"] == "app") == row.2, "\(row.0)")
    #expect(sent["X-Own"] == "o" && sent["Cache-Control"] == "no-cache" && sent.contains("User-Agent"))
    #expect(
      report.attempts.map(\.withheld) == [row.2 ? [] : ["X-Team-Key", "X-Client", "BearerAuthenticator"]])
  }

  @Test("A hook learns that a request leaves its origin from the start, so the hook adds nothing")
  func hooks() async throws {
    struct Signing: RequestHooks {
      func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
        if !context.hasLeftOrigin { request.headers["X-Signed"] = "yes" }
      }
    }
    let transport = FunctionTransport()
    let agent = RequestAgent(baseURL: "https://api.example", transport: transport, hooks: [Signing()])
    for path in ["x", "https://api.example/x", "https://other.example/x"] {
      _ = try await agent.send(Call(path: path))
      _ = try await agent.send(
        Call(customRequest: HTTPRequest(url: Self.url(path == "x" ? "https://api.example" : path))))
      #expect(
        try await agent.explain(Call(path: path)).request.headers["X-Signed"]
          == (path.contains("other") ? nil : "yes"))
    }
    #expect(
      transport.requests.map { $0.headers["X-Signed"] } == ["yes", "yes", "yes", "yes", nil, nil])
    _ = try await agent.response(for: .get("data:,x")).report.attempts.map {
      #expect($0.withheld == [] && $0.request?.headers["X-Signed"] == "yes")
    }
  }

  @Test("A request's own Authorization and a URL's user info are sent as written")
  func own() async throws {
    let transport = FunctionTransport()
    let agent = RequestAgent(
      baseURL: "https://api.example", transport: transport, configuration: Self.configuration())
    _ = try await agent.send(.get("https://other.example/1", headers: ["Authorization": "Bearer own"]))
    _ = try await agent.send(.get("https://ada:pw@other.example/2"))
    #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer own", "Basic YWRhOnB3"])
  }

  @Test("A custom request only loses the authenticator's credentials")
  func custom() async throws {
    let transport = FunctionTransport()
    let agent = RequestAgent(
      baseURL: "https://api.example", transport: transport, configuration: Self.configuration())
    for place in ["https://api.example/x", "https://other.example/x"] {
      var call = Call(customRequest: HTTPRequest(url: Self.url(place), headers: ["X-Own": "o"]))
      _ = try await agent.send(call)
      call.baseURL = Self.url("https://other.example")
      _ = try await agent.send(call)
    }
    #expect(
      transport.requests.map { $0.headers["Authorization"] } == [
        "Bearer t-1234567", "Bearer t-1234567", nil, "Bearer t-1234567",
      ])
    #expect(transport.requests.allSatisfy { $0.headers["X-Own"] == "o" && !$0.headers.contains("X-Client") })
  }

  @Test("A hook that moves a request to another origin does not move the user info of the URL there")
  func movedUserInfo() async throws {
    struct Moving: RequestHooks {
      func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
        request.url = try #require(URL(string: "https://other.example/x"))
      }
    }
    let transport = FunctionTransport()
    let agent = RequestAgent(baseURL: "https://api.example", transport: transport, hooks: [Moving()])
    let url = Self.url("https://ada:pw@api.example/x")
    _ = try await agent.send(Call(path: url.absoluteString))
    _ = try await agent.send(Call(customRequest: HTTPRequest(url: url)))
    _ = try await agent.send(
      Call(customRequest: HTTPRequest(url: url, headers: ["Authorization": "Bearer own"])))
    #expect(transport.requests.map { $0.headers["Authorization"] } == [nil, nil, "Bearer own"])
    #expect(transport.requests.map(\.url.absoluteString).allSatisfy { $0 == "https://other.example/x" })
  }

  @Test("An agent without a base sends credentials to listed origins, and to a request's own base")
  func noBase() async throws {
    let transport = FunctionTransport()
    var configuration = Self.configuration()
    configuration.trustedOrigins = [Self.url("https://files.example")]
    let agent = RequestAgent(transport: transport, configuration: configuration)
    _ = try await agent.send(.get("https://api.example/x"))
    _ = try await agent.send(.get("https://files.example/x"))
    _ = try await agent.send(Call(path: "x", baseURL: Self.url("https://own.example")))
    #expect(
      transport.requests.map { $0.headers["Authorization"] } == [nil, "Bearer t-1234567", "Bearer t-1234567"])
  }

  @Test("A redirect sends no credentials to a listed origin, nor back from a foreign origin")
  func redirected() async throws {
    let transport = FunctionTransport.leading([
      "https://api.example/1": "https://files.example/2", "https://other.example/3": "https://api.example/4",
    ])
    var configuration = Self.configuration()
    configuration.trustedOrigins = [Self.url("https://files.example")]
    let agent = RequestAgent(
      baseURL: "https://api.example", transport: transport, configuration: configuration)
    let there = try await agent.response(for: .get("1", as: String.self)).report
    let back = try await agent.response(for: .get("https://other.example/3", as: String.self)).report
    #expect(
      transport.requests.map { [$0.headers["Authorization"], $0.headers["X-Client"]] } == [
        ["Bearer t-1234567", "app"], [nil, nil], [nil, nil], [nil, nil],
      ])
    for report in [there, back] {
      #expect(report.attempts.map(\.withheld) == [["X-Team-Key", "X-Client", "BearerAuthenticator"]])
    }
  }

  @Test("A foreign server gets no credentials over a real connection, not even a key in the query")
  func sockets() async throws {
    let (home, other) = (try MockServer(), try MockServer())
    for server in [home, other] { server.route(nil, "/echo", answers: .text("ok")) }
    for authenticator in [Self.key, Self.bearer] as [any Authenticator] {
      let agent = RequestAgent(baseURL: home.baseURL, configuration: Self.configuration(authenticator))
      _ = try await agent.send(.get("echo"))
      _ = try await agent.send(.get(other.baseURL.appending(path: "echo").absoluteString))
    }
    #expect(home.requests.map(\.target) == ["/echo?appid=k-1234567", "/echo"])
    #expect(home.requests.map { $0.headers["Authorization"] } == [nil, "Bearer t-1234567"])
    #expect(home.requests.allSatisfy { $0.headers["X-Team-Key"] == "team" })
    #expect(other.requests.map(\.target) == ["/echo", "/echo"])
    for name in ["Authorization", "X-Team-Key", "X-Client"] {
      #expect(other.requests.allSatisfy { !$0.headers.contains(name) }, "\(name)")
    }
  }

  @Test("A refusal at a foreign origin renews nothing, and the error explains the missing credentials")
  func refused() async throws {
    let transport = FunctionTransport { _, _ in HTTPResponse(status: 401) }
    let agent = RequestAgent(
      baseURL: "https://api.example", transport: transport,
      configuration: Self.configuration(BearerAuthenticator.renewing()))
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(.get("https://other.example/x"))
    }
    #expect(transport.requests.count == 1)
    #expect(
      error.description.hasSuffix(
        "Try: The credentials were not sent, because the origin is not trusted. Set the origin as a baseURL, or add the origin to trustedOrigins."
      ))
  }

  @Test("An explanation and its table show omitted credentials, and decoding restores the note")
  func told() async throws {
    let agent = RequestAgent(
      baseURL: "https://api.example", transport: FunctionTransport(), configuration: Self.configuration())
    let left = "X-Team-Key, X-Client, BearerAuthenticator"
    let explanation = try await agent.explain(.get("https://other.example/x"))
    #expect(
      explanation.settings.filter { $0.name == "withheld" }.map(\.value) == [
        "\(left), because the origin is not trusted"
      ])
    #expect(!explanation.request.headers.contains("Authorization"))
    let home = try await agent.explain(.get("x"))
    #expect(!home.settings.contains { $0.name == "withheld" })
    #expect(home.request.headers["Authorization"] == "Bearer t-1234567")

    let report = try await agent.response(for: .get("https://other.example/x")).report
    #expect("\(report)".contains("\n   Not sent to another origin: \(left)."))
    let read = try JSONDecoder().decode(ExchangeReport.self, from: JSONEncoder().encode(report))
    #expect(read.attempts.map(\.withheld) == report.attempts.map(\.withheld) && "\(read)" == "\(report)")
  }

  private struct Moving: RequestHooks {
    var host = "api.example"
    let target: String
    var fields: HTTPHeaders = [:]
    var left: Recorder?

    func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
      left?.add("\(context.hasLeftOrigin)")
      request.headers.merge(fields)
      if request.url.host() == host { request.url = TrustedOriginsTests.url(target) }
    }
  }

  @Test(
    "A request that a hook moves to a foreign origin loses the agent's fields and credentials, and later hooks know",
    arguments: [
      ("https://other.example/x", false), ("https://files.example/x", true), ("https://api.example/y", true),
      ("https://api.example:444/x", false),
    ])
  func moved(_ row: (String, Bool)) async throws {
    let (transport, left) = (FunctionTransport(), Recorder())
    var configuration = Self.configuration()
    configuration.trustedOrigins = [Self.url("https://files.example")]
    configuration.headers["X-Own"] = "agent"
    let agent = RequestAgent(
      baseURL: "https://api.example", transport: transport,
      hooks: [Moving(target: row.0), Moving(host: "none", target: "", left: left)],
      configuration: configuration)
    let report = try await agent.response(for: Call(path: "a")).report
    #expect(transport.lines == ["GET \(row.0)"])
    let sent = try #require(transport.requests.first).headers
    #expect(sent["Authorization"] == (row.1 ? "Bearer t-1234567" : nil))
    #expect(sent["X-Team-Key"] == (row.1 ? "team" : nil) && sent["X-Client"] == (row.1 ? "app" : nil))
    #expect(sent["X-Own"] == "o" && sent["Cache-Control"] == "no-cache" && sent.contains("User-Agent"))
    #expect(left.events == ["\(!row.1)"])
    let withheld = row.1 ? [] : ["X-Team-Key", "X-Client", "BearerAuthenticator"]
    #expect(report.attempts.map(\.withheld) == [withheld])
    let explanation = try await agent.explain(Call(path: "a"))
    #expect(explanation.request.headers["X-Team-Key"] == (row.1 ? "team" : nil))
  }

  @Test("A hook's own fields are sent to the origin that the hook chose, and user info of the base is not")
  func movedWithOwn() async throws {
    let transport = FunctionTransport()
    var configuration = Self.configuration()
    configuration.authenticator = nil
    for fields in [[:], ["X-Client": "mine", "Authorization": "Bearer mine"]] as [HTTPHeaders] {
      let agent = RequestAgent(
        baseURL: "https://ada:pw@api.example", transport: transport,
        hooks: [Moving(target: "https://other.example/x", fields: fields)], configuration: configuration)
      try await agent.send(Call(path: "a"))
    }
    #expect(transport.requests.map { $0.headers["X-Client"] } == [nil, "mine"])
    #expect(transport.requests.map { $0.headers["Authorization"] } == [nil, "Bearer mine"])
  }

  @Test("A redirect at the foreign origin, or back from there, does not bring the agent's fields back")
  func movedAndRedirected() async throws {
    for ways in [
      ["https://other.example/x": "/y", "https://other.example/y": "https://back.example/z"],
      ["https://api.example/a": "/b", "https://other.example/x": "/y"],
    ] {
      let transport = FunctionTransport.leading(ways)
      let isSecond = ways["https://api.example/a"] != nil
      let hook = RedirectedMove(path: isSecond ? "/b" : "/a")
      let agent = RequestAgent(
        baseURL: "https://api.example", transport: transport, hooks: [hook],
        configuration: Self.configuration())
      _ = try await agent.send(.get("a", as: String.self))
      #expect(transport.requests.count == 3)
      for request in transport.requests where request.url.host() != "api.example" {
        let names = request.headers.fields.map(\.name)
        #expect(!names.contains("X-Team-Key") && !names.contains("X-Client"), "\(request.url)")
        #expect(!names.contains("Authorization"))
      }
    }
  }

  private struct RedirectedMove: RequestHooks {
    let path: String

    func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
      if request.url.host() == "api.example", request.url.path() == path {
        request.url = TrustedOriginsTests.url("https://other.example/x")
      }
    }
  }

  @Test("A request that a later hook moves back home keeps everything")
  func movedBack() async throws {
    let transport = FunctionTransport()
    let agent = RequestAgent(
      baseURL: "https://api.example", transport: transport,
      hooks: [
        Moving(target: "https://other.example/x"),
        Moving(host: "other.example", target: "https://api.example/b"),
      ], configuration: Self.configuration())
    let report = try await agent.response(for: Call(path: "a")).report
    #expect(transport.requests.map { $0.headers["X-Team-Key"] } == ["team"])
    #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer t-1234567"])
    #expect(report.attempts.map(\.withheld) == [[]])
  }
}
