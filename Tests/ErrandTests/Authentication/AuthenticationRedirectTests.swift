import Foundation
import Testing

@testable import Errand

@Suite("An authenticator and redirects")
struct AuthenticationRedirectTests {
  private func hosts(
    _ ways: [String: String], _ authenticator: any Authenticator = BearerAuthenticator(token: "t1"),
    hooks: [any RequestHooks] = []
  ) async throws -> [String] {
    let transport = FunctionTransport.leading(ways)
    var configuration = AgentConfiguration()
    configuration.authenticator = authenticator
    let agent = RequestAgent(
      baseURL: "https://a", transport: transport, hooks: hooks, configuration: configuration)
    _ = try await agent.send(.get("1", as: String.self))
    return transport.requests.map { "\($0.url.absoluteString) \($0.headers["Authorization"] ?? "-")" }
  }

  @Test("Each hop within the origin is signed anew, and no hop after another origin, even back at the first")
  func origins() async throws {
    #expect(
      try await hosts(["https://a/1": "/2", "https://a/2": "https://b/3", "https://b/3": "https://a/4"]) == [
        "https://a/1 Bearer t1", "https://a/2 Bearer t1", "https://b/3 -", "https://a/4 -",
      ])
    #expect(
      try await hosts(["https://a/1": "https://a:444/2"]) == ["https://a/1 Bearer t1", "https://a:444/2 -"])
  }

  @Test("A hook that redirects a hop elsewhere sends no credentials")
  func ledElsewhere() async throws {
    struct Leading: RequestHooks {
      func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
        if request.url.path == "/2" { request.url = URL(string: "https://b/2")! }
      }
    }
    #expect(
      try await hosts(["https://a/1": "/2", "https://b/2": "/3"], hooks: [Leading()]) == [
        "https://a/1 Bearer t1", "https://b/2 -", "https://b/3 -",
      ])
  }

  @Test("A key in the query is added to each hop once, and never at another origin")
  func query() async throws {
    let key = APIKeyAuthenticator("s3cret", query: "appid")
    #expect(
      try await hosts(
        ["https://a/1?appid=s3cret": "?page=2", "https://a/1?page=2&appid=s3cret": "https://b/"], key) == [
          "https://a/1?appid=s3cret -", "https://a/1?page=2&appid=s3cret -", "https://b/ -",
        ])
  }

  @Test("A refusal of another origin renews nothing")
  func refusedElsewhere() async throws {
    let service = TokenService { request, _ in
      switch request.url.host {
      case "a": HTTPResponse(status: 302, headers: ["Location": "https://b/users"])
      default: HTTPResponse(status: 401)
      }
    }
    let error = try await #require(throws: RequestError.self) {
      try await service.agent(BearerAuthenticator.renewing()).send(GetUsers())
    }
    #expect(error.status == 401 && error.attempts == 1)
    #expect(service.lines == ["GET /users t0", "GET /users -"])
  }

  @Test("A refusal after a redirect within the origin restarts with another token")
  func refusedWithin() async throws {
    let service = TokenService { request, _ in
      request.url.path == "/users" ? HTTPResponse(status: 307, headers: ["Location": "/people"]) : nil
    }
    #expect(try await service.agent(BearerAuthenticator.renewing()).send(GetUsers()) == "ok")
    #expect(
      service.lines == [
        "GET /users t0", "GET /people t0", "POST /token -", "GET /users t1", "GET /people t1",
      ])
  }

  @Test("A data URL gets no credentials")
  func dataURL() async throws {
    let recorder = Recorder()
    let agent = TokenService().agent(RecordingAuthenticator(recorder: recorder))
    #expect(try await agent.send(.get("data:,hello", as: String.self)) == "hello")
    #expect(recorder.events == [])
  }
}
