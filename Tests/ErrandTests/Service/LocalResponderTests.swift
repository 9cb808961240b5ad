import ErrandLogs
import ErrandMocks
import ErrandService
import Foundation
import Testing

@testable import Errand

@Suite("Hooks with responses in place of the server", .timeLimit(.minutes(5)))
struct LocalResponderTests {
  let recorder = Recorder()

  private func responder(
    _ name: String, _ respond: @escaping @Sendable (HTTPRequest) throws -> HTTPResponse?
  ) -> LocalResponder {
    LocalResponder(name) { [recorder] request, context in
      recorder.add("\(name) \(context.attempt) \(request.url.path)")
      return try respond(request)
    }
  }

  private func agent(
    _ hooks: [any RequestHooks], _ steps: [ProbeTransport.Step] = [.answer(200, "wire")],
    accessories: [any Accessory] = [], _ change: (inout AgentConfiguration) -> Void = { _ in }
  ) -> (RequestAgent, ProbeTransport) {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(TestClock(autoAdvances: true))
    configuration.jitter = { 0 }
    change(&configuration)
    let transport = ProbeTransport(recorder, steps)
    let agent = RequestAgent(
      baseURL: "https://api.example.com", transport: transport, hooks: hooks, accessories: accessories,
      configuration: configuration)
    return (agent, transport)
  }

  private static func text(_ text: String, _ status: HTTPResponse.Status = 200) -> HTTPResponse {
    HTTPResponse(status: status, body: Data(text.utf8))
  }

