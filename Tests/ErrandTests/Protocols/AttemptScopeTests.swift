import ErrandMocks
import Foundation
import Testing

@testable import Errand
@testable import ErrandTelemetry

@Suite("The scope around an attempt")
struct AttemptScopeTests {
  @TaskLocal static var path: [String] = []

  struct Named: AttemptScope {
    let name: String
    let recorder: Recorder
    func withAttempt(_ context: RequestContext, run attempt: () async -> AttemptReport) async {
      recorder.add("\(name) begins \(context.attempt)")
      let report = await AttemptScopeTests.$path.withValue(AttemptScopeTests.path + [name]) {
        await attempt()
      }
      let count = report.attributes().values.count
      recorder.add(
        "\(name) ends \(report.number): \(report.outcome.word), \(report.resendCount), \(count > 4)")
    }
    func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
      request.headers[name] = AttemptScopeTests.path.joined(separator: ".")
    }
    func preprocess<Value>(_ outcome: Outcome<Value>, context: RequestContext) async {
      recorder.add("\(name) preprocess in \(AttemptScopeTests.path)")
    }
  }

  static func agent(_ hooks: [any RequestHooks], _ transport: any Transport) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(TestClock(autoAdvances: true))
    return RequestAgent(
      baseURL: "https://mocked.example", transport: transport, hooks: hooks, configuration: configuration)
  }

  @Test(
    "Each attempt runs in all scopes, the first outermost, with the caller's task locals, including redirects"
  )
  func order() async throws {
    let recorder = Recorder()
    let transport = FunctionTransport { request, number in
      recorder.add("\(request.headers["a"] ?? "") \(request.headers["b"] ?? "") wire \(Self.path)")
      return switch number {
      case 1: HTTPResponse(status: 503)
      case 2: HTTPResponse(status: 302, headers: ["Location": "/b"])
      default: HTTPResponse(body: Data("ok".utf8))
      }
    }
    let agent = Self.agent(
      [Named(name: "a", recorder: recorder), Named(name: "b", recorder: recorder)], transport)
    let value = try await Self.$path.withValue(["caller"]) {
      try await agent.send(.get("x", as: String.self).with(\.retryPolicy, .upTo(1)))
    }
    #expect(value == "ok")
    let inside = #"["caller", "a", "b"]"#
    #expect(
      recorder.events == [
        "a begins 1", "b begins 1", "caller.a.b caller.a.b wire \(inside)",
        "b ends 1: failure status, 0, true", "a ends 1: failure status, 0, true",
        "a begins 2", "b begins 2", "caller.a.b caller.a.b wire \(inside)",
        "caller.a.b caller.a.b wire \(inside)",
        "b ends 2: success, 2, true", "a ends 2: success, 2, true",
        #"a preprocess in ["caller"]"#, #"b preprocess in ["caller"]"#,
      ])
  }

  @Test(
    "A scope that calls twice sends once, and a scope that does not call does not prevent sending",
    arguments: [0, 2])
  func calls(times: Int) async throws {
    struct Odd: AttemptScope {
      let times: Int
      let recorder: Recorder
      func withAttempt(_ context: RequestContext, run attempt: () async -> AttemptReport) async {
        for _ in 0..<times { recorder.add("\(await attempt().number)") }
      }
    }
    let (recorder, transport) = (
      Recorder(), FunctionTransport { _, _ in HTTPResponse(body: Data("ok".utf8)) }
    )
    let agent = Self.agent(
      [Odd(times: times, recorder: recorder), Named(name: "in", recorder: recorder)], transport)
    #expect(try await agent.send(.get("x", as: String.self)) == "ok")
    #expect(transport.requests.count == 1)
    #expect(recorder.events.filter { $0 == "1" }.count == times)
    #expect(recorder.events.filter { $0.hasPrefix("in ") }.count == 3)
  }

  @Test(
    "A stream's scope ends with its head, and a started dispatch has the caller's task locals"
  )
  func ways() async throws {
    let recorder = Recorder()
    let transport = FunctionTransport { request, _ in
      if request.url.path == "/cancel" {
        withUnsafeCurrentTask { $0?.cancel() }
        throw CancellationError()
      }
      return HTTPResponse(body: Data("ok".utf8))
    }
    let agent = Self.agent([Named(name: "a", recorder: recorder)], transport)
    let stream = try await agent.stream(.get("s"))
    #expect(recorder.events == ["a begins 1", "a ends 1: success, 0, true"])
    for try await _ in stream.body {}
    let handle = Self.$path.withValue(["caller"]) { agent.start(.get("h", as: Data.self)) }
    _ = try await handle.value
    #expect(transport.requests.last?.headers["a"] == "caller.a")
    await Task { _ = try? await agent.send(.get("cancel")) }.value
    #expect(recorder.events.contains("a ends 1: cancelled, 0, true"))
  }
}
