import Errand
import ErrandOAuth
import ErrandMocks
import Foundation
import Testing

/// Runs against an authorization server of another project; `.ci/run` starts the server with `.ci/oauth.py`.
@Suite(
  "Against an authorization server", .serialized,
  .enabled(if: Server.oauth != nil, "set ERRAND_OAUTH to the URL of a server with .ci/oauth.py to run these"),
  .timeLimit(.minutes(5)))
struct OAuthServerTests {
  private static func agent(_ authenticator: OAuthAuthenticator, clock: AgentClock = .continuous)
    -> RequestAgent
  {
    var configuration = AgentConfiguration()
    configuration.authenticator = authenticator
    configuration.maxRequestsPerOrigin = 0
    configuration.clock = clock
    return RequestAgent(baseURL: Server.oauth, configuration: configuration)
  }

  private static func client(_ id: String, _ secret: Secret?) throws -> OAuthClient {
    try OAuthClient(
      id: id, secret: secret, tokenEndpoint: Server.oauth?.appendingPathComponent("token"),
      authorizationEndpoint: Server.oauth?.appendingPathComponent("authorize"), scopes: ["read"])
  }

  private static func counts() async throws -> [String: Int] {
    try await RequestAgent(baseURL: Server.oauth).send(.get("counts", as: [String: Int].self))
  }

  @Test("With client credentials, each expired token is renewed once for all")
  func clientCredentials() async throws {
    let before = try await Self.counts()["client_credentials"] ?? 0
    let authenticator = OAuthAuthenticator(
      try Self.client("errand", "s3cret-1"), grant: .clientCredentials, leeway: .seconds(60))
    let clock = TestClock()
    let agent = Self.agent(authenticator, clock: AgentClock(clock))
    // The tokens live for twenty seconds, and the agent uses each token for half of that time.
    for _ in 0..<3 {
      for _ in 0..<2 { try await agent.send(.get("me")) }
      await clock.advance(by: .seconds(11))
    }
    #expect((try await Self.counts()["client_credentials"] ?? 0) - before == 3)
    let wrong = Self.agent(OAuthAuthenticator(try Self.client("errand", "wrong"), grant: .clientCredentials))
    let error = try await #require(throws: RequestError.self) { try await wrong.send(.get("me")) }
    #expect(error.cause(as: OAuthError.self)?.code == "invalid_client", "\(error)")
  }

  @Test(
    "A sign-in with PKCE, then 200 requests with an expired token: one refresh, and rotation is followed"
  )
  func signIn() async throws {
    let store = MemoryTokenStore()
    let client = try Self.client("app", nil)
    let authenticator = OAuthAuthenticator(client, grant: .refreshToken, store: store)
    let agent = Self.agent(authenticator)
    let signIn = try client.makeSignIn(redirectURI: #require(URL(string: "com.example.app:/back")))
    // Replaces the browser of a user who consents.
    let browser = RequestAgent()
    let page = try await browser.send(
      OneOffRequest<HTTPResponse>(signIn.url.absoluteString, response: .response)
        .with(\.redirectPolicy, .none).with(\.validators, []))
    let callback = try #require(page.headers["Location"].flatMap { URL(string: $0) })
    try await authenticator.signIn(signIn, callback: callback, by: agent)
    let first = try #require(await store.load())
    // A code is valid once.
    let again = await #expect(throws: OAuthError.self) {
      try await authenticator.signIn(signIn, callback: callback, by: agent)
    }
    #expect(again?.code == "invalid_grant")

    // Forces the end of the token, because the agent trusts the stored expiry.
    await store.save(
      BearerAuthenticator.Credential(
        accessToken: "ended", refreshToken: first.refreshToken, expires: .distantPast))
    let late = OAuthAuthenticator(client, grant: .refreshToken, store: store)
    let many = Self.agent(late)
    let before = try await Self.counts()["refresh_token"] ?? 0
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<200 { group.addTask { try await many.send(.get("me")) } }
      try await group.waitForAll()
    }
    #expect((try await Self.counts()["refresh_token"] ?? 0) - before == 1)
    let rotated = try #require(await store.load()?.refreshToken)
    #expect(rotated != first.refreshToken)

    // A refresh token that was already used is refused and deleted.
    await store.save(
      BearerAuthenticator.Credential(
        accessToken: "ended", refreshToken: first.refreshToken, expires: .distantPast))
    let stale = Self.agent(OAuthAuthenticator(client, grant: .refreshToken, store: store))
    let error = try await #require(throws: RequestError.self) { try await stale.send(.get("me")) }
    #expect(error.cause(as: OAuthError.self)?.needsSignIn == true, "\(error)")
    #expect(await store.load() == nil)
  }
}
