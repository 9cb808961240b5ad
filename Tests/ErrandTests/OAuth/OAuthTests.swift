import ErrandMocks
import Foundation
import Testing

@testable import Errand
@testable import ErrandOAuth

@Suite("OAuth 2", .timeLimit(.minutes(5)))
struct OAuthTests {
  /// An authorization server, and a service that accepts the newest token.
  private final class Service: Transport {
    struct State {
      var forms: [String] = []
      var authorizations: [String?] = []
      var served: [String] = []
      var issued = 0
      var answers: [HTTPResponse] = []
      var lifetime = 60
    }

    let state = Locked(State())
    var capabilities: TransportCapabilities { TransportCapabilities() }
    var forms: [String] { state.withLock { $0.forms } }
    var served: [String] { state.withLock { $0.served } }

    static func json(_ text: String, _ status: HTTPResponse.Status = 200) -> HTTPResponse {
      HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: Data(text.utf8))
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      let http = request.request
      let response = state.withLock { state -> HTTPResponse in
        guard http.url.host() == "id.example" else {
          let token = http.headers["Authorization"] ?? "-"
          state.served.append(token)
          return HTTPResponse(status: token == "Bearer t\(state.issued)" ? 200 : 401)
        }
        state.forms.append(String(decoding: http.body.data ?? Data(), as: UTF8.self))
        state.authorizations.append(http.headers["Authorization"])
        if !state.answers.isEmpty { return state.answers.removeFirst() }
        state.issued += 1
        return Self.json(
          #"{"access_token":"t\#(state.issued)","token_type":"Bearer","expires_in":\#(state.lifetime),"refresh_token":"r\#(state.issued)"}"#
        )
      }
      var head = response
      head.body = Data()
      return TransportResponse(head: head, body: BodyStream(response.body))
    }
  }

  private let service = Service()
  private let clock = TestClock()

  private static func client(
    _ change: (inout OAuthClient) -> Void = { _ in }, secret: Secret? = "s3cret+/ ü",
    scopes: [String] = ["read", "write"]
  ) throws -> OAuthClient {
    var client = try OAuthClient(
      id: "er:rand", secret: secret, tokenEndpoint: URL(string: "https://id.example/token?v=2"),
      authorizationEndpoint: URL(string: "https://id.example/authorize?tenant=a"), scopes: scopes)
    change(&client)
    return client
  }

  private func agent(_ authenticator: OAuthAuthenticator) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.authenticator = authenticator
    configuration.clock = AgentClock(clock)
    configuration.headers = ["X-Api-Key": "k3y"]
    configuration.parameters = ["lang": "en"]
    return RequestAgent(baseURL: "https://api.example", transport: service, configuration: configuration)
  }

  @Test("Client credentials use Basic with form encoding, and expired tokens are fetched again")
  func clientCredentials() async throws {
    let agent = agent(
      OAuthAuthenticator(try Self.client { $0.parameters = ["audience": "a b"] }, grant: .clientCredentials))
    for _ in 0..<2 { try await agent.send(.get("x")) }
    let basic = "Basic " + Data("er%3Arand:s3cret%2B%2F+%C3%BC".utf8).base64EncodedString()
    #expect(service.forms == ["audience=a%20b&grant_type=client_credentials&scope=read%20write"])
    #expect(service.state.withLock { $0.authorizations } == [basic])
    #expect(service.served == ["Bearer t1", "Bearer t1"])
    // The agent uses the server's refresh token before requesting new client credentials.
    await clock.advance(by: .seconds(31))
    try await agent.send(.get("x"))
    #expect(service.forms.last == "audience=a%20b&grant_type=refresh_token&refresh_token=r1")
    #expect(service.served.last == "Bearer t2")
  }

  @Test("A public client sends its id, and a client with credentials in the body sends the credentials there")
  func ways() async throws {
    try await agent(OAuthAuthenticator(try Self.client(secret: nil, scopes: []), grant: .clientCredentials))
      .send(.get("x"))
    #expect(service.forms == ["grant_type=client_credentials&client_id=er%3Arand"])
    try await agent(
      OAuthAuthenticator(
        try Self.client({ $0.authentication = .body }, secret: "a&b", scopes: []), grant: .clientCredentials)
    ).send(.get("x"))
    #expect(service.forms.last == "grant_type=client_credentials&client_id=er%3Arand&client_secret=a%26b")
    #expect(service.state.withLock { $0.authorizations } == [nil, nil])
  }

  @Test(
    "200 requests with an expired token cause one refresh, and the rotated token is saved before use"
  )
  func storm() async throws {
    let store = MemoryTokenStore(
      BearerAuthenticator.Credential(
        accessToken: "t0", refreshToken: "r0", expires: Date(timeIntervalSince1970: 0)))
    let agent = agent(OAuthAuthenticator(try Self.client(), grant: .refreshToken, store: store))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<200 { group.addTask { try await agent.send(.get("x")) } }
      try await group.waitForAll()
    }
    #expect(service.forms == ["grant_type=refresh_token&refresh_token=r0"])
    #expect(service.served == Array(repeating: "Bearer t1", count: 200))
    #expect(await store.load()?.refreshToken == "r1")
  }

  @Test("A 401 renews once, and a token saved by another process is used first")
  func refused() async throws {
    let store = MemoryTokenStore(BearerAuthenticator.Credential(accessToken: "old", refreshToken: "r0"))
    let agent = agent(OAuthAuthenticator(try Self.client(), grant: .refreshToken, store: store))
    try await agent.send(.get("x"))
    #expect(service.served == ["Bearer old", "Bearer t1"])
    #expect(service.forms == ["grant_type=refresh_token&refresh_token=r0"])
    // Simulates a renewal by another process.
    service.state.withLock { $0.issued = 7 }
    await store.save(BearerAuthenticator.Credential(accessToken: "t7", refreshToken: "r7"))
    try await agent.send(.get("x"))
    #expect(service.served.suffix(2) == ["Bearer t1", "Bearer t7"] && service.forms.count == 1)
  }

  @Test(
    "A rejected refresh token is dropped, a new sign-in is needed, and nothing more is requested")
  func ended() async throws {
    let store = MemoryTokenStore(
      BearerAuthenticator.Credential(accessToken: "old", refreshToken: "r0-secret"))
    let agent = agent(OAuthAuthenticator(try Self.client(), grant: .refreshToken, store: store))
    service.state.withLock {
      $0.answers = [
        Service.json(#"{"error":"invalid_grant","error_description":"Token has been\nrevoked"}"#, 400)
      ]
    }
    for round in 0..<2 {
      let error = try await #require(throws: RequestError.self) { try await agent.send(.get("x")) }
      let cause = try #require(error.cause(as: OAuthError.self))
      #expect(error.kind == .authentication && cause.needsSignIn)
      if round == 0 {
        #expect(cause.code == "invalid_grant" && cause.status == 400)
        #expect("\(cause)" == "the user has to sign in again: invalid_grant (400): Token has been revoked")
        #expect(error.reason.contains("the user has to sign in again"), "\(error.reason)")
      }
      #expect(!"\(error)".contains("r0-secret"))
    }
    #expect(await store.load() == nil)
    #expect(service.forms.count == 1)
  }

  @Test(
    "Secrets that a server echoes or issues are in no printed form of the waiting request")
  func echoed() async throws {
    let basic = Data("er%3Arand:s3cret%2B%2F+%C3%BC".utf8).base64EncodedString()
    let echoes = [
      #"{"error":"invalid_grant","error_description":"Invalid refresh token: r0-secret, of \#(basic)"}"#,
      #"{"error":"s3cret+/ ü","error_description":"you sent s3cret%2B%2F+%C3%BC"}"#,
      #"{"access_token":"fresh-secret","token_type":"fresh-secret r0-secret"}"#,
    ]
    for (echo, status) in zip(echoes, [400, 400, 200]) {
      let store = MemoryTokenStore(
        BearerAuthenticator.Credential(accessToken: "old", refreshToken: "r0-secret"))
      let agent = agent(OAuthAuthenticator(try Self.client(), grant: .refreshToken, store: store))
      service.state.withLock { $0.answers = [Service.json(echo, HTTPResponse.Status(status))] }
      let error = try await #require(throws: RequestError.self) { try await agent.send(.get("x")) }
      let report = try #require(error.report)
      var printed = "\(error) \(error.localizedDescription) \(report)"
      dump(error, to: &printed)
      printed += String(decoding: try JSONEncoder().encode(report), as: UTF8.self)
      for secret in ["r0-secret", "s3cret", "fresh-secret", basic] {
        #expect(!printed.contains(secret), "\(printed)")
      }
      #expect(printed.contains("<redacted>") || status == 400)
    }
  }

  @Test("The tokens of the first process are used, and stay in the shared store")
  func outrun() async throws {
    let store = SharedStore()
    let agent = agent(OAuthAuthenticator(try Self.client(), grant: .refreshToken, store: store))
    service.state.withLock { $0.answers = [Service.json(#"{"error":"invalid_grant"}"#, 400)] }
    try await agent.send(.get("x"))
    #expect(
      service.forms == [
        "grant_type=refresh_token&refresh_token=r0", "grant_type=refresh_token&refresh_token=r7",
      ])
    #expect(store.saved.withLock { $0.map { $0?.refreshToken ?? "-" } } == ["r1"])
  }

  @Test("A refused refresh token is not kept with later tokens, although the store still has it")
  func refusedTokenOfStore() async throws {
    let store = UnchangingStore()
    let agent = agent(OAuthAuthenticator(try Self.client(), grant: .clientCredentials, store: store))
    let answer = Service.json(#"{"access_token":"t0","expires_in":60}"#)
    service.state.withLock {
      $0.answers = [Service.json(#"{"error":"invalid_grant"}"#, 400), answer, answer]
    }
    try await agent.send(.get("x"))
    await clock.advance(by: .seconds(60))
    try await agent.send(.get("x"))
    let own = "grant_type=client_credentials&scope=read%20write"
    #expect(service.forms == ["grant_type=refresh_token&refresh_token=r0", own, own])
    #expect(
      store.saved.withLock { $0.map { $0.map { $0.refreshToken ?? "none" } ?? "removed" } }
        == ["removed", "none", "none"])
  }

  @Test("After a refusal, tokens that cannot be read are not removed")
  func unreadable() async throws {
    let store = BrieflyUnreadableStore()
    let agent = agent(OAuthAuthenticator(try Self.client(), grant: .refreshToken, store: store))
    service.state.withLock { $0.answers = [Service.json(#"{"error":"invalid_grant"}"#, 400)] }
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("x")) }
    #expect(error.cause(as: OAuthError.self)?.code == "invalid_grant")
    #expect(store.saves.withLock { $0 } == 0 && store.loads.withLock { $0 } == 3)
  }

  /// Throws from the third load on.
  private final class BrieflyUnreadableStore: TokenStore {
    let loads = Locked(0)
    let saves = Locked(0)

    func load() async throws -> BearerAuthenticator.Credential? {
      let count = loads.withLock { count in
        count += 1
        return count
      }
      if count > 2 { throw CocoaError(.fileReadNoPermission) }
      return BearerAuthenticator.Credential(
        accessToken: "t0", refreshToken: "r0", expires: Date(timeIntervalSince1970: 0))
    }

    func save(_ credential: BearerAuthenticator.Credential?) async { saves.withLock { $0 += 1 } }
  }

  private final class UnchangingStore: TokenStore {
    let saved = Locked<[BearerAuthenticator.Credential?]>([])

    func load() async -> BearerAuthenticator.Credential? {
      BearerAuthenticator.Credential(
        accessToken: "old", refreshToken: "r0", expires: Date(timeIntervalSince1970: 0))
    }

    func save(_ credential: BearerAuthenticator.Credential?) async {
      saved.withLock { $0.append(credential) }
    }
  }

  /// Returns newer tokens of another process from the third load on.
  private final class SharedStore: TokenStore {
    let loads = Locked(0)
    let saved = Locked<[BearerAuthenticator.Credential?]>([])

    func load() async -> BearerAuthenticator.Credential? {
      let count = loads.withLock { count in
        count += 1
        return count
      }
      return BearerAuthenticator.Credential(
        accessToken: "t\(count < 3 ? 0 : 7)", refreshToken: "r\(count < 3 ? 0 : 7)",
        expires: Date(timeIntervalSince1970: 0))
    }

    func save(_ credential: BearerAuthenticator.Credential?) async {
      saved.withLock { $0.append(credential) }
    }
  }

  @Test("A client with its own grant restarts if its refresh token is rejected")
  func anew() async throws {
    let store = MemoryTokenStore(
      BearerAuthenticator.Credential(
        accessToken: "t0", refreshToken: "r0", expires: Date(timeIntervalSince1970: 0)))
    let agent = agent(OAuthAuthenticator(try Self.client(), grant: .clientCredentials, store: store))
    service.state.withLock { $0.answers = [Service.json(#"{"error":"invalid_grant"}"#, 400)] }
    try await agent.send(.get("x"))
    #expect(
      service.forms == [
        "grant_type=refresh_token&refresh_token=r0", "grant_type=client_credentials&scope=read%20write",
      ])
    #expect(service.served == ["Bearer t1"])
  }

  static let answers: [(HTTPResponse, String)] = [
    (Service.json(#"{"error":"invalid_client"}"#, 401), "invalid_client (401)"),
    (Service.json(#"{"error":"inval\u0007id"}"#, 400), "invalid_response (400)"),
    (HTTPResponse(status: 503, body: Data("<html>".utf8)), "invalid_response (503)"),
    (HTTPResponse(status: 302, headers: ["Location": "https://evil.example/"]), "invalid_response (302)"),
    (Service.json("{}"), "invalid_response (200): the response has no usable access_token"),
    (
      Service.json(#"{"access_token":"a\r\nb"}"#),
      "invalid_response (200): the response has no usable access_token"
    ),
    (
      Service.json(#"{"access_token":7}"#),
      "invalid_response (200): the response has no usable access_token"
    ),
    (
      Service.json(#"{"access_token":"a","token_type":"mac"}"#),
      #"invalid_response (200): the token_type is "mac", not Bearer"#
    ),
    (Service.json("[1"), "invalid_response (200): the response has no usable access_token"),
  ]

  @Test("A response without a token is an error with the received value", arguments: answers)
  func badAnswers(_ row: (HTTPResponse, String)) async throws {
    service.state.withLock { $0.answers = [row.0] }
    let agent = agent(OAuthAuthenticator(try Self.client(), grant: .clientCredentials))
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("x")) }
    #expect(error.cause(as: OAuthError.self)?.description == row.1)
    #expect(error.reason == "the credentials could not be renewed: \(row.1)")
    #expect(service.served.isEmpty && service.forms.count == 1)
  }

  @Test("Responses without a lifetime, with a quoted lifetime, and without a refresh token are accepted")
  func lifetimes() throws {
    func read(_ text: String) throws -> BearerAuthenticator.Credential {
      try OAuthError.credential(
        of: Service.json(text), sentAt: Date(timeIntervalSince1970: 100), keeping: "old", hiding: [])
    }
    #expect(
      try read(#"{"access_token":"a"}"#)
        == BearerAuthenticator.Credential(accessToken: "a", refreshToken: "old"))
    #expect(
      try read(#"{"access_token":"a","token_type":"BEARER","expires_in":"30","refresh_token":"new"}"#)
        == BearerAuthenticator.Credential(
          accessToken: "a", refreshToken: "new", expires: Date(timeIntervalSince1970: 130)))
    #expect(try read(#"{"access_token":"a","expires_in":1e300}"#).expires == nil)
    #expect(try read(#"{"access_token":"a","expires_in":9223372036854775807}"#).expires != nil)
    #expect(try read(#"{"access_token":"a","expires_in":-1}"#).expires == nil)
  }

  @Test("A sign-in page has a challenge, and its code is exchanged for tokens with the verifier")
  func signIn() async throws {
    let store = MemoryTokenStore()
    let authenticator = OAuthAuthenticator(try Self.client(secret: nil), grant: .refreshToken, store: store)
    let agent = agent(authenticator)
    let back = try #require(URL(string: "com.example.app:/back"))
    var random = ["state-1", "verifier-1"]
    let signIn = try OAuthSignIn(Self.client(secret: nil), redirectURI: back) { random.removeFirst() }
    #expect(
      signIn.url.absoluteString
        == "https://id.example/authorize?tenant=a&response_type=code&client_id=er%3Arand&redirect_uri=com.example.app%3A/back&state=state-1"
        + "&code_challenge=\(OAuthSignIn.challenge("verifier-1"))&code_challenge_method=S256&scope=read%20write"
    )
    let callback = try #require(URL(string: "com.example.app:/back?code=c%2B1+x&state=state-1#f"))
    try await authenticator.signIn(signIn, callback: callback, by: agent)
    #expect(
      service.forms == [
        "grant_type=authorization_code&code=c%2B1%20x&redirect_uri=com.example.app%3A/back&code_verifier=verifier-1&client_id=er%3Arand"
      ])
    try await agent.send(.get("x"))
    #expect(service.served == ["Bearer t1"])
    #expect(await store.load()?.refreshToken == "r1")
    await authenticator.signOut()
    #expect(await store.load() == nil)
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("x")) }
    #expect(error.cause(as: OAuthError.self)?.code == "not_signed_in" && service.served.count == 1)
    // RFC 7636 appendix B.
    #expect(
      OAuthSignIn.challenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
  }

  static let callbacks: [(String, String)] = [
    ("app:/back?code=c&state=other", "invalid_state: the answer does not belong to this sign-in"),
    ("app:/back?code=c", "invalid_state: the answer does not belong to this sign-in"),
    ("app:/elsewhere?code=c&state=s", "invalid_state: the answer does not belong to this sign-in"),
    ("app:/back?state=s&error=access_denied&error_description=not+me", "access_denied: not me"),
    ("app:/back?state=s", "invalid_response: the answer has no code"),
    ("app:/back?state=s&code=", "invalid_response: the answer has no code"),
    (
      "app:/back?state=s&code=c&iss=https%3A%2F%2Fevil.example",
      "invalid_issuer: the answer comes from another server"
    ),
    ("app:/back", "invalid_state: the answer does not belong to this sign-in"),
    ("app:/back?state=s&code=c&code=d", "invalid_response: the answer has the parameter code more than once"),
    (
      "app:/back?code=c&state=s&state=t",
      "invalid_response: the answer has the parameter state more than once"
    ),
    (
      "app:/back?code=c&state=s&%73tate=s",
      "invalid_response: the answer has the parameter state more than once"
    ),
  ]

  @Test(
    "A callback that does not belong to the sign-in, or refuses the sign-in, gives no code",
    arguments: callbacks)
  func callback(_ row: (String, String)) throws {
    let signIn = try OAuthSignIn(
      Self.client { $0.issuer = "https://id.example" }, redirectURI: try #require(URL(string: "app:/back"))
    ) { "s" }
    let url = try #require(URL(string: row.0))
    let error = try #require(throws: OAuthError.self) { try signIn.code(from: url) }
    #expect("\(error)" == row.1)
    let good = try #require(URL(string: "app:/back?iss=https%3A%2F%2Fid.example&state=s&code=c"))
    #expect(try signIn.code(from: good) == "c")
  }

  @Test("Tokens with a short lifetime, saved by another process, are used for half of the lifetime")
  func shortLived() async throws {
    let (folder, now) = (TemporaryDirectory(), AgentClock(clock).date)
    for (age, forms) in [(9, 0), (10, 1)] {
      let service = Service()
      service.state.withLock { $0.issued = 7 }
      let tokens = FileTokenStore(file: folder.url.appendingPathComponent("short-\(age).json"))
      try await tokens.save(
        BearerAuthenticator.Credential(
          accessToken: "t7", refreshToken: "r7", expiresIn: .seconds(20),
          from: now.addingTimeInterval(TimeInterval(-age))))
      var configuration = AgentConfiguration()
      configuration.authenticator = OAuthAuthenticator(try Self.client(), grant: .refreshToken, store: tokens)
      configuration.clock = AgentClock(clock)
      let agent = RequestAgent(
        baseURL: "https://api.example", transport: service, configuration: configuration)
      try await agent.send(.get("x"))
      #expect(service.forms.count == forms && service.served == ["Bearer t\(forms == 0 ? 7 : 8)"], "\(age)")
    }
  }

  @Test("A token of a sign-in with a lifetime shorter than the leeway is used")
  func shortSignIn() async throws {
    service.state.withLock { $0.lifetime = 20 }
    let authenticator = OAuthAuthenticator(try Self.client(), grant: .refreshToken)
    let agent = agent(authenticator)
    let signIn = try OAuthSignIn(Self.client(), redirectURI: try #require(URL(string: "app:/back"))) { "s" }
    try await authenticator.signIn(
      signIn, callback: try #require(URL(string: "app:/back?state=s&code=c")), by: agent)
    try await agent.send(.get("x"))
    #expect(service.forms.count == 1 && service.served == ["Bearer t1"])
    await clock.advance(by: .seconds(10))
    try await agent.send(.get("x"))
    #expect(service.forms.count == 2 && service.served.last == "Bearer t2")
  }

  @Test("The localized description of an error is its description")
  func localized() {
    let error = OAuthError(code: "invalid_grant", description: "revoked", status: 400)
    #expect(error.localizedDescription == "the user has to sign in again: invalid_grant (400): revoked")
  }

  @Test("Endpoints are https, or on this machine")
  func endpoints() throws {
    for text in ["http://id.example/token", "ftp://id.example/", "https://id.example/t#f", "id"] {
      let error = try #require(throws: OAuthError.self) {
        try OAuthClient(id: "a", tokenEndpoint: URL(string: text))
      }
      let shown = text.prefix { $0 != "#" }
      #expect("\(error)" == "invalid_endpoint: \"\(shown)\" is not an https URL without a fragment")
    }
    #expect(throws: OAuthError.self) { try OAuthClient(id: "a", tokenEndpoint: nil) }
    #expect(throws: OAuthError.self) {
      try OAuthClient(id: "a", tokenEndpoint: URL(string: "http://[::1]:80/t")).makeSignIn(
        redirectURI: URL(fileURLWithPath: "/"))
    }
  }

  @Test("No printed form has a secret, a code or a token")
  func printed() async throws {
    let client = try Self.client()
    let authenticator = OAuthAuthenticator(client, grant: .clientCredentials)
    let agent = agent(authenticator)
    let signIn = try OAuthSignIn(client, redirectURI: try #require(URL(string: "app:/back"))) { "r4ndom" }
    service.state.withLock {
      $0.answers = [
        Service.json(#"{"error":"invalid_client","error_description":"s3cret+/ ü is wrong"}"#, 401)
      ]
    }
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("x")) }
    var printed =
      "\(client) \(String(reflecting: client)) \(authenticator) \(signIn) \(error) \(try #require(error.report))"
    dump(client, to: &printed)
    dump(authenticator, to: &printed)
    dump(signIn, to: &printed)
    dump(error, to: &printed)
    let basic = Data("er%3Arand:s3cret%2B%2F+%C3%BC".utf8).base64EncodedString()
    for secret in ["r4ndom", basic, "k3y"] { #expect(!printed.contains(secret), "\(secret)") }
    #expect(!"\(client) \(authenticator)".contains("s3cret"))
  }
}

@Suite("Storage of tokens")
struct TokenStoreTests {
  private let folder = TemporaryDirectory()
  private var file: URL { folder.url.appendingPathComponent("tokens.json") }

  @Test("A token file is private to its owner, and round-trips")
  func file() async throws {
    let store = FileTokenStore(file: file)
    #expect(try await store.load() == nil)
    let tokens = BearerAuthenticator.Credential(
      accessToken: "a\"1", refreshToken: "r", expires: Date(timeIntervalSince1970: 1_700_000_000.5))
    try await store.save(tokens)
    #expect(try await FileTokenStore(file: file).load() == tokens)
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    try await store.save(BearerAuthenticator.Credential(accessToken: "b"))
    #expect(try await store.load() == BearerAuthenticator.Credential(accessToken: "b"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["tokens.json"])
    let link = folder.url.appendingPathComponent("link.json")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    try await FileTokenStore(file: link).save(BearerAuthenticator.Credential(accessToken: "c"))
    #expect(try await FileTokenStore(file: link).load() == BearerAuthenticator.Credential(accessToken: "c"))
    // Signing out also removes the tokens in the link's target.
    try await FileTokenStore(file: link).save(nil)
    #expect(try await FileTokenStore(file: file).load() == nil)
    try await FileTokenStore(file: link).save(BearerAuthenticator.Credential(accessToken: "d"))
    #expect(try await store.load() == BearerAuthenticator.Credential(accessToken: "d"))
    try FileManager.default.removeItem(at: link)
    try await store.save(nil)
    try await store.save(nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
    #expect("\(store)" == "token store in \(file.path)")
  }

  @Test("Leftovers of a process killed while saving are removed, and no other files")
  func leftovers() async throws {
    let digits = String(repeating: "0f", count: 8)
    let others = [
      "tokens.json.\(digits.uppercased())", "tokens.json.\(digits)0", "tokens.json.bak", "x.\(digits)",
    ]
    for change in ["load", "save", "signOut"] {
      for name in others + ["tokens.json.\(digits)"] { _ = try folder.file(name, Data("{}".utf8)) }
      let writing = try #require(UnfinishedFile.create("\(file.path)."))
      let store = FileTokenStore(file: file)
      switch change {
      case "load": _ = try await store.load()
      case "save": try await store.save(BearerAuthenticator.Credential(accessToken: "a"))
      default: try await store.save(nil)
      }
      let saved = change == "save" ? ["tokens.json"] : []
      let unfinished = (writing.path as NSString).lastPathComponent
      #expect(try folder.files == (others + saved + [unfinished]).sorted())
      close(writing.descriptor)
      _ = try await store.load()
      #expect(try folder.files == (others + saved).sorted())
    }
  }

  @Test(
    "Authenticators that share a file renew once, also in a single process, and use the first one's tokens")
  func shared() async throws {
    try await FileTokenStore(file: file).save(
      BearerAuthenticator.Credential(accessToken: "t0", refreshToken: "r0", expires: .distantPast))
    let count = Locked(0)
    let transport = FunctionTransport { http, _ in
      guard http.url.path == "/token" else {
        return HTTPResponse(status: http.headers["Authorization"] == "Bearer t1" ? 200 : 401)
      }
      await Task.yield()
      let number = count.withLock { count in
        count += 1
        return count
      }
      return HTTPResponse(
        body: Data(#"{"access_token":"t\#(number)","refresh_token":"r\#(number)"}"#.utf8))
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        let agent: RequestAgent = try agent(over: transport)
        group.addTask { try await agent.send(.get("x")) }
      }
      try await group.waitForAll()
    }
    #expect(count.withLock { $0 } == 1)
    #expect(try folder.files == ["tokens.json"])
  }

  private func agent(over transport: any Transport) throws -> RequestAgent {
    try agent(over: transport).0
  }

  private func agent(over transport: any Transport) throws -> (RequestAgent, OAuthAuthenticator) {
    let client = try OAuthClient(id: "a", tokenEndpoint: URL(string: "https://a.example/token"))
    let authenticator = OAuthAuthenticator(
      client, grant: .refreshToken, store: FileTokenStore(file: file), refreshWindow: nil)
    var configuration = AgentConfiguration()
    configuration.authenticator = authenticator
    let agent = RequestAgent(baseURL: "https://a.example", transport: transport, configuration: configuration)
    return (agent, authenticator)
  }

  @Test("A sign-out does not wait for a renewal of its own process, and persists over renewals of others")
  func signOutWhileRenewing() async throws {
    let store = FileTokenStore(file: file)
    let gate = GateTransport()
    let (agent, authenticator): (RequestAgent, OAuthAuthenticator) = try self.agent(over: gate)
    let (_, other): (RequestAgent, OAuthAuthenticator) = try self.agent(over: gate)
    let tokens = BearerAuthenticator.Credential(accessToken: "t0", refreshToken: "r0", expires: .distantPast)
    let answer = HTTPResponse(body: Data(#"{"access_token":"t1","refresh_token":"r1"}"#.utf8))

    try await store.save(tokens)
    let first = agent.start(OneOffRequest.get("x", as: Data.self))
    await gate.waitForStarts(1)
    await authenticator.signOut()
    #expect(try await store.load() == nil)
    gate.answer("/token", answer)
    await #expect(throws: RequestError.self) { try await first.value }
    #expect(try await store.load() == nil)

    try await store.save(tokens)
    let second = agent.start(OneOffRequest.get("x", as: Data.self))
    await gate.waitForStarts(2)
    // Signs out with a second authenticator, as another process would.
    let signOut = Task { await other.signOut() }
    gate.answer("/token", answer)
    await gate.waitForStarts(3)
    gate.answer("/x")
    _ = try await second.value
    await signOut.value
    #expect(try await store.load() == nil)
    #expect(try folder.files == [])
  }

  @Test(
    "A sign-out applies to tokens in memory: the next renewal requires a sign-in, and saves nothing"
  )
  func signedOutElsewhere() async throws {
    let store = FileTokenStore(file: file)
    try await store.save(
      BearerAuthenticator.Credential(accessToken: "t0", refreshToken: "r0", expires: .distantPast))
    let (accepted, renewals) = (Locked("t1"), Locked(0))
    let transport = FunctionTransport { http, _ in
      guard http.url.path == "/token" else {
        let isGood = http.headers["Authorization"] == "Bearer \(accepted.withLock { $0 })"
        return HTTPResponse(status: isGood ? 200 : 401)
      }
      let count = renewals.withLock { count in
        count += 1
        return count
      }
      return HTTPResponse(
        body: Data(#"{"access_token":"t\#(count)","refresh_token":"r\#(count)"}"#.utf8))
    }
    let (agent, _): (RequestAgent, OAuthAuthenticator) = try self.agent(over: transport)
    let (_, other): (RequestAgent, OAuthAuthenticator) = try self.agent(over: transport)
    try await agent.send(.get("x"))
    await other.signOut()
    // The access token is valid until the server refuses the token.
    try await agent.send(.get("x"))
    accepted.withLock { $0 = "t2" }
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("x")) }
    #expect(error.cause(as: OAuthError.self)?.needsSignIn == true)
    #expect(renewals.withLock { $0 } == 1)
    #expect(try folder.files == [])
  }

  @Test("A token file is read through a relative link, in one step and in two steps")
  func relativeLinks() async throws {
    let tokens = BearerAuthenticator.Credential(accessToken: "t0", refreshToken: "r0")
    try await FileTokenStore(file: file).save(tokens)
    let links = ["first": file.lastPathComponent, "second": "first"]
    for (name, target) in links {
      try FileManager.default.createSymbolicLink(
        atPath: folder.url.appendingPathComponent(name).path, withDestinationPath: target)
    }
    for name in links.keys {
      let store = FileTokenStore(file: folder.url.appendingPathComponent(name))
      #expect(try await store.load() == tokens)
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
    for name in links.keys {
      let store = FileTokenStore(file: folder.url.appendingPathComponent(name))
      let error = await #expect(throws: FileError.self) { try await store.load() }
      #expect(error?.reason == "is accessible to other users: set its mode to 600")
    }
  }

  @Test("Valid tokens in the file are used at once, even if another process has the lock")
  func goodTokensWithoutLock() async throws {
    try await FileTokenStore(file: file).save(
      BearerAuthenticator.Credential(accessToken: "t1", refreshToken: "r1", expires: .distantFuture))
    let lock = try #require(
      try await FileLock.acquire("\(file.path).lock", unless: CancellationSignal()))
    let transport = FunctionTransport()
    let (agent, _): (RequestAgent, OAuthAuthenticator) = try self.agent(over: transport)
    try await agent.send(.get("x"))
    #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer t1"])
    lock.release()
  }

  @Test("A renewal stops waiting for another process at its own time limit")
  func stopped() async throws {
    try await FileTokenStore(file: file).save(
      BearerAuthenticator.Credential(accessToken: "t0", refreshToken: "r0", expires: .distantPast))
    // The lock of a stopped process.
    let lock = try #require(
      try await FileLock.acquire("\(file.path).lock", unless: CancellationSignal()))
    let clock = TestClock()
    let client = try OAuthClient(id: "a", tokenEndpoint: URL(string: "https://a.example/token"))
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    configuration.authenticator = OAuthAuthenticator(
      client, grant: .refreshToken, store: FileTokenStore(file: file))
    let transport = FunctionTransport()
    let agent = RequestAgent(baseURL: "https://a.example", transport: transport, configuration: configuration)
    let handle = agent.start(OneOffRequest.get("x", as: Data.self))
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(60))
    let error = try await #require(throws: RequestError.self) { try await handle.value }
    #expect(error.reason == "the credentials could not be renewed: the renewal took longer than 60 s")
    #expect(transport.requests.isEmpty)
    lock.release()
  }

  @Test("A file readable by others, or without tokens, is refused and left unchanged")
  func refused() async throws {
    try Data("a note".utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    let store = FileTokenStore(file: file)
    let problem = FileError(path: file.path, reason: "contains no tokens")
    await #expect(throws: problem) { try await store.load() }
    await #expect(throws: problem) { try await store.save(BearerAuthenticator.Credential(accessToken: "a")) }
    await #expect(throws: problem) { try await store.save(nil) }
    #expect(try String(contentsOf: file, encoding: .utf8) == "a note")
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
    await #expect(
      throws: FileError(path: file.path, reason: "is accessible to other users: set its mode to 600")
    ) {
      try await store.load()
    }
    let nowhere = FileTokenStore(file: folder.url.appendingPathComponent("none/tokens.json"))
    await #expect(
      throws: FileError(
        path: folder.url.path + "/none/tokens.json", reason: "cannot be written: No such file or directory")
    ) {
      try await nowhere.save(BearerAuthenticator.Credential(accessToken: "a"))
    }
  }

  @Test("Tokens that cannot be saved are still used, and the problem is reported")
  func unsaved() async throws {
    let nowhere = FileTokenStore(file: folder.url.appendingPathComponent("none/tokens.json"))
    let transport = FunctionTransport { http, _ in
      http.url.path == "/token"
        ? HTTPResponse(body: Data(#"{"access_token":"t"}"#.utf8))
        : HTTPResponse(status: http.headers["Authorization"] == "Bearer t" ? 200 : 401)
    }
    let client = try OAuthClient(id: "a", tokenEndpoint: URL(string: "https://a.example/token"))
    let authenticator = OAuthAuthenticator(client, grant: .clientCredentials, store: nowhere)
    var configuration = AgentConfiguration()
    configuration.authenticator = authenticator
    let agent = RequestAgent(baseURL: "https://a.example", transport: transport, configuration: configuration)
    try await agent.send(.get("x"))
    #expect(authenticator.storeProblem as? FileError != nil)
    #expect(transport.requests.map(\.url.path) == ["/token", "/x"])
  }

  /// Fails to save on demand, and keeps the previous credential.
  private final class Failing: TokenStore {
    let state: Locked<(saved: BearerAuthenticator.Credential?, fails: Bool)>

    init(_ saved: BearerAuthenticator.Credential?) { state = Locked((saved, true)) }

    func load() async throws -> BearerAuthenticator.Credential? { state.withLock { $0.saved } }

    func save(_ credential: BearerAuthenticator.Credential?) async throws {
      try state.withLock { state in
        if state.fails { throw POSIXError(.ENOSPC) }
        state.saved = credential
      }
    }
  }

  @Test(
    "If saving fails, the newest refresh token is used instead of the store's, and a sign-out persists")
  func newest() async throws {
    let store = Failing(
      BearerAuthenticator.Credential(accessToken: "t0", refreshToken: "r0", expires: .distantPast))
    let forms = Locked<[String]>([])
    let transport = FunctionTransport { http, _ in
      guard http.url.path == "/token" else {
        return HTTPResponse(status: http.headers["Authorization"] == "Bearer t2" ? 200 : 401)
      }
      let form = String(decoding: http.body.data ?? Data(), as: UTF8.self)
      let count = forms.withLock { forms in
        forms.append(form)
        return forms.count
      }
      return HTTPResponse(
        body: Data(#"{"access_token":"t\#(count)","refresh_token":"r\#(count)"}"#.utf8))
    }
    let client = try OAuthClient(id: "a", tokenEndpoint: URL(string: "https://a.example/token"))
    let authenticator = OAuthAuthenticator(client, grant: .refreshToken, store: store)
    var configuration = AgentConfiguration()
    configuration.authenticator = authenticator
    let agent = RequestAgent(baseURL: "https://a.example", transport: transport, configuration: configuration)
    try await agent.send(.get("x"))
    #expect(
      forms.withLock { $0 } == [
        "grant_type=refresh_token&refresh_token=r0&client_id=a",
        "grant_type=refresh_token&refresh_token=r1&client_id=a",
      ])
    await authenticator.signOut()
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("x")) }
    #expect(error.cause(as: OAuthError.self)?.code == "not_signed_in" && authenticator.storeProblem != nil)
  }

  /// The first save waits.
  private final class Waiting: TokenStore {
    let began = OneTime<Void>()
    let gate = OneTime<Void>()
    private let stored = MemoryTokenStore()

    func load() async throws -> BearerAuthenticator.Credential? { await stored.load() }

    func save(_ credential: BearerAuthenticator.Credential?) async throws {
      began.set(())
      try await gate.wait()
      await stored.save(credential)
    }
  }

  @Test("A sign-out during the save of a sign-in leaves no token in memory and in the store")
  func signedOutWhileSaving() async throws {
    let (store, transport) = (
      Waiting(),
      FunctionTransport { _, _ in
        HTTPResponse(body: Data(#"{"access_token":"t1","refresh_token":"r1","expires_in":3600}"#.utf8))
      }
    )
    let client = try OAuthClient(
      id: "a", tokenEndpoint: URL(string: "https://a.example/token"),
      authorizationEndpoint: URL(string: "https://a.example/authorize"))
    let authenticator = OAuthAuthenticator(client, grant: .refreshToken, store: store)
    var configuration = AgentConfiguration()
    configuration.authenticator = authenticator
    let agent = RequestAgent(baseURL: "https://a.example", transport: transport, configuration: configuration)
    var random = ["s", "v"]
    let back = try #require(URL(string: "app:/back"))
    let signIn = try OAuthSignIn(client, redirectURI: back) { random.removeFirst() }
    let callback = try #require(URL(string: "app:/back?code=c&state=s"))
    let signingIn = Task { try await authenticator.signIn(signIn, callback: callback, by: agent) }
    try await store.began.wait()
    let signingOut = Task { @MainActor in await authenticator.signOut() }
    // Runs after the start of the sign-out, up to its first suspension.
    await Task { @MainActor in }.value
    for _ in 0..<100 { await Task.yield() }
    store.gate.set(())
    try await signingIn.value
    await signingOut.value
    #expect(try await store.load() == nil)
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("x")) }
    #expect(error.cause(as: OAuthError.self)?.code == "not_signed_in")
    #expect(transport.requests.map(\.url.path) == ["/token"])
  }

  @Test("A refresh that ends after a sign-out saves nothing")
  func signedOutMeanwhile() async throws {
    let store = MemoryTokenStore(
      BearerAuthenticator.Credential(accessToken: "t0", refreshToken: "r0", expires: .distantPast))
    let gate = GateTransport()
    let client = try OAuthClient(id: "a", tokenEndpoint: URL(string: "https://a.example/token"))
    let authenticator = OAuthAuthenticator(client, grant: .refreshToken, store: store)
    var configuration = AgentConfiguration()
    configuration.authenticator = authenticator
    let agent = RequestAgent(baseURL: "https://a.example", transport: gate, configuration: configuration)
    let handle = agent.start(OneOffRequest.get("x", as: Data.self))
    await gate.waitForStarts(1)
    await authenticator.signOut()
    gate.answer("/token", HTTPResponse(body: Data(#"{"access_token":"t1","refresh_token":"r1"}"#.utf8)))
    await #expect(throws: RequestError.self) { try await handle.value }
    #expect(await store.load() == nil)
  }
}