  @Test("The first response replaces the server, and all other stages run")
  func order() async throws {
    let hooks: [any RequestHooks] = [
      responder("flag") { _ in nil }, RecordingHooks(recorder: recorder),
      responder("cache") { _ in Self.text("local") }, responder("late") { _ in Self.text("late") },
    ]
    let (agent, transport) = agent(hooks, accessories: [RecordingAccessory(recorder: recorder)])
    let received = try await agent.response(for: .get("x", as: String.self))
    #expect(received.value == "local" && transport.requests.isEmpty)
    #expect(received.report.attempts.map(\.responder) == ["cache"])
    #expect(received.report.attempts.map(\.isMocked) == [false])
    #expect(received.report.attempts.map(\.sentCount) == [0])
    #expect(
      recorder.events == [
        "accessory.willStart", "accessory.attemptWillStart 1", "agent.filterRequest 1",
        "accessory.attemptWillSend 1", "flag 1 /x", "cache 1 /x", "agent.filterResponse 1",
        "accessory.attemptDidStop 1", "agent.preprocess success", "accessory.willStop",
        "agent.filter success", "agent.completed success", "accessory.didStop success",
      ])
  }

  @Test("Without a response, the request goes to the server")
  func passed() async throws {
    let (agent, transport) = agent([responder("flag") { _ in nil }])
    let received = try await agent.response(for: .get("x", as: String.self))
    #expect(received.value == "wire" && transport.requests.count == 1)
    #expect(received.report.attempts.map(\.responder) == [nil])
    #expect(received.report.attempts.map(\.sentCount) == [1])
  }

  @Test("A refused response is retried, and a later attempt may reach the server")
  func retried() async throws {
    let calls = Locked(0)
    let page = responder("maintenance page") { _ in
      calls.withLock { $0 += 1 }
      return calls.withLock { $0 } == 1 ? Self.text("closed", 503) : nil
    }
    let (agent, _) = agent([page]) { $0.retryBudget = RetryBudget(ratio: 0, minimumPerSecond: 0.1) }
    for _ in 0..<2 {
      calls.withLock { $0 = 0 }
      let received = try await agent.response(
        for: .get("x", as: String.self).with(\.retryPolicy, .upTo(1, backoff: .constant())))
      #expect(received.value == "wire")
      #expect(received.report.attempts.map(\.responder) == ["maintenance page", nil])
    }
  }

  @Test("The report, the log and the HAR comment name the hook, and a decoded report keeps the name")
  func told() async throws {
    let lines = Locked([String]())
    let log = ConsoleLogger { line in lines.withLock { $0.append(line) } }
    let (agent, _) = agent([responder("feature flag") { _ in Self.text("local") }], accessories: [log])
    let report = try await agent.response(for: .get("x", as: String.self)).report
    #expect(report.description.contains("answered by feature flag"))
    #expect(
      lines.withLock { $0 }.contains { $0.contains("200 OK, 5 bytes, 0.000 s (answered by feature flag)") })
    let decoded = try JSONDecoder().decode(ExchangeReport.self, from: JSONEncoder().encode(report))
    #expect(decoded.attempts.map(\.responder) == ["feature flag"])
    #expect(try await agent.explain(.get("x")).description.contains("responders: feature flag"))
  }

  private struct Odd: Error {}

  @Test("A thrown error fails the attempt, and names the hook")
  func thrown() async throws {
    let (agent, transport) = agent([
      responder("cache") { request in
        switch request.url.path {
        case "/odd": throw Odd()
        case "/refused": throw Refusal("switched off", kind: .init("flag"))
        default: throw TransportError(.connectionLost, "cut")
        }
      }
    ])
    var found: [String] = []
    for path in ["odd", "refused", "cut"] {
      let error = try await #require(throws: RequestError.self) { try await agent.send(.get(path)) }
      found.append(
        "\(error.kind) \(error.stage) \(error.reason) \(error.report?.attempts[0].responder ?? "")")
    }
    #expect(
      found == [
        "hook transport the responder cache threw Odd() cache", "flag transport switched off cache",
        "connectionLost transport cut cache",
      ])
    #expect(transport.requests.isEmpty)
  }

  @Test("Each redirect asks again, also a redirect of a hook")
  func redirects() async throws {
    let page = responder("router") { request in
      request.url.path == "/a" ? HTTPResponse(status: 307, headers: ["Location": "/b"]) : nil
    }
    let (agent, transport) = agent([page])
    let received = try await agent.response(for: .get("a", as: String.self))
    #expect(received.value == "wire")
    #expect(received.report.attempts.map(\.responder) == [nil])
    #expect(transport.requests.map(\.url.path) == ["/b"])
    #expect(recorder.events == ["router 1 /a", "router 1 /b", "transport"])
  }

  private struct Mocked: Request {
    typealias Response = String
    var path: String { "mocked" }
    var mockPolicy: MockPolicy { .always }
    func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse? {
      LocalResponderTests.text("mock")
    }
  }

  @Test("A hook responds before the request's mock, which stands for the server")
  func mocked() async throws {
    let (agent, _) = agent(
      [responder("flag") { [recorder] _ in recorder.events.count > 2 ? Self.text("local") : nil }]
    ) { $0.allowsMocks = true }
    let first = try await agent.response(for: Mocked())
    #expect(first.value == "mock" && first.report.attempts[0].isMocked)
    recorder.add("on")
    let second = try await agent.response(for: Mocked())
    #expect(second.value == "local" && !second.report.attempts[0].isMocked)
  }

  @Test("A response of a hook is not cached and sets no cookies, and the cache is asked after the hooks")
  func caching() async throws {
    let isOn = Locked(true)
    let page = responder("page") { _ in
      guard isOn.withLock({ $0 }) else { return nil }
      var response = Self.text("local")
      response.headers = ["Cache-Control": "max-age=600", "Set-Cookie": "a=1"]
      return response
    }
    let cookies = CookieStore()
    let (agent, transport) = agent([page], accessories: [RecordingAccessory(recorder: recorder)]) {
      ($0.cache, $0.cookies) = (.memory(), cookies)
    }
    let received = try await agent.response(for: .get("x", as: String.self))
    #expect(received.value == "local" && received.report.cache == nil)
    #expect(recorder.events.prefix(4).suffix(2) == ["page 1 /x", "accessory.attemptWillSend 1"])
    isOn.withLock { $0 = false }
    #expect(try await agent.send(.get("x", as: String.self)) == "wire")
    #expect(transport.requests.map { $0.headers["Cookie"] } == [nil])
  }

  @Test("Failures of a hook do not open the circuit")
  func circuit() async throws {
    let isOn = Locked(true)
    let page = responder("page") { _ in isOn.withLock { $0 } ? Self.text("closed", 503) : nil }
    let (agent, _) = agent([page], [.answer(503), .answer(503)]) {
      $0.circuitBreaker = CircuitBreaker(minimumRequests: 2)
    }
    var kinds: [RequestError.Kind] = []
    for number in 0..<6 {
      isOn.withLock { $0 = number < 3 }
      let error = try await #require(throws: RequestError.self) { try await agent.send(.get("x")) }
      kinds.append(error.kind)
    }
    #expect(kinds == [.status, .status, .status, .status, .status, .circuitOpen])
  }

  @Test("A stream and a download have the body of the response, and a data URL is not passed to hooks")
  func otherEnds() async throws {
    let (agent, _) = agent([responder("page") { _ in Self.text("local") }])
    var bytes = Data()
    for try await chunk in try await agent.stream(.get("s")).body { bytes += chunk }
    #expect(bytes == Data("local".utf8))
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("local-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try await agent.download(.get("d"), to: file)
    #expect(try Data(contentsOf: file) == Data("local".utf8))
    #expect(try await agent.send(.get("data:,inline", as: String.self)) == "inline")
    #expect(recorder.events == ["page 1 /s", "page 1 /d"])
  }

  @Test("A cancellation during the hook cancels the dispatch")
  func cancelled() async throws {
    let started = OneTime<Bool>()
    let page = LocalResponder("slow") { _, _ in
      started.set(true)
      try? await Task.sleep(for: .seconds(60))
      return HTTPResponse()
    }
    let (agent, transport) = agent([page])
    let task = Task { try await agent.send(.get("x")) }
    _ = try await started.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(transport.requests.isEmpty && agent.liveCount == 0)
  }
}
