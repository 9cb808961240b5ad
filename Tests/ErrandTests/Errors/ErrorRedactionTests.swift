import Foundation
import Testing

@testable import Errand

@Suite("Redaction of errors")
struct ErrorRedactionTests {
  /// Also redacts the query item `room`.
  static func agent(_ transport: any Transport, hooks: [any RequestHooks] = []) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.redaction = .standard.hiding(queryItems: ["room"])
    return RequestAgent(
      baseURL: "http://example.com", transport: transport, hooks: hooks, configuration: configuration)
  }

  static let hidden = "GET http://example.com/a?room=<redacted> failed: "

  @Test("A cancelled dispatch redacts with the agent's redaction")
  func cancelled() async throws {
    let recorder = Recorder()
    let agent = Self.agent(ProbeTransport(recorder, [.silence]))
    recorder.on("silence") { agent.cancelAll() }
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("a?room=237")) }
    #expect(error.description.hasPrefix(Self.hidden + "the agent cancelled all its requests.\n"))
  }

  @Test(
    "Secrets of a request are redacted in its errors, also for hooks, and for failed builds"
  )
  func ownSecrets() async throws {
    struct Door: Request {
      typealias Response = Void
      var path = "doors/hunter2"
      var recorder = Recorder()
      var secrets: [Secret] { ["hunter2"] }

      func retryDecision(
        for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
      ) async -> RetryPolicy.Decision {
        recorder.add("\(error)")
        return suggested
      }
    }
    let transport = FunctionTransport { _, _ in HTTPResponse(status: 404, body: Data("no hunter2".utf8)) }
    for door in [Door(), Door(path: "http://[hunter2"), Door(path: "http://hunter2:x/")] {
      let error = try await #require(throws: RequestError.self) { try await Self.agent(transport).send(door) }
      #expect(!"\(error)".contains("hunter2"), "\(error)")
      #expect(!door.recorder.events.joined().contains("hunter2"), "\(door.recorder.events)")
    }
  }

  @Test("A value sent while the secrets are collected is redacted in the next print")
  func sentMeanwhile() throws {
    struct Sending: Request {
      typealias Response = Void
      let send: @Sendable () -> Void
      var secrets: [Secret] {
        send()
        return []
      }
    }
    let url = try #require(URL(string: "http://a.example"))
    let target = Locked<RequestContext.Dispatched?>(nil)
    let request = Sending {
      let dispatched = target.withLock { target in
        defer { target = nil }
        return target
      }
      dispatched?.note(HTTPRequest(url: url, headers: ["Authorization": "Bearer hunter2hunter2"]))
    }
    let dispatched = RequestContext.Dispatched(id: 1, request: request, tools: .init())
    dispatched.note(HTTPRequest(url: url))
    target.withLock { $0 = dispatched }
    _ = dispatched.redaction
    #expect(dispatched.redaction.text("it was hunter2hunter2") == "it was <redacted>")
  }

  @Test("An error from a filter is redacted with the agent's redaction")
  func replaced() async throws {
    struct Replacing: RequestHooks {
      func filter<Value>(_ outcome: Outcome<Value>, context: RequestContext) async -> Outcome<Value> {
        .failure(RequestError(.hook, "it is room=237", request: outcome.error?.request))
      }
    }
    let transport = FunctionTransport { _, _ in HTTPResponse(status: 404) }
    let error = try await #require(throws: RequestError.self) {
      try await Self.agent(transport, hooks: [Replacing()]).send(.get("a?room=237"))
    }
    #expect(error.description.hasPrefix(Self.hidden + "it is room=<redacted>.\n"))
  }

  @Test("An error of another agent is a single clause, and stays the cause")
  func nested() async throws {
    struct Refreshing: RequestHooks {
      let inner: RequestAgent
      func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
        try await inner.send(.get("token?client_secret=hunter2"))
      }
    }
    let refusing = FunctionTransport { _, _ in HTTPResponse(status: 401) }
    let inner = RequestAgent(baseURL: "http://auth.example.com", transport: refusing)
    let error = try await #require(throws: RequestError.self) {
      try await Self.agent(FunctionTransport(), hooks: [Refreshing(inner: inner)]).send(.get("a"))
    }
    #expect(
      error.reason
        == "filterRequest threw GET http://auth.example.com/token?client_secret=<redacted> failed: "
        + "status 401 Unauthorized is not in 200..<300")
    #expect(error.cause(as: RequestError.self)?.status == 401)
  }

  @Test("A secret in an app's error is redacted when printed")
  func own() async throws {
    struct LoginFailed: Error {
      var password = "hunter2"
      var oldPassword: String? = "hunter2"
    }
    struct Failing: RequestHooks {
      func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
        throw LoginFailed()
      }
    }
    let error = try await #require(throws: RequestError.self) {
      try await Self.agent(FunctionTransport(), hooks: [Failing()]).send(.get("a"))
    }
    #expect(
      error.description.hasPrefix(
        "GET http://example.com/a failed: filterRequest threw "
          + #"LoginFailed(password: "<redacted>", oldPassword: Optional("<redacted>"))."#))
  }

  @Test("The text has a line for each fact, even if the body has many lines")
  func lines() {
    let response = HTTPResponse(
      status: 502, headers: ["Content-Type": "text/html"], body: Data("<html>\r\n  <p>Bad\n\n</html>\n".utf8))
    var error = RequestErrorTests.error(.status, "first\nsecond", .validate, response)
    error.elapsed = .zero
    #expect(
      error.description == """
        GET https://api.example.com/users/7?page=2 failed: first second.
        Stage validate, attempt 1, after 0.000 s.
        Response: 502 Bad Gateway, text/html, 26 bytes: "<html> <p>Bad </html>"
        Try: The server is overloaded or failing. A retryPolicy such as .upTo(2) tries again.
        """)
  }
}
