import ErrandMocks
import Foundation
import Testing

@testable import Errand

/// The authenticator answers a challenge before validators judge the response.
@Suite("A challenge and validators", .timeLimit(.minutes(5)))
struct ChallengeTests {
  private struct Step: Request {
    typealias Response = HTTPResponse
    var path = "a"
    var method = HTTPMethod.get
    var body = RequestBody.automatic
    var validators: [any ResponseValidator] = []
  }

  private static func service(
    _ token: String = "t2", body: Data = Data("no".utf8)
  ) -> FunctionTransport {
    FunctionTransport { request, _ in
      request.headers["Authorization"] == "Bearer \(token)"
        ? HTTPResponse(body: Data("in".utf8)) : HTTPResponse(status: 401, body: body)
    }
  }

  private static func agent(
    _ transport: any Transport, _ authenticator: any Authenticator, hooks: [any RequestHooks] = []
  ) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.authenticator = authenticator
    return RequestAgent(
      baseURL: "https://a.example", transport: transport, hooks: hooks, configuration: configuration)
  }

  private static func bearer(_ next: String = "t2") -> BearerAuthenticator {
    BearerAuthenticator(BearerAuthenticator.Credential(accessToken: "t1")) { _, _ in
      BearerAuthenticator.Credential(accessToken: next)
    }
  }

  private static let watching: [any ResponseValidator] = [
    .head { head, _ in
      #expect(head.status != 401)
      return .accepted
    }
  ]

  @Test("A token is renewed before a validator refuses 401, and no validator sees the 401")
  func renewed() async throws {
    for validators in [[], Self.watching, StandardValidator.standard] {
      let transport = Self.service()
      let received = try await Self.agent(transport, Self.bearer()).response(
        for: Step(validators: validators))
      #expect(received.value.status == 200 && received.value.body == Data("in".utf8))
      #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer t1", "Bearer t2"])
      let attempts = received.report.attempts
      #expect(attempts.map(\.response?.status.code) == [401, 200] && attempts.map(\.bodyLength) == [2, 2])
      #expect(attempts[0].failure?.reason == "status 401 Unauthorized asks for other credentials")
      #expect(attempts[0].retry?.source == .authenticator && attempts[0].stage == .validate)
    }
  }

  @Test("Digest is answered before a validator refuses 401")
  func digest() async throws {
    let transport = FunctionTransport { request, _ in
      request.headers["Authorization"]?.hasPrefix("Digest username=\"ada\"") == true
        ? HTTPResponse(body: Data("in".utf8))
        : HTTPResponse(
          status: 401, headers: ["WWW-Authenticate": #"Digest realm="r", nonce="n", qop="auth""#])
    }
    let credentials = try #require(BasicCredentials(username: "ada", password: "p"))
    let response = try await Self.agent(transport, .password(credentials)).send(Step())
    #expect(response.body == Data("in".utf8) && transport.requests.count == 2)
  }

  @Test("A server that refuses everything gets one more request, and its last response is the result")
  func endless() async throws {
    let transport = FunctionTransport { _, number in
      HTTPResponse(status: 401, body: Data("\(number)".utf8))
    }
    #expect(try await Self.agent(transport, Self.bearer()).send(Step()).body == Data("2".utf8))
    #expect(transport.requests.count == 2)
  }

  private struct Poor: Authenticator {
    let recorder: Recorder

    func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {}

    func renew(after failure: RequestError, context: Authentication.Context) async throws -> Bool {
      recorder.add("\(failure.kind) \(failure.response?.body.count ?? -1)")
      return false
    }
  }

  @Test(
    "Without other credentials the whole response is returned, for any length, and the authenticator is called once",
    arguments: [0, 5, 65_536, 300_000])
  func kept(_ count: Int) async throws {
    let body = Data((0..<count).map { UInt8(truncatingIfNeeded: $0) })
    let server = try MockServer()
    server.route(.get, "/a", answers: .data(body, status: 401))
    for validators in [[], StandardValidator.standard] as [[any ResponseValidator]] {
      let recorder = Recorder()
      var configuration = AgentConfiguration()
      configuration.authenticator = Poor(recorder: recorder)
      let agent = RequestAgent(baseURL: server.baseURL, configuration: configuration)
      if validators.isEmpty {
        #expect(try await agent.send(Step()).body == body)
        var streamed = Data()
        for try await chunk in try await agent.stream(Step()).body { streamed += chunk }
        #expect(streamed == body)
        let directory = TemporaryDirectory()
        let file = directory.url.appendingPathComponent("f")
        _ = try await agent.download(Step(), to: file)
        #expect(try Data(contentsOf: file) == body)
        #expect(recorder.events.count == 3)
      } else {
        let error = try await #require(throws: RequestError.self) {
          try await agent.send(Step(validators: validators))
        }
        #expect(error.reason == "status 401 Unauthorized is not in 200..<300")
        #expect(error.response?.body.count == min(count, 65_536))
        #expect(recorder.events.count == 1)
      }
      #expect(recorder.events.allSatisfy { $0.hasPrefix("status ") })
      #expect(count > 65_536 || Set(recorder.events) == ["status \(count)"])
    }
  }

  @Test("A one-shot body is not sent again, and the refusal is the response")
  func once() async throws {
    @Sendable func chunks() -> AsyncStream<Data> {
      AsyncStream { stream in
        stream.yield(Data("x".utf8))
        stream.finish()
      }
    }
    for (body, statuses) in [
      (RequestBody.stream(chunks()), [401]), (RequestBody.stream { chunks() }, [401, 200]),
    ] as [(RequestBody, [Int?])] {
      let transport = Self.service()
      let request = Step(method: .post, body: body)
      let received = try await Self.agent(transport, Self.bearer()).response(for: request)
      #expect(received.report.attempts.map(\.response?.status.code) == statuses)
      #expect(received.value.body == Data((statuses.last == 200 ? "in" : "no").utf8))
    }
  }

  @Test("A bearer token can declare another status as a refusal")
  func otherStatus() async throws {
    let transport = FunctionTransport { request, _ in
      HTTPResponse(status: request.headers["Authorization"] == "Bearer t2" ? 200 : 403)
    }
    let authenticator = BearerAuthenticator(
      BearerAuthenticator.Credential(accessToken: "t1"), isRefusal: { $0.status == 403 }
    ) { _, _ in BearerAuthenticator.Credential(accessToken: "t2") }
    #expect(try await Self.agent(transport, authenticator).send(Step()).status == 200)
    #expect(transport.requests.count == 2)
  }

  private final class Slow: Authenticator {
    let renewals = Locked(0)

    func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {}

    func renew(after failure: RequestError, context: Authentication.Context) async throws -> Bool {
      renewals.withLock { $0 += 1 }
      throw Refusal("the token server was too slow", kind: .timedOut)
    }
  }

  @Test("A timeout that the authenticator throws in a renewal ends the dispatch, without another renewal")
  func slowRenewal() async throws {
    let (transport, authenticator) = (Self.service(), Slow())
    let error = try await #require(throws: RequestError.self) {
      try await Self.agent(transport, authenticator).send(
        Step().with(\.retryPolicy, .upTo(2, backoff: .constant(.zero))))
    }
    #expect(error.kind == .timedOut && error.stage == .authenticate)
    #expect(error.reason == "the token server was too slow")
    #expect(authenticator.renewals.withLock { $0 } == 1 && transport.requests.count == 1)
    #expect(error.report?.attempts.map(\.noRetryReason) == ["there are no other credentials"])
  }

  /// Treats the header `X-Expired` as a refusal, and sends the number of responses seen so far.
  private final class Learner: Authenticator {
    let seen = Locked<[String]>([])

    func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
      request.headers["X-Known"] = "\(seen.withLock { $0.count })"
    }

    func isRefusal(_ head: HTTPResponse, context: Authentication.Context) async -> Bool {
      seen.withLock {
        $0.append("\(head.status.code) \(head.headers["X-Expired"] ?? "-") \(head.body.count)")
      }
      return head.headers.contains("X-Expired")
    }

    func renew(after failure: RequestError, context: Authentication.Context) async throws -> Bool {
      failure.response?.headers.contains("X-Expired") == true
    }
  }

  @Test("An authenticator sees the head of each response, and may refuse a success")
  func success() async throws {
    let transport = FunctionTransport { request, number in
      var response = HTTPResponse(body: Data("known \(request.headers["X-Known"] ?? "")".utf8))
      if number == 1 { response.headers["X-Expired"] = "yes" }
      return response
    }
    let learner = Learner()
    let agent = Self.agent(transport, learner)
    let received = try await agent.response(for: Step(validators: StandardValidator.standard))
    #expect(received.value.body == Data("known 1".utf8) && received.report.attempts.count == 2)
    #expect(received.report.attempts[0].failure?.reason == "status 200 OK asks for other credentials")
    try await agent.send(.get("b").with(\.authentication, Authentication.none))
    #expect(learner.seen.withLock { $0 } == ["200 yes 0", "200 - 0"])
  }

  @Test("A failed renewal is final, with the refused response")
  func failing() async throws {
    struct Gone: Error {}
    let authenticator = BearerAuthenticator(BearerAuthenticator.Credential(accessToken: "t1")) { _, _ in
      throw Gone()
    }
    let error = try await #require(throws: RequestError.self) {
      try await Self.agent(Self.service(), authenticator).send(Step())
    }
    #expect(error.kind == .authentication && error.stage == .authenticate && error.status == 401)
    #expect(error.reason == "the credentials could not be renewed: Gone()")
    #expect(error.report?.attempts.last?.noRetryReason == "there are no other credentials")
  }

  @Test("A refusal that only the body shows is left to validators")
  func inBody() async throws {
    let transport = FunctionTransport { request, _ in
      HTTPResponse(body: Data((request.headers["Authorization"] == "Bearer t2" ? "in" : "expired").utf8))
    }
    struct Expired: Error {}
    let authenticator = BearerAuthenticator(
      BearerAuthenticator.Credential(accessToken: "t1"), isRefusal: { $0.cause(as: Expired.self) != nil }
    ) { _, _ in BearerAuthenticator.Credential(accessToken: "t2") }
    let validators: [any ResponseValidator] = [
      .validate { response, _ in if response.body == Data("expired".utf8) { throw Expired() } }
    ]
    let response = try await Self.agent(transport, authenticator).send(Step(validators: validators))
    #expect(response.body == Data("in".utf8))
  }
}
