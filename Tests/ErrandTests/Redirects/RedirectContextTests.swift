import Foundation
import Testing

@testable import Errand

@Suite("The context after a redirect to another origin")
struct RedirectContextTests {
  private struct Watched: Request {
    typealias Response = String
    let recorder: Recorder
    var mock: HTTPResponse?
    let path = "1"
    let mockPolicy = MockPolicy.whenFailed { _ in true }

    private func note(_ hook: String, _ context: RequestContext) {
      recorder.add("\(hook) \(context.attempt) \(context.hasLeftOrigin)")
    }

    func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
      note("filterRequest", context)
    }

    func retryDecision(
      for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
    ) async -> RetryPolicy.Decision {
      note("retryDecision", context)
      return context.attempt == 1 ? .retry : .stop
    }

    func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse? {
      note("mockResponse", context)
      return mock
    }

    func preprocess(_ outcome: Outcome<String>, context: RequestContext) async { note("preprocess", context) }

    func filter(_ outcome: Outcome<String>, context: RequestContext) async -> Outcome<String> {
      note("filter", context)
      return outcome
    }

    func completed(_ outcome: Outcome<String>, context: RequestContext) async { note("completed", context) }
  }

  private struct Watching: Accessory {
    let recorder: Recorder

    private func note(_ event: String, _ context: RequestContext) {
      recorder.add("\(event) \(context.attempt) \(context.hasLeftOrigin)")
    }

    func attemptWillStart(_ context: RequestContext) async { note("attemptWillStart", context) }
    func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async {
      note("attemptDidStop", context)
    }
    func requestWillStop(_ context: RequestContext) async { note("requestWillStop", context) }
    func requestDidStop(_ report: ExchangeReport, context: RequestContext) async {
      note("requestDidStop", context)
    }
  }

  /// `answer` gets the number of the request from 1.
  private func events(
    mock: HTTPResponse? = nil, _ answer: @escaping @Sendable (HTTPRequest, Int) -> HTTPResponse
  ) async -> [String] {
    let recorder = Recorder()
    var configuration = AgentConfiguration()
    configuration.allowsMocks = true
    let agent = RequestAgent(
      baseURL: "https://a", transport: FunctionTransport { answer($0, $1) },
      accessories: [Watching(recorder: recorder)], configuration: configuration)
    _ = try? await agent.send(Watched(recorder: recorder, mock: mock))
    return recorder.events
  }

  private static let leaving: @Sendable (HTTPRequest, Int) -> HTTPResponse = { request, _ in
    request.url.host == "a"
      ? HTTPResponse(status: 302, headers: ["Location": "https://b/2"]) : HTTPResponse(status: 503)
  }

  private static let attempts = [
    "attemptWillStart 1 false", "filterRequest 1 false", "filterRequest 1 true", "retryDecision 1 true",
    "attemptDidStop 1 true", "attemptWillStart 2 false", "filterRequest 2 false", "filterRequest 2 true",
    "retryDecision 2 true", "attemptDidStop 2 true", "mockResponse 2 true",
  ]

  @Test("The hooks and events after an attempt see the attempt's value, and outcome hooks the last attempt's")
  func failed() async {
    #expect(
      await events(Self.leaving)
        == Self.attempts + [
          "preprocess 2 true", "requestWillStop 2 true", "filter 2 true", "completed 2 true",
          "requestDidStop 2 true",
        ])
  }

  @Test("A mock after a failure keeps the value of the failed attempt")
  func mocked() async {
    #expect(
      await events(mock: HTTPResponse(body: Data("mocked".utf8)), Self.leaving)
        == Self.attempts + [
          "attemptWillStart 3 true", "attemptDidStop 3 true", "preprocess 3 true", "requestWillStop 3 true",
          "filter 3 true", "completed 3 true", "requestDidStop 3 true",
        ])
  }

  @Test("A later attempt that stays at its origin has its own value")
  func stayed() async {
    let events = await events { request, number in
      number < 3 ? Self.leaving(request, number) : HTTPResponse(body: Data("here".utf8))
    }
    #expect(
      events.suffix(7) == [
        "filterRequest 2 false", "attemptDidStop 2 false", "preprocess 2 false", "requestWillStop 2 false",
        "filter 2 false", "completed 2 false", "requestDidStop 2 false",
      ])
  }
}
