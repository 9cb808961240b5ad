import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Schemes with several rounds", .timeLimit(.minutes(5)))
struct AuthenticationRoundsTests {
  /// Answers each challenge with the challenge's token, stored by dispatch.
  private final class StepAuthenticator: Authenticator {
    let maximumRounds: Int
    let rounds = Recorder()
    private let tokens = Locked<[UInt64: String]>([:])

    init(maximumRounds: Int) { self.maximumRounds = maximumRounds }

    func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
      let token = tokens.withLock { $0.removeValue(forKey: context.dispatch.id) }
      rounds.add("sign \(context.round)")
      if let token { request.headers["Authorization"] = "Step \(token)" }
    }

    func renew(after failure: RequestError, context: Authentication.Context) async throws -> Bool {
      guard let challenge = failure.challenges.first(where: { $0.scheme == "Step" }) else { return false }
      rounds.add("renew \(context.round)")
      tokens.withLock { $0[context.dispatch.id] = challenge.token68 }
      return true
    }
  }

  private func service(steps: Int) -> FunctionTransport {
    FunctionTransport { request, _ in
      let sent = request.headers["Authorization"].flatMap { $0.split(separator: " ").last }
      let step = sent.flatMap { Int($0.dropFirst()) } ?? 0
      if step == steps { return HTTPResponse(body: Data("in".utf8)) }
      return HTTPResponse(status: 401, headers: ["WWW-Authenticate": "Step t\(step + 1)"])
    }
  }

  private func agent(
    _ transport: FunctionTransport, _ authenticator: any Authenticator, retry: RetryPolicy = .none
  ) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.authenticator = authenticator
    configuration.retryPolicy = retry
    configuration.clock = AgentClock(TestClock())
    return RequestAgent(baseURL: "https://a", transport: transport, configuration: configuration)
  }

  @Test("Each round answers the newest challenge, and knows its number")
  func steps() async throws {
    let (transport, authenticator) = (service(steps: 2), StepAuthenticator(maximumRounds: 2))
    let received = try await agent(transport, authenticator).response(for: .get("x", as: String.self))
    #expect(received.value == "in")
    #expect(transport.requests.map { $0.headers["Authorization"] ?? "-" } == ["-", "Step t1", "Step t2"])
    #expect(authenticator.rounds.events == ["sign 0", "renew 0", "sign 1", "renew 1", "sign 2"])
    #expect(received.report.attempts.map(\.retry?.source) == [.authenticator, .authenticator, nil])
  }

  @Test(
    "The number of rounds is limited to one to three, and the error has the last challenge",
    arguments: [(-1, 1), (0, 1), (1, 1), (2, 2), (3, 3), (100, 3), (Int.max, 3)])
  func bounds(_ maximum: Int, _ rounds: Int) async throws {
    let transport = service(steps: .max)
    let agent = agent(transport, StepAuthenticator(maximumRounds: maximum))
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("x")) }
    #expect(error.status == 401 && transport.requests.count == rounds + 1)
    #expect(error.challenges.map(\.token68) == ["t\(rounds + 1)"])
    #expect(error.report?.attempts.count == rounds + 1)
  }

  @Test("An authenticator without a number of rounds has one round")
  func standard() {
    struct Silent: Authenticator {
      func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {}
    }
    #expect(Silent().maximumRounds == 1 && BearerAuthenticator(token: "t").maximumRounds == 1)
  }

  @Test("Rounds do not count as retries of the policy, nor retries as rounds")
  func retries() async throws {
    let transport = FunctionTransport { request, number in
      switch number {
      case 1, 3: HTTPResponse(status: 401, headers: ["WWW-Authenticate": "Step t\(number)"])
      case 2, 4: HTTPResponse(status: 503)
      default: HTTPResponse(body: Data("in".utf8))
      }
    }
    var policy = RetryPolicy.upTo(2)
    policy.backoff = .constant()
    let agent = agent(transport, StepAuthenticator(maximumRounds: 2), retry: policy)
    let received = try await agent.response(for: .get("x", as: String.self))
    #expect(
      received.report.attempts.map(\.retry?.source) == [
        .authenticator, .policy, .authenticator, .policy, nil,
      ])
  }

  @Test("Concurrent dispatches keep their rounds separate")
  func concurrent() async throws {
    let (transport, authenticator) = (service(steps: 3), StepAuthenticator(maximumRounds: 3))
    let agent = agent(transport, authenticator)
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<50 { group.addTask { try await agent.send(.get("x", as: String.self)) } }
      for try await text in group { #expect(text == "in") }
    }
    #expect(transport.requests.count == 200)
  }

  @Test("A one-shot body ends the rounds, with an error that says so")
  func once() async throws {
    let transport = service(steps: 2)
    let agent = agent(transport, StepAuthenticator(maximumRounds: 2))
    let body = RequestBody.stream(AsyncStream { $0.finish() }, length: nil)
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(.post("x", body: body))
    }
    #expect(
      error.reason.hasSuffix("but the body can be produced only once, so the request is not sent again"))
    #expect(transport.requests.count == 1)
  }
}
