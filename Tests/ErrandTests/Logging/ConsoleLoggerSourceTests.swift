import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Sources of responses in the console log")
struct ConsoleLoggerSourceTests {
  private let recorder = Recorder()

  private func agent(
    _ clock: TestClock, _ level: ConsoleLogger.Level = .line, cache: ResponseCache? = nil,
    answer: @escaping @Sendable (ReceivedRequest) throws -> MockAnswer
  ) -> RequestAgent {
    let configuration = AgentConfiguration(
      userAgent: nil, acceptLanguage: nil, cache: cache, clock: AgentClock(clock, date: CacheBench.epoch))
    return RequestAgent(
      baseURL: "https://api.example.com", transport: MockTransport(clock: clock, answer: answer),
      accessories: [ConsoleLogger(level: level) { [recorder] in recorder.add($0) }],
      configuration: configuration)
  }

  private var answers: [String] { recorder.events.filter { $0.contains("] < ") } }

  @Test(
    "A cache hit is logged with its request, a 304 is a revalidation, and a stale response is named")
  func cached() async throws {
    let clock = TestClock()
    let agent = agent(clock, cache: MemoryCache()) { request in
      if request.number == 3 { return .status(500) }
      let answer = MockAnswer.text("hello").header("Cache-Control", "max-age=60, stale-if-error=600")
        .header("ETag", "\"1\"")
      return request.headers["If-None-Match"] == nil
        ? answer : MockAnswer.status(304).header("Cache-Control", "max-age=60, stale-if-error=600")
    }
    let request = OneOffRequest.get("a?token=abc", as: String.self).with(\.comment, "start page")
    _ = try await agent.send(request)
    _ = try await agent.send(request)
    await clock.advance(by: .seconds(90))
    _ = try await agent.send(request)
    await clock.advance(by: .seconds(90))
    _ = try await agent.send(request)
    #expect(
      answers == [
        "[1.1] < 200 OK, 5 bytes, 0.000 s",
        "[2.1] < 200 OK, 5 bytes, 0.000 s, from cache: GET https://api.example.com/a?token=<redacted> (start page)",
        "[3.1] < 200 OK, 5 bytes, 0.000 s, revalidated",
        "[4.1] < 200 OK, 5 bytes, 0.000 s, from cache, stale: GET https://api.example.com/a?token=<redacted> (start page)",
      ])
  }

  @Test("A followed redirect is logged between the two sendings, with redacted secrets")
  func redirected() async throws {
    let agent = agent(TestClock()) { request in
      switch request.path {
      case "/a": .status(302).header("Location", "/b?token=abc")
      case "/b": .status(307).header("Location", "https://other.example/c#part")
      default: .text("there")
      }
    }
    _ = try await agent.send(.get("a"))
    #expect(
      recorder.events == [
        "[1.1] > GET https://api.example.com/a",
        "[1.1] < 302 Found → https://api.example.com/b?token=<redacted>",
        "[1.1] > GET https://api.example.com/b?token=<redacted>",
        "[1.1] < 307 Temporary Redirect → https://other.example/c#part",
        "[1.1] > GET https://other.example/c",
        "[1.1] < 200 OK, 5 bytes, 0.000 s",
        "[1] = success, 1 attempt, 0.000 s",
      ])
  }

  @Test(
    "A redirect without a following request is logged before the failure, once per attempt, at every level"
  )
  func unsent() async throws {
    struct Refusing: RequestHooks {
      struct Refused: Error {}
      func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
        if request.url.path == "/b", context.attempt == 1 { throw Refused() }
      }
      func retryDecision(
        for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
      ) async -> RetryPolicy.Decision { context.attempt == 1 ? .retry : .stop }
    }
    let agent = RequestAgent(
      baseURL: "https://api.example.com",
      transport: MockTransport { request in
        request.path == "/a" ? .status(302).header("Location", "/b") : .status(204)
      }, hooks: [Refusing()],
      accessories: [
        ConsoleLogger(level: .off) { _ in }, ConsoleLogger { [recorder] in recorder.add($0) },
      ], configuration: AgentConfiguration(clock: AgentClock(TestClock(autoAdvances: true))))
    _ = try await agent.send(.get("a"))
    let lines = recorder.events.filter { !$0.contains("] ! ") }
    #expect(
      lines == [
        "[1.1] > GET https://api.example.com/a", "[1.1] < 302 Found → https://api.example.com/b",
        "[1.2] > GET https://api.example.com/a", "[1.2] < 302 Found → https://api.example.com/b",
        "[1.2] > GET https://api.example.com/b", "[1.2] < 204 No Content, 0 bytes, 0.000 s",
        "[1] = success, 2 attempts, 0.000 s",
      ])
  }
}
