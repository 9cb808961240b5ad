import Foundation
import Testing

@testable import Errand

@Suite("Printed credentials")
struct AuthenticationPrintingTests {
  static func agent(_ authenticator: any Authenticator, log: Recorder = Recorder()) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.authenticator = authenticator
    configuration.userAgent = nil
    configuration.acceptLanguage = nil
    return RequestAgent(
      baseURL: "https://a", transport: FunctionTransport(),
      accessories: [ConsoleLogger(level: .headers) { log.add($0) }], configuration: configuration)
  }

  static let values: [any Sendable] = [
    BearerAuthenticator.Credential(accessToken: "hunter2", refreshToken: "hunter2"),
    BearerAuthenticator(token: "hunter2"),
    BasicAuthenticator(BasicCredentials(username: "hunter2", password: "hunter2")!),
    APIKeyAuthenticator("hunter2", header: "X"), CredentialStore("hunter2", refresh: nil),
    Authentication.with(BearerAuthenticator(token: "hunter2")), Authentication.none, Authentication.inherited,
    agent(BearerAuthenticator(token: "hunter2")),
    agent(APIKeyAuthenticator("hunter2", query: "q")).configuration,
  ]

  @Test("No description, debug description or dump shows a secret", arguments: values.indices)
  func hidden(_ index: Int) {
    var dumped = ""
    dump(Self.values[index], to: &dumped)
    for text in ["\(Self.values[index])", String(reflecting: Self.values[index]), dumped] {
      #expect(!text.contains("hunter2"), "\(text)")
    }
  }

  @Test("Credentials print their kind")
  func descriptions() {
    #expect(
      Self.values.prefix(8).map { "\($0)" } == [
        "Bearer credential (hidden)", "Bearer authenticator (hidden)", "Basic authenticator (hidden)",
        "API key authenticator (hidden)", "credential store", "BearerAuthenticator", "none", "inherited",
      ])
  }

  @Test("The agent redacts a sent key under any name")
  func names() async throws {
    let log = Recorder()
    let request = OneOffRequest.get("x?page=2")
    for authenticator: any Authenticator in [
      .apiKey("hunter2", header: "X-Plan"), .apiKey("hunter2", query: "plan"),
      .basic(BasicCredentials(username: "hunter2", password: "hunter2")!),
    ] {
      let agent = Self.agent(authenticator, log: log)
      try await agent.send(request)
      #expect(!"\(try await agent.explain(request))".contains("hunter2"))
    }
    let sent = log.events.filter { $0.contains(">") }
    #expect(
      sent.map { $0.replacing(#/\[1\.1\] > /#, with: "") } == [
        "GET https://a/x?page=2\nX-Plan: <redacted>", "GET https://a/x?page=2&plan=<redacted>",
        "GET https://a/x?page=2\nAuthorization: Basic <redacted>",
      ])
  }

  @Test(
    "Signed values are redacted if a server or the authenticator echoes the values", arguments: [true, false])
  func echoed(_ isOwn: Bool) async throws {
    struct Telling: Authenticator {
      func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
        request.headers["Authorization"] = "Bearer hunter2hunter2"
        throw Refusal("hunter2hunter2 is not good")
      }
    }
    for authenticator: any Authenticator in [
      BearerAuthenticator(token: "hunter2hunter2"),
      APIKeyAuthenticator("hunter2hunter2", header: "X-Plan"),
      APIKeyAuthenticator("hunter2hunter2", query: "plan"), Telling(),
    ] {
      var configuration = AgentConfiguration()
      if !isOwn { configuration.authenticator = authenticator }
      let transport = FunctionTransport { request, _ in
        HTTPResponse(status: 400, body: Data("\(request.url) \(request.headers.fields.map(\.value))".utf8))
      }
      let log = Recorder()
      let agent = RequestAgent(
        baseURL: "https://a", transport: transport,
        accessories: [ConsoleLogger(level: .body) { log.add($0) }],
        configuration: configuration)
      let request = OneOffRequest.get("x", as: String.self)
        .with(\.authentication, isOwn ? .with(authenticator) : .inherited)
      let error = try await #require(throws: RequestError.self) { try await agent.send(request) }
      let told = log.events + ["\(error)", error.request.map { "\($0)" } ?? ""]
      #expect(told.joined().contains("<redacted>") && !told.joined().contains("hunter2"), "\(told)")
    }
  }

  @Test("An agent without redaction prints everything")
  func open() async throws {
    var configuration = AgentConfiguration()
    configuration.redaction = .none
    configuration.authenticator = APIKeyAuthenticator("k", query: "plan")
    let agent = RequestAgent(
      baseURL: "https://a", transport: FunctionTransport(), configuration: configuration)
    #expect("\(try await agent.explain(.get("x")))".hasPrefix("GET https://a/x?plan=k\n"))
  }

  @Test("A key replaces the value under its name, and leaves the remaining query unchanged")
  func query() async throws {
    let agent = Self.agent(APIKeyAuthenticator("a b&c", query: "my key"))
    for (path, query) in [
      ("x", "my%20key=a%20b%26c"), ("x?my+key=1&a=%2F&my%20key=2&b", "a=%2F&b&my%20key=a%20b%26c"),
      ("x?", "my%20key=a%20b%26c"), ("x?a=1&&b=2", "a=1&&b=2&my%20key=a%20b%26c"),
    ] {
      let url = try await agent.explain(.get(path)).request.url.absoluteString
      #expect(url == "https://a/x?\(query)")
    }
  }
}

