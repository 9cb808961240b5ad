import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("A request that mocks its own response")
struct MockPolicyTests {
  let recorder = Recorder()

  struct Profile: Request {
    typealias Response = String
    let recorder: Recorder
    var mockPolicy: MockPolicy = .always
    var retryPolicy: RetryPolicy = .none
    var answer: @Sendable (HTTPRequest) throws -> HTTPResponse? = { _ in
      HTTPResponse(body: Data("mocked".utf8))
    }

    var path: String { "profile" }

    func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
      recorder.add("filterRequest \(context.attempt)")
      request.headers["X-Filtered"] = "1"
    }
    func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse? {
      recorder.add(
        "mockResponse \(context.attempt) \(request.url.path) \(request.headers["X-Filtered"] ?? "")")
      return try answer(request)
    }
    func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {
      recorder.add("filterResponse \(context.attempt)")
      response.body.append(contentsOf: " and filtered".utf8)
    }
  }

  func agent(
    allowing isAllowed: Bool = true, _ steps: ProbeTransport.Step...
  ) -> (RequestAgent, ProbeTransport) {
    var configuration = AgentConfiguration()
    configuration.allowsMocks = isAllowed
    let transport = ProbeTransport(recorder, steps)
    let agent = RequestAgent(
      baseURL: "http://example.com", transport: transport,
      accessories: [RecordingAccessory(recorder: recorder)], configuration: configuration)
    return (agent, transport)
  }

  @Test("Always: the mock replaces the transport, and all other stages run")
  func always() async throws {
    let (agent, transport) = agent(.answer(500))
    let received = try await agent.response(for: Profile(recorder: recorder))
    #expect(received.value == "mocked and filtered")
    #expect(transport.requests.isEmpty)
    #expect(received.report.attempts.map(\.isMocked) == [true])
    #expect(
      recorder.events == [
        "accessory.willStart", "accessory.attemptWillStart 1", "filterRequest 1",
        "accessory.attemptWillSend 1", "mockResponse 1 /profile 1", "filterResponse 1",
        "accessory.attemptDidStop 1", "accessory.willStop", "accessory.didStop success",
      ])
  }

  @Test(
    "Without the agent's permission no policy mocks", arguments: [MockPolicy.always, .whenFailed])
  func notAllowed(_ policy: MockPolicy) async throws {
    let (agent, transport) = agent(allowing: false, .answer(404))
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(Profile(recorder: recorder, mockPolicy: policy))
    }
    #expect(error.status == 404 && error.attempts == 1)
    #expect(transport.requests.count == 1)
    #expect(!recorder.events.contains { $0.hasPrefix("mockResponse") })
    #expect(AgentConfiguration().allowsMocks == false)
    #expect(PlainRequest().mockPolicy.description == "never")
  }

  @Test("A nil mock gives the real response, and a request with the policy never is not asked")
  func none() async throws {
    let (agent, transport) = agent(.answer(200))
    #expect(try await agent.send(Profile(recorder: recorder) { _ in nil }) == "ok and filtered")
    #expect(try await agent.send(Profile(recorder: recorder, mockPolicy: .never)) == "ok and filtered")
    #expect(transport.requests.count == 2)
    #expect(recorder.events.filter { $0.hasPrefix("mockResponse") } == ["mockResponse 1 /profile 1"])
  }

  @Test("A mocked status is validated and retried like the server's, and so is a mocked network failure")
  func judged() async throws {
    let (agent, transport) = agent(.answer(200))
    let count = Locked(0)
    let request = Profile(recorder: recorder, retryPolicy: .upTo(3, backoff: .constant())) { _ in
      switch count.withLock({
        $0 += 1; return $0
      }) {
      case 1: HTTPResponse(status: 503)
      case 2: throw TransportError(.connectionLost, "cut")
      default: HTTPResponse(body: Data("third".utf8))
      }
    }
    let received = try await agent.response(for: request)
    #expect(received.value == "third and filtered")
    #expect(received.report.attempts.map(\.failure?.kind) == [.status, .connectionLost, nil])
    #expect(transport.requests.isEmpty)
  }

  @Test("A mocked redirect is followed, and each hop is mocked anew")
  func redirected() async throws {
    let (agent, _) = agent(.answer(500))
    let request = Profile(recorder: recorder) { request in
      request.url.path == "/profile"
        ? HTTPResponse(status: 302, headers: ["Location": "/other"])
        : HTTPResponse(body: Data(request.url.path.utf8))
    }
    #expect(try await agent.send(request) == "/other and filtered")
  }

  @Test("Another error of the mock is a failure of the named hook")
  func thrown() async throws {
    let (agent, _) = agent(.answer(200))
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(Profile(recorder: recorder) { _ in throw ProbeError(stage: "mock") })
    }
    #expect(error.kind == .hook && error.stage == .transport)
    #expect(error.reason == "mockResponse threw ProbeError(stage: \"mock\")")
    #expect(error.cause(as: ProbeError.self) == ProbeError(stage: "mock"))
  }

  @Test("When failed: a last attempt after the retries builds and sends nothing")
  func whenFailed() async throws {
    let (agent, transport) = agent(.answer(503), .answer(404))
    let request = Profile(
      recorder: recorder, mockPolicy: .whenFailed, retryPolicy: .upTo(1, backoff: .constant()))
    let received = try await agent.response(for: request)
    #expect(received.value == "mocked and filtered")
    #expect(transport.requests.count == 2)
    #expect(received.report.attempts.map(\.failure?.status?.code) == [503, 404, nil])
    #expect(received.report.attempts.map(\.isMocked) == [false, false, true])
    #expect(received.report.request?.url.path == "/profile")
    #expect(
      Array(recorder.events.suffix(11)) == [
        "accessory.attemptWillStart 2", "filterRequest 2", "accessory.attemptWillSend 2", "transport",
        "accessory.attemptDidStop 2", "mockResponse 2 /profile 1", "accessory.attemptWillStart 3",
        "filterResponse 3", "accessory.attemptDidStop 3", "accessory.willStop", "accessory.didStop success",
      ])
  }

  @Test("When failed: the default is 404, a condition can replace the default, and a success is not mocked")
  func condition() async throws {
    let (agent, _) = agent(.answer(500), .answer(500), .answer(200))
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(Profile(recorder: recorder, mockPolicy: .whenFailed))
    }
    #expect(error.status == 500)
    let conditional = Profile(recorder: recorder, mockPolicy: .whenFailed { $0.status == 500 })
    #expect(try await agent.send(conditional) == "mocked and filtered")
    #expect(try await agent.send(conditional) == "ok and filtered")
    #expect(recorder.events.filter { $0.hasPrefix("mockResponse") } == ["mockResponse 1 /profile 1"])
  }

  /// Decides about a retry for ten seconds.
  struct Slow: Request {
    typealias Response = String
    let recorder: Recorder
    let clock: TestClock
    let path = "slow"
    let mockPolicy = MockPolicy.whenFailed { _ in true }

    func retryDecision(
      for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
    ) async -> RetryPolicy.Decision {
      try? await clock.sleep(for: .seconds(10))
      return suggested
    }

    func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse? {
      recorder.add("mockResponse")
      return HTTPResponse(body: Data("mocked".utf8))
    }
  }

  @Test("When failed: after the deadline the mock is not asked, and the outcome is the passed deadline")
  func lateFallback() async throws {
    let clock = TestClock(autoAdvances: true)
    var configuration = AgentConfiguration()
    (configuration.allowsMocks, configuration.clock) = (true, AgentClock(clock))
    let transport = ProbeTransport(recorder, [.answer(404)])
    let agent = RequestAgent(
      baseURL: "http://example.com", transport: transport, configuration: configuration)
    let request = Slow(recorder: recorder, clock: clock)
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(request.with(\.deadline, .seconds(5)))
    }
    #expect(error.kind == .deadlineExceeded && error.attempts == 1)
    #expect(error.reason == "the dispatch took longer than its deadline, 5 s")
    #expect(recorder.events == ["transport"])
    #expect(try await agent.send(request.with(\.deadline, .seconds(50))) == "mocked")
    #expect(recorder.events == ["transport", "transport", "mockResponse"])
  }

  @Test("When failed: the mock is validated, is not retried or mocked again, and its failure is the outcome")
  func judgedFallback() async throws {
    let (agent, _) = agent(.answer(404))
    let request = Profile(
      recorder: recorder, mockPolicy: .whenFailed { _ in true }, retryPolicy: .upTo(0)
    ) { _ in HTTPResponse(status: 503) }
    let error = try await #require(throws: RequestError.self) { try await agent.send(request) }
    #expect(error.status == 503 && error.attempts == 2)

    let throwing = Profile(recorder: recorder, mockPolicy: .whenFailed) { _ in throw ProbeError(stage: "mock")
    }
    let thrown = try await #require(throws: RequestError.self) { try await agent.send(throwing) }
    #expect(thrown.reason == "mockResponse threw ProbeError(stage: \"mock\")" && thrown.attempts == 2)
    #expect(recorder.events.filter { $0.hasPrefix("mockResponse") }.count == 2)
    #expect(recorder.events.filter { $0.hasSuffix("willStop") }.count == 2)
  }

  @Test("When failed: without a mock the failure stays, as after a failed build")
  func stands() async throws {
    let (agent, _) = agent(.answer(404))
    let none = Profile(recorder: recorder, mockPolicy: .whenFailed) { _ in nil }
    let error = try await #require(throws: RequestError.self) { try await agent.send(none) }
    #expect(error.status == 404 && error.attempts == 1)
    let bad = Profile(recorder: recorder, mockPolicy: .whenFailed { _ in true })
    let unbuilt = try await #require(throws: RequestError.self) {
      try await agent.send(bad.with(\.path, "ftp://example.com"))
    }
    #expect(unbuilt.kind == .invalidURL && unbuilt.attempts == 1)
  }

  @Test("A stream is mocked in both modes, including trailers")
  func streams() async throws {
    let (agent, transport) = agent(.answer(404))
    let trailing: @Sendable (HTTPRequest) -> HTTPResponse = { _ in
      var response = HTTPResponse(headers: ["X-Mock": "1"], body: Data("mocked".utf8))
      response.trailers = ["X-End": "2"]
      return response
    }
    for policy in [MockPolicy.always, .whenFailed] {
      let response = try await agent.stream(
        Profile(recorder: recorder, mockPolicy: policy, answer: trailing))
      var text = ""
      for try await chunk in response.body { text += String(decoding: chunk, as: UTF8.self) }
      #expect(text == "mocked" && response.head.headers["X-Mock"] == "1")
      #expect(response.body.summary.trailers == ["X-End": "2"])
    }
    #expect(transport.requests.count == 1)
  }

  @Test(
    "A dispatch cancelled during its mock is cancelled",
    arguments: [MockPolicy.always, .whenFailed])
  func cancelled(_ policy: MockPolicy) async throws {
    let (agent, _) = agent(.answer(404))
    let request = Profile(recorder: recorder, mockPolicy: policy) { [agent] _ in
      agent.cancelAll()
      return HTTPResponse()
    }
    let error = try await #require(throws: RequestError.self) {
      try await agent.start(request).value
    }
    #expect(error.kind == .cancelled)
    #expect(recorder.events.suffix(2) == ["accessory.willStop", "accessory.didStop cancelled"])
    #expect(!recorder.events.contains { $0.hasPrefix("filterResponse") })
  }

  @Test("The log marks mocked responses")
  func logged() async throws {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(TestClock())
    configuration.allowsMocks = true
    let log = Recorder()
    let agent = RequestAgent(
      baseURL: "http://example.com", transport: FunctionTransport(),
      accessories: [ConsoleLogger { log.add($0) }], configuration: configuration)
    _ = try await agent.send(Profile(recorder: recorder))
    #expect(
      log.events == [
        "[1.1] > GET http://example.com/profile", "[1.1] < 200 OK, 19 bytes, 0.000 s (mocked)",
        "[1] = success, 1 attempt, 0.000 s",
      ])
  }

  @Test("The report says mocked only if the mock responded to the last request")
  func lastHop() async throws {
    let (agent, transport) = agent(.answer(200))
    let sent = Profile(recorder: recorder) { request in
      request.url.path == "/profile" ? HTTPResponse(status: 302, headers: ["Location": "/real"]) : nil
    }
    let received = try await agent.response(for: sent)
    #expect(received.value == "ok and filtered" && transport.requests.map(\.url.path) == ["/real"])
    #expect(received.report.attempts.map(\.isMocked) == [false])
  }
}
