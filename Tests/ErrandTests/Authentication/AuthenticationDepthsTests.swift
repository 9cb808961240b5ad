import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Authentication at three depths of mocking")
struct AuthenticationDepthsTests {
  /// The answer to the token request, and the result of the dispatch.
  static let scenes: [(MockAnswer, String)] = [
    (.text("t1"), "ok after 2, 3 sent"),
    (.status(400), "authentication at authenticate, 2 sent"),
    (.text("t2"), "status at validate, 3 sent"),
  ]

  struct Record: Equatable {
    var events: [String]
    var outcome: String
  }

  private func record(
    _ transport: (any Transport)?, base: String, sent: () -> Int
  ) async -> Record {
    let recorder = Recorder()
    var configuration = AgentConfiguration()
    configuration.authenticator = BearerAuthenticator.renewing(recorder: recorder)
    let agent = RequestAgent(
      baseURL: base, transport: transport, hooks: [RecordingHooks(recorder: recorder)],
      accessories: [RecordingAccessory(recorder: recorder)], configuration: configuration)
    do {
      let received = try await agent.response(for: GetUsers())
      let count = received.report.attempts.count
      return Record(events: recorder.events, outcome: "\(received.value) after \(count), \(sent()) sent")
    } catch {
      let error = error as? RequestError
      return Record(
        events: recorder.events,
        outcome: error.map { "\($0.kind) at \($0.stage), \(sent()) sent" } ?? "cancelled")
    }
  }

  @Test("An authenticator that does not renew leaves a refusal unchanged, and nothing is sent again")
  func noRenewal() async throws {
    let transport = FunctionTransport { _, _ in HTTPResponse(status: 401) }
    var configuration = AgentConfiguration()
    configuration.authenticator = APIKeyAuthenticator("k-1234567", query: "appid")
    let agent = RequestAgent(
      baseURL: "https://api.example", transport: transport, configuration: configuration)
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("x")) }
    #expect(error.status == 401 && transport.requests.count == 1)
  }

  @Test("Stubs, a transport's bytes and a server give the same events and outcome", arguments: scenes.indices)
  func same(_ index: Int) async throws {
    let (token, outcome) = Self.scenes[index]
    let typed = MockTransport([
      Stub(answering: GetUsers(), with: "ok").header("Authorization", "Bearer t1"),
      Stub(.get, "/users", answers: .status(401)), Stub(.post, "/token", answers: token),
    ])
    let bytes = MockTransport { request in
      if request.path == "/token" { return token }
      return request.headers["Authorization"] == "Bearer t1" ? .text("ok") : .status(401)
    }
    let server = try MockServer()
    defer { server.stop() }
    server.route(.post, "/token", answers: token)
    server.route(.get, "/users") { request in
      request.headers["Authorization"] == "Bearer t1" ? .text("ok") : .status(401)
    }
    let records = [
      await record(typed, base: "http://a") { typed.requests.count },
      await record(bytes, base: "http://a") { bytes.requests.count },
      await record(nil, base: server.baseURL.absoluteString) { server.requestCount },
    ]
    #expect(records.map(\.outcome) == Array(repeating: outcome, count: 3))
    #expect(records[0].events == records[1].events && records[1].events == records[2].events)
    #expect(records[0].events.contains("refresh t0"))
  }
}