@Suite("Explaining a request with credentials")
struct AuthenticationExplainTests {
  @Test("The authenticator is the source of its fields")
  func sources() async throws {
    let explanation = try await AuthenticationPrintingTests.agent(BearerAuthenticator(token: "hunter2"))
      .explain(.get("x").with(\.headers, ["X-Call": "1"]))
    #expect(
      explanation.description.hasPrefix(
        """
        GET https://a/x
          X-Call: 1                         (call)
          Authorization: Bearer <redacted>  (authenticator BearerAuthenticator)
        body: none
        """))
    #expect(explanation.headerSources == [.call, .authenticator("BearerAuthenticator")])
    #expect(
      explanation.settings.last?.value == "BearerAuthenticator" && explanation.settings.last?.source == .agent
    )
  }

  @Test("An explanation renews nothing: an expired token is shown, and a missing token is left out")
  func unrenewed() async throws {
    let (service, recorder) = (TokenService(), Recorder())
    let expired = BearerAuthenticator.renewing(expires: .distantPast, recorder: recorder)
    let shown = try await service.agent(expired).explain(GetUsers())
    #expect(shown.request.headers["Authorization"] == "Bearer t0")
    let missing = try await service.agent(BearerAuthenticator.renewing(nil, recorder: recorder)).explain(
      GetUsers())
    #expect(!missing.request.headers.contains("Authorization"))
    #expect(recorder.events == [] && service.lines == [])
  }

  @Test("The setting shows whose credentials apply")
  func settings() async throws {
    let agent = AuthenticationPrintingTests.agent(BearerAuthenticator(token: "t"))
    func setting(_ agent: RequestAgent, _ request: some Request) async throws -> String {
      let setting = try await agent.explain(request).settings.last
      return setting.map { "\($0.name): \($0.value) (\($0.source))" } ?? ""
    }
    #expect(try await setting(agent, GetUsers(authentication: .none)) == "authentication: none (request)")
    #expect(
      try await setting(agent, GetUsers().with(\.authentication, .none)) == "authentication: none (call)")
    let own = Authentication.with(RecordingAuthenticator(recorder: Recorder()))
    #expect(
      try await setting(agent, GetUsers(authentication: own))
        == "authentication: RecordingAuthenticator (request)")
    #expect(try await setting(TokenService().agent(nil), GetUsers()) == "authentication: none (default)")
  }

  @Test("An error of the authenticator fails as in a dispatch")
  func failing() async throws {
    let agent = TokenService().agent(RecordingAuthenticator(recorder: Recorder(), failing: "authenticate"))
    let explained = try await #require(throws: RequestError.self) { try await agent.explain(GetUsers()) }
    let sent = try await #require(throws: RequestError.self) { try await agent.send(GetUsers()) }
    #expect(
      explained.reason == sent.reason && explained.stage == .authenticate && sent.stage == .authenticate)
  }
}
