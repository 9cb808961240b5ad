import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("The agent's times apply to requests without their own times", .timeLimit(.minutes(5)))
struct AgentTimesTests {
  private struct Own: Request {
    typealias Response = String
    let path = "own"
    var timeout: Duration = .seconds(60)
    var deadline: Duration? = .seconds(600)
  }

  /// Silent for half an hour by default.
  private static func agent(
    _ clock: TestClock, _ configuration: AgentConfiguration,
    _ answer: MockAnswer = .text("late").delayed(by: .seconds(1_800))
  ) -> RequestAgent {
    var configuration = configuration
    configuration.clock = AgentClock(clock)
    return RequestAgent.mocked(by: MockTransport(clock: clock) { _ in answer }, configuration: configuration)
  }

  private func reason(_ request: some Request, _ configuration: AgentConfiguration) async throws -> String {
    let agent = Self.agent(TestClock(autoAdvances: true), configuration)
    return try await #require(throws: RequestError.self) { _ = try await agent.send(request) }.reason
  }

  private static let silent = "there was no progress for"

  @Test(
    "The agent's timeout applies to quick calls and requests without a timeout, and a request's own timeout wins"
  )
  func timeout() async throws {
    let configuration = AgentConfiguration(timeout: .seconds(7))
    #expect(try await reason(.get("a"), configuration) == "\(Self.silent) 7.0 seconds")
    #expect(
      try await reason(.get("a").with(\.timeout, .seconds(3)), configuration) == "\(Self.silent) 3.0 seconds")
    // A request's own property counts even if its value is the default.
    #expect(try await reason(Own(deadline: nil), configuration) == "\(Self.silent) 60.0 seconds")
    #expect(try await reason(.get("a"), AgentConfiguration()) == "\(Self.silent) 60.0 seconds")
  }

  @Test(
    "The agent's deadline applies to requests without a deadline, and a call removes both deadlines"
  )
  func deadline() async throws {
    let configuration = AgentConfiguration(timeout: .seconds(900), deadline: .seconds(9))
    let over = "the dispatch took longer than its deadline,"
    #expect(try await reason(.get("a"), configuration) == "\(over) 9 s")
    #expect(try await reason(.get("a").with(\.deadline, .seconds(5)), configuration) == "\(over) 5 s")
    let own = Own(timeout: .seconds(900))
    #expect(try await reason(own, configuration) == "\(over) 600 s")
    #expect(
      try await reason(.get("a").with(\.deadline, nil), configuration) == "\(Self.silent) 900.0 seconds")
    #expect(try await reason(own.with(\.deadline, nil), configuration) == "\(Self.silent) 900.0 seconds")
    #expect(
      try await reason(own.with(\.deadline, nil).with(\.tag, 1), configuration)
        == "\(Self.silent) 900.0 seconds")
    // The last override of a member wins.
    let again = own.with(\.deadline, nil).with(\.deadline, .seconds(4))
    #expect(try await reason(again, configuration) == "\(over) 4 s")
  }

  @Test("An explanation shows the effective time and its source")
  func explained() async throws {
    func times(_ request: some Request, _ configuration: AgentConfiguration) async throws -> [String] {
      try await Self.agent(TestClock(), configuration).explain(request).settings
        .filter { ["timeout", "deadline"].contains($0.name) }.map { "\($0.name): \($0.value) (\($0.source))" }
    }
    let set = AgentConfiguration(timeout: .seconds(7), deadline: .seconds(9))
    let plain = AgentConfiguration()
    #expect(try await times(.get("a"), plain) == ["timeout: 60 s (default)", "deadline: none (default)"])
    #expect(try await times(.get("a"), set) == ["timeout: 7 s (agent)", "deadline: 9 s (agent)"])
    #expect(try await times(Own(), set) == ["timeout: 60 s (request)", "deadline: 600 s (request)"])
    let lifted = OneOffRequest.get("a").with(\.deadline, nil).with(\.timeout, .seconds(3))
    #expect(try await times(lifted, set) == ["timeout: 3 s (call)", "deadline: none (call)"])
  }

  @Test("Event streams have no end under the agent's deadline, and end at their request's own deadline")
  func events() async throws {
    let configuration = AgentConfiguration(timeout: .seconds(5), deadline: .seconds(9))
    let events = MockAnswer.events([ServerSentEvent("a"), ServerSentEvent("b")], gap: .seconds(60))
    func data(_ request: some Request) async -> (data: [String], kind: RequestError.Kind?) {
      let agent = Self.agent(TestClock(autoAdvances: true), configuration, events)
      let drained = await agent.serverSentEvents(of: request).drained()
      return (drained.elements.map(\.data), (drained.error as? RequestError)?.kind)
    }
    let all = await data(.post("events"))
    #expect(all.data == ["a", "b"] && all.kind == nil)
    let cut = await data(OneOffRequest<Void>.post("events").with(\.deadline, .seconds(30)))
    #expect(cut.data == ["a"] && cut.kind == .deadlineExceeded)
    // The agent's timeout applies to the time until the response head.
    let slow = Self.agent(TestClock(autoAdvances: true), configuration, events.delayed(by: .seconds(6)))
    let late = await slow.serverSentEvents(of: .post("events")).drained().error as? RequestError
    #expect(late?.kind == .timedOut, "\(String(describing: late))")
  }

  @Test("A request without a timeout reports 60 seconds")
  func unstated() {
    let own = OneOffRequest.get("a").timeout
    #expect(own.clampedNanoseconds == 60_000_000_000 && own != .seconds(60))
    #expect(own == Duration.unstatedTimeout)
  }

  @Test("A configuration is created with arguments, and omitted arguments have their defaults")
  func initializer() {
    let url = URL(string: "https://cdn.example")
    let made = AgentConfiguration(
      cdnURL: url, headers: ["A": "1"], userAgent: nil, retryPolicy: .upTo(2), timeout: .seconds(3),
      allowsMocks: true, maxRequestsPerOrigin: 4, maxRequests: 9, maxWaitingPerOrigin: 5,
      jitter: { 0.25 }, makeIdempotencyKey: { "k" })
    #expect(made.cdnURL == url && made.headers == ["A": "1"] && made.userAgent == nil)
    #expect(made.retryPolicy.limit == 2 && made.timeout == .seconds(3) && made.deadline == nil)
    #expect(made.allowsMocks && made.maxRequestsPerOrigin == 4 && made.jitter() == 0.25)
    #expect(made.makeIdempotencyKey() == "k" && made.maxRequests == 9 && made.maxWaitingPerOrigin == 5)
    let (plain, argued) = (AgentConfiguration(), AgentConfiguration(timeout: .seconds(60)))
    #expect(argued.userAgent == plain.userAgent && argued.acceptLanguage == plain.acceptLanguage)
    #expect(argued.redirectPolicy == plain.redirectPolicy && argued.cachePolicy == plain.cachePolicy)
    #expect(argued.maxRequests == 0 && argued.maxWaitingPerOrigin == nil)
    #expect(argued.limits == plain.limits && argued.maxRequestsPerOrigin == plain.maxRequestsPerOrigin)
    #expect(argued.retryBudget.ratio == plain.retryBudget.ratio && argued.retryPolicy.limit == 0)
  }
}
