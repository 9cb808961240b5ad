import Errand
import ErrandMocks
import Foundation
import Testing

/// An app's own authenticator.
struct TeamAuthenticator: Authenticator {
  var team = "red"

  func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
    request.headers["X-Team"] = team
  }
}

@Suite("A consumer's credentials")
struct PlainAuthenticationTests {
  @Test(
    "An endpoint without authentication renews a token, and a request may have its own authenticator"
  )
  func renewed() async throws {
    let transport = MockTransport { request in
      if request.path == "/v1/login" { return .json(#"{"token":"fresh"}"#) }
      return request.headers["Authorization"] == "Bearer fresh" ? .text("text") : .status(401)
    }
    var configuration = AgentConfiguration()
    configuration.authenticator = BearerAuthenticator(BearerAuthenticator.Credential(accessToken: "stale")) {
      _, context in
      BearerAuthenticator.Credential(accessToken: try await context.send(Login(name: "n")).token)
    }
    let agent = RequestAgent.mocked(by: transport, configuration: configuration)
    #expect(try await agent.send(Text(path: "a")) == "text")
    let paths = transport.requests.map { "\($0.path) \($0.headers["Authorization"] ?? "-")" }
    #expect(paths == ["/v1/a Bearer stale", "/v1/login -", "/v1/a Bearer fresh"])
    _ = try? await agent.send(Text(path: "a").with(\.authentication, .with(TeamAuthenticator())))
    #expect(transport.requests.last?.headers["X-Team"] == "red")
  }
}
