import Foundation
import Testing

@testable import Errand

@Suite("The authenticator's place in the lifecycle")
struct AuthenticationOrderTests {
  let recorder = Recorder()

  private func send(_ authenticator: RecordingAuthenticator, _ steps: ProbeTransport.Step...) async throws
    -> String
  {
    var configuration = AgentConfiguration()
    configuration.authenticator = authenticator
    return try await RequestAgent.probing(recorder, steps, configuration: configuration).send(
      StageProbe(recorder: recorder))
  }

  private static let beforeTheWire = [
    "accessory.willStart", "accessory.attemptWillStart 1", "build", "request.filterRequest 1",
    "agent.filterRequest 1", "authenticate 1",
  ]

  private static func end(_ word: String) -> [String] {
    [
      "request.preprocess \(word)", "agent.preprocess \(word)", "accessory.willStop",
      "request.filter \(word)",
      "agent.filter \(word)", "request.completed \(word)", "agent.completed \(word)",
      "accessory.didStop \(word)",
    ]
  }

  private static let success = [
    "validate.head 1", "validate.body 1", "request.filterResponse 1", "agent.filterResponse 1", "decode 1",
    "accessory.attemptDidStop 1",
  ]

  @Test("The authenticator runs after the hooks, and accessories see its result")
  func success() async throws {
    #expect(try await send(RecordingAuthenticator(recorder: recorder), .answer(200)) == "ok")
    let sent = ["accessory.attemptWillSend 1", "transport"]
    #expect(recorder.events == Self.beforeTheWire + sent + Self.success + Self.end("success"))
  }

  @Test(
    "An authenticator's error ends the dispatch: nothing is announced, sent or retried, and no policy is called"
  )
  func failing() async throws {
    let authenticator = RecordingAuthenticator(recorder: recorder, failing: "authenticate")
    let error = try await #require(throws: RequestError.self) { try await send(authenticator, .answer(200)) }
    #expect(error.stage == .authenticate && error.kind == .authentication && error.attempts == 1)
    #expect(error.cause(as: ProbeError.self) == ProbeError(stage: "authenticate"))
    #expect(
      error.reason == #"RecordingAuthenticator threw ProbeError(stage: "authenticate")"#)
    #expect(
      recorder.events == Self.beforeTheWire + ["accessory.attemptDidStop 1"]
        + Self.end("failure authentication"))
  }

  @Test("A refusal calls the authenticator once, before the policy, and every stage runs again")
  func renewed() async throws {
    let authenticator = RecordingAuthenticator(recorder: recorder)
    let error = try await #require(throws: RequestError.self) { try await send(authenticator, .answer(401)) }
    #expect(error.status == 401 && error.kind == .status && error.attempts == 2)
    let second = Self.beforeTheWire.dropFirst().map { $0.replacing("1", with: "2") }
    #expect(
      recorder.events
        == Self.beforeTheWire + [
          "accessory.attemptWillSend 1", "transport", "renew status", "accessory.attemptDidStop 1",
        ] + second + [
          "accessory.attemptWillSend 2", "transport", "request.retryDecision status",
          "agent.retryDecision status",
          "accessory.attemptDidStop 2",
        ] + Self.end("failure status"))
  }

  @Test("An error of the authenticator after a refusal is final, with the refused response")
  func renewalFails() async throws {
    let authenticator = RecordingAuthenticator(recorder: recorder, failing: "renew")
    let error = try await #require(throws: RequestError.self) { try await send(authenticator, .answer(401)) }
    #expect(error.stage == .authenticate && error.kind == .authentication && error.status == 401)
    #expect(error.request?.headers["X-Signed"] == "yes")
    #expect(
      recorder.events
        == Self.beforeTheWire + [
          "accessory.attemptWillSend 1", "transport", "renew status", "accessory.attemptDidStop 1",
        ] + Self.end("failure authentication"))
  }

  @Test("The authenticator is called for failures of every kind, and the policy handles the rest")
  func otherFailures() async throws {
    let authenticator = RecordingAuthenticator(recorder: recorder)
    _ = try? await send(authenticator, .failure(TransportError(.connectionLost, "cut")))
    #expect(
      recorder.events.filter { $0.contains("renew") || $0.contains("retryDecision") } == [
        "renew connectionLost", "request.retryDecision connectionLost", "agent.retryDecision connectionLost",
      ])
  }

  @Test(
    "The authenticator's changes are checked like any request",
    arguments: [
      ("X-Key", "a\r\nX-Evil: 1", "the value of the header X-Key contains a line break or a NUL"),
      ("Host", "b", "the header Host frames the message and cannot be set"),
      ("X Key", "a", #"the header name "X…" is not a token"#),
    ])
  func checked(_ row: (String, String, String)) async throws {
    let authenticator = RecordingAuthenticator(recorder: recorder) { $0.headers[row.0] = row.1 }
    let error = try await #require(throws: RequestError.self) { try await send(authenticator, .answer(200)) }
    #expect(error.stage == .authenticate && error.kind == .invalidRequest && error.reason == row.2)
    #expect(!recorder.events.contains("transport"))
  }

  @Test("The authenticator's URL is checked")
  func url() async throws {
    let authenticator = RecordingAuthenticator(recorder: recorder) { $0.url = URL(string: "ftp://a")! }
    let error = try await #require(throws: RequestError.self) { try await send(authenticator, .answer(200)) }
    #expect(error.stage == .authenticate && error.kind == .invalidURL)
  }

  @Test("Requests without credentials, and requests with their own credentials, are sent unchanged")
  func choice() async throws {
    let service = TokenService()
    let agent = service.agent(BearerAuthenticator(token: "t1"))
    #expect(try await agent.send(GetUsers()) == "ok")
    await #expect(throws: RequestError.self) { try await agent.send(GetUsers(authentication: .none)) }
    let other = Authentication.with(BearerAuthenticator(token: "t2"))
    await #expect(throws: RequestError.self) { try await agent.send(GetUsers(authentication: other)) }
    await #expect(throws: RequestError.self) {
      try await agent.send(GetUsers().with(\.authentication, .none))
    }
    #expect(service.lines == ["GET /users t1", "GET /users -", "GET /users t2", "GET /users -"])
  }

  @Test("The authenticator sees the bytes of a replayable body, and no bytes of a one-shot body")
  func bodies() async throws {
    struct Digesting: Authenticator {
      func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
        var count = 0
        for try await chunk in request.body.replay ?? BodyStream(Data("once".utf8)) { count += chunk.count }
        request.headers["X-Length"] = "\(count)"
      }
    }
    let transport = FunctionTransport()
    var configuration = AgentConfiguration()
    configuration.authenticator = Digesting()
    let agent = RequestAgent(baseURL: "http://a", transport: transport, configuration: configuration)
    let chunk = Data("1234567".utf8)
    let chunks = AsyncStream<Data> {
      $0.yield(chunk); $0.finish()
    }
    for body in [
      RequestBody.none, .data(chunk), .json([1, 2]),
      .stream {
        AsyncStream {
          $0.yield(chunk + chunk); $0.finish()
        }
      },
      .stream(chunks),
    ] {
      try await agent.send(.post("x").with(\.body, body))
    }
    #expect(transport.requests.map { $0.headers["X-Length"] } == ["0", "7", "5", "14", "4"])
  }
}
