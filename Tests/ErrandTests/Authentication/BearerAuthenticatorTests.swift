import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Renewal of a bearer token")
struct BearerAuthenticatorTests {
  let service = TokenService()

  @Test("A stale token is renewed after the first refusal, also without retries")
  func stale() async throws {
    let report = try await service.agent(BearerAuthenticator.renewing()).response(for: GetUsers()).report
    #expect(service.lines == ["GET /users t0", "POST /token -", "GET /users t1"])
    #expect(report.attempts.map(\.retry) == [.init(wait: .zero, source: .authenticator), nil])
    #expect(report.attempts.map(\.failure?.status?.code) == [401, nil])
  }

  @Test("A failed refresh is the only failure, with its cause, and nothing more is sent")
  func refreshFails() async throws {
    let service = TokenService { request, _ in
      request.url.path == "/token" ? HTTPResponse(status: 400, body: Data("token=hunter2".utf8)) : nil
    }
    let agent = service.agent(BearerAuthenticator.renewing("hunter2"))
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(GetUsers(retryPolicy: .upTo(3).when { _ in true }))
    }
    #expect(service.lines == ["GET /users hunter2", "POST /token -"])
    let text = error.description.replacing(#/after \d+\.\d+ s/#, with: "after 1 s")
    #expect(
      text == """
        GET http://a/users failed: the credentials could not be renewed: POST http://a/token failed: status 400 Bad \
        Request is not in 200..<300.
        Stage authenticate, attempt 1, after 1 s.
        Response: 401 Unauthorized, no body
        Try: Check the credentials, and the request named above that renews the credentials.
        """)
    #expect(error.kind == .authentication && error.status == 401)
    #expect((error.cause as? RequestError)?.status == 400)
  }

  @Test("A second refusal is final")
  func refusedTwice() async throws {
    let service = TokenService { request, _ in
      request.url.path == "/token" ? HTTPResponse(body: Data("other".utf8)) : nil
    }
    let error = try await #require(throws: RequestError.self) {
      try await service.agent(BearerAuthenticator.renewing()).send(GetUsers())
    }
    #expect(service.lines == ["GET /users t0", "POST /token -", "GET /users other"])
    #expect(error.kind == .status && error.status == 401 && error.attempts == 2 && error.stage == .validate)
  }

  @Test("The attempt after a refusal does not count for the retry policy", arguments: [1, 2])
  func retryCount(_ limit: Int) async throws {
    let count = Locked(0)
    let service = TokenService { request, _ in
      guard request.headers["Authorization"] == "Bearer t1" else { return nil }
      let number = count.withLock { count in
        count += 1
        return count
      }
      return number < 3 ? HTTPResponse(status: 503) : nil
    }
    let request = GetUsers(retryPolicy: .upTo(limit, backoff: .constant()))
    let agent = service.agent(BearerAuthenticator.renewing())
    if limit == 2 {
      let attempts = try await agent.response(for: request).report.attempts
      #expect(attempts.map(\.retry?.source) == [.authenticator, .policy, .policy, nil])
    } else {
      let error = try await #require(throws: RequestError.self) { try await agent.send(request) }
      #expect(error.status == 503 && error.attempts == 3)
    }
  }

  @Test("A token renewed by another request is sent without a second refresh")
  func newer() async throws {
    let authenticator = BearerAuthenticator.renewing()
    let service = TokenService { _, service in
      authenticator.credential = BearerAuthenticator.Credential(accessToken: "t1")
      return nil
    }
    #expect(try await service.agent(authenticator).send(GetUsers()) == "ok")
    #expect(service.lines == ["GET /users t0", "GET /users t1"])
  }

  @Test("A token is renewed before its expiry, by the agent's clock")
  func expiry() async throws {
    let clock = TestClock()
    let agentClock = AgentClock(clock, date: Date(timeIntervalSince1970: 1_000))
    let authenticator = BearerAuthenticator.renewing(expires: Date(timeIntervalSince1970: 1_100))
    service.accept("t0")
    let agent = service.agent(authenticator, clock: agentClock)
    await clock.advance(by: .seconds(69))
    try await agent.send(GetUsers())
    await clock.advance(by: .seconds(1))
    service.accept("t1")
    try await agent.send(GetUsers())
    try await agent.send(GetUsers())
    #expect(service.lines == ["GET /users t0", "POST /token -", "GET /users t1", "GET /users t1"])
    let hour = BearerAuthenticator.Credential(
      accessToken: "t", expiresIn: .seconds(3600), from: Date(timeIntervalSince1970: 5))
    #expect(hour.expires == Date(timeIntervalSince1970: 3605))
  }

  @Test("The first token can be fetched")
  func fetched() async throws {
    #expect(try await service.agent(BearerAuthenticator.renewing(nil)).send(GetUsers()) == "ok")
    #expect(service.lines == ["POST /token -", "GET /users t1"])
  }

  @Test("A token without a refresh is sent unchanged, and its refusal is final")
  func plain() async throws {
    let authenticator = BearerAuthenticator(token: "t0")
    let agent = service.agent(authenticator)
    let error = try await #require(throws: RequestError.self) { try await agent.send(GetUsers()) }
    #expect(error.kind == .status && error.attempts == 1)
    authenticator.credential = BearerAuthenticator.Credential(accessToken: "t1", expires: .distantPast)
    #expect(try await agent.send(GetUsers()) == "ok")
    authenticator.credential = nil
    let none = try await #require(throws: RequestError.self) { try await agent.send(GetUsers()) }
    #expect(none.reason == "there is no credential, and no refresh that fetches a credential")
    #expect(service.lines == ["GET /users t0", "GET /users t1"])
  }

  @Test("Refusals other than 401 can be declared, at any stage")
  func predicate() async throws {
    struct Picky: Request {
      typealias Response = String
      let path = "users"
      func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {
        if response.body == Data("expired".utf8) {
          throw Refusal("the token expired", kind: .init("expired"))
        }
      }
    }
    let service = TokenService { request, _ in
      request.headers["Authorization"] == "Bearer t0" ? HTTPResponse(body: Data("expired".utf8)) : nil
    }
    let authenticator = BearerAuthenticator(
      BearerAuthenticator.Credential(accessToken: "t0"), isRefusal: { $0.kind == .init("expired") },
      refresh: { _, context in
        BearerAuthenticator.Credential(accessToken: try await context.send(RenewToken()))
      })
    #expect(try await service.agent(authenticator).send(Picky()) == "ok")
    #expect(service.lines == ["GET /users t0", "POST /token -", "GET /users t1"])
  }

  @Test(
    "A one-shot body is not sent again, with the reason in the failure, and the next request has the new token"
  )
  func once() async throws {
    let agent = service.agent(BearerAuthenticator.renewing())
    let chunks = AsyncStream<Data> { $0.finish() }
    let upload = OneOffRequest.post("users").with(\.body, .stream(chunks))
    let error = try await #require(throws: RequestError.self) { try await agent.send(upload) }
    #expect(
      error.reason
        == "status 401 Unauthorized is not in 200..<300; new credentials are available, but the body can be produced"
        + " only once, so the request is not sent again")
    #expect(error.kind == .status && error.attempts == 1)
    try await agent.send(.post("users"))
    #expect(service.lines == ["POST /users t0", "POST /token -", "POST /users t1"])
  }

  @Test(
    "A refresh whose request is not exempt fails with the reason, instead of waiting for itself",
    arguments: [true, false])
  func reentrance(_ isFetched: Bool) async throws {
    let authenticator = BearerAuthenticator(
      isFetched ? nil : BearerAuthenticator.Credential(accessToken: "t0")
    ) {
      _, context in
      BearerAuthenticator.Credential(
        accessToken: try await context.send(RenewToken(authentication: .inherited)))
    }
    let error = try await #require(throws: RequestError.self) {
      try await service.agent(authenticator).send(GetUsers())
    }
    #expect(
      error.reason
        == "the credentials could not be renewed: POST http://a/token failed: the request that"
        + " renews the credentials would wait for its own result: set its authentication to .none")
    #expect(service.lines == (isFetched ? [] : ["GET /users t0"]))
  }

  @Test("A stream is reopened with the new token")
  func stream() async throws {
    let response = try await service.agent(BearerAuthenticator.renewing()).stream(GetUsers())
    var bytes = Data()
    for try await chunk in response.body { bytes.append(chunk) }
    #expect(bytes == Data("ok".utf8))
    #expect(service.lines == ["GET /users t0", "POST /token -", "GET /users t1"])
  }

  @Test("A started request gets the new token")
  func started() async throws {
    #expect(try await service.agent(BearerAuthenticator.renewing()).start(GetUsers()).value == "ok")
  }

  @Test("The report shows the wait before the request and after its refusal")
  func wait() async throws {
    let clock = TestClock()
    let authenticator = BearerAuthenticator(nil) { current, context in
      try await clock.sleep(for: .seconds(current == nil ? 2 : 3))
      return BearerAuthenticator.Credential(accessToken: current == nil ? "t0" : "t1")
    }
    let agent = service.agent(authenticator, clock: AgentClock(clock))
    async let received = agent.response(for: GetUsers())
    for seconds in [2, 3] {
      // The clock has two sleepers: the refresh, and the timeout of the refresh.
      await clock.waitForSleepers(2)
      await clock.advance(by: .seconds(seconds))
    }
    let attempts = try await received.report.attempts
    #expect(attempts.map(\.authenticationWait) == [.seconds(5), .zero])
    #expect(attempts.map(\.elapsed) == [.seconds(2), .zero])
  }
}
