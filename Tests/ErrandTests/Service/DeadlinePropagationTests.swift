import ErrandMocks
import ErrandService
import Foundation
import Testing

@testable import Errand

@Suite("Deadlines that are passed on", .timeLimit(.minutes(5)))
struct DeadlinePropagationTests {
  typealias Step = @Sendable (HTTPRequest, Int) async throws -> HTTPResponse

  let clock = TestClock(autoAdvances: true)

  /// Sends a request of another agent at chosen moments.
  struct Nesting: RequestHooks {
    let recorder: Recorder
    let inner: RequestAgent
    var moments: Set<String> = []
    var wait: Duration = .zero
    var clock: TestClock?
    var deadline: Duration?

    private func nest(_ moment: String) async {
      guard moments.contains(moment) else { return }
      if wait > .zero { try? await clock?.sleep(for: wait) }
      var request = OneOffRequest.get("inner").with(\.comment, moment)
      if let deadline { request = request.with(\.deadline, deadline) }
      do {
        try await inner.send(request)
        recorder.add("\(moment): sent")
      } catch {
        recorder.add("\(moment): \((error as? RequestError)?.reason ?? "\(error)")")
      }
    }

    func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
      await nest("filterRequest")
    }
    func retryDecision(
      for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
    ) async -> RetryPolicy.Decision {
      await nest("retryDecision")
      return suggested
    }
    func filter<Value>(_ outcome: Outcome<Value>, context: RequestContext) async -> Outcome<Value> {
      await nest("filter")
      return outcome
    }
  }

  private func configuration(
    _ header: DeadlinePropagation.Header? = nil, isOn: Bool = true
  ) -> AgentConfiguration {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    configuration.jitter = { 0 }
    if isOn { configuration.deadlinePropagation = DeadlinePropagation(header: header) }
    return configuration
  }

  private func agent(
    _ configuration: AgentConfiguration, hooks: [any RequestHooks] = [], _ answer: @escaping Step
  ) -> (RequestAgent, FunctionTransport) {
    let transport = FunctionTransport(answer)
    return (
      RequestAgent(
        baseURL: "https://api.example.com", transport: transport, hooks: hooks, configuration: configuration),
      transport
    )
  }

  /// Never answers in time.
  private func slow(isOn: Bool = true) -> RequestAgent {
    var settings = configuration(isOn: isOn)
    settings.deadline = isOn ? nil : .seconds(50)
    let transport = MockTransport(clock: clock) { _ in .text("late").delayed(by: .seconds(1_000)) }
    return RequestAgent(
      baseURL: "https://api.example.com", transport: transport, configuration: settings)
  }

  @Test("A nested dispatch inherits the rest of the deadline")
  func inherited() async throws {
    let recorder = Recorder()
    let nesting = Nesting(
      recorder: recorder, inner: slow(), moments: ["filterRequest"], wait: .seconds(2), clock: clock)
    let (outer, _) = agent(configuration(), hooks: [nesting]) { _, _ in HTTPResponse() }
    let error = try await #require(throws: RequestError.self) {
      try await outer.send(.get("outer").with(\.deadline, .seconds(5)))
    }
    #expect(error.reason == "the dispatch took longer than its deadline, 5 s")
    let text = "the dispatch took longer than the remaining 3 s of the deadline around it"
    #expect(recorder.events == ["filterRequest: \(text)"])
    #expect(clock.now.offset == .seconds(5))
  }

  @Test("A nested dispatch with a shorter deadline keeps its own")
  func shorter() async throws {
    let recorder = Recorder()
    let nesting = Nesting(
      recorder: recorder, inner: slow(), moments: ["filterRequest"], deadline: .seconds(1))
    let (outer, _) = agent(configuration(), hooks: [nesting]) { _, _ in HTTPResponse() }
    try await outer.send(.get("outer").with(\.deadline, .seconds(5)))
    #expect(recorder.events == ["filterRequest: the dispatch took longer than its deadline, 1 s"])
  }

  @Test("Hooks between attempts and outcome hooks are in the deadline too, and the completion is not")
  func hooks() async throws {
    let recorder = Recorder()
    let inner = agent(configuration(.milliseconds("T"))) { request, _ in
      recorder.add(request.headers["T"] ?? "none")
      return HTTPResponse()
    }.0
    let nesting = Nesting(recorder: recorder, inner: inner, moments: ["retryDecision", "filter"])
    let (outer, _) = agent(configuration(), hooks: [nesting]) { _, number in
      HTTPResponse(status: number == 1 ? 503 : 200)
    }
    let done = OneTime<Bool>()
    let request = OneOffRequest.get("outer").with(\.deadline, .seconds(9))
      .with(\.retryPolicy, .upTo(1, backoff: .constant(.seconds(4))))
    outer.start(request) { _ in
      recorder.add("completion: \(AmbientDeadline.current == nil)")
      done.set(true)
    }
    _ = try await done.wait()
    #expect(
      recorder.events == [
        "9000", "retryDecision: sent", "5000", "filter: sent", "completion: true",
      ])
  }

  @Test("Without a propagation in both agents, nothing is inherited", arguments: [true, false])
  func off(outerIsOn: Bool) async throws {
    let recorder = Recorder()
    let nesting = Nesting(
      recorder: recorder, inner: slow(isOn: !outerIsOn), moments: ["filterRequest"],
      deadline: outerIsOn ? nil : .seconds(50))
    let (outer, transport) = agent(configuration(isOn: outerIsOn), hooks: [nesting]) { _, _ in HTTPResponse()
    }
    _ = try? await outer.send(.get("outer").with(\.deadline, .seconds(5)))
    #expect(recorder.events == ["filterRequest: the dispatch took longer than its deadline, 50 s"])
    #expect(transport.requests.allSatisfy { $0.headers["Request-Timeout"] == nil })
  }

  @Test("Each attempt and each redirect tells the server the remaining time, and the authenticator sees it")
  func header() async throws {
    struct Signing: Authenticator {
      func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
        request.headers["Signed"] = request.headers["Request-Timeout"] ?? "none"
      }
    }
    var settings = configuration(.milliseconds("Request-Timeout"))
    settings.authenticator = Signing()
    let (agent, transport) = agent(settings) { [clock] request, number in
      try await clock.sleep(for: .milliseconds(500))
      return number == 1
        ? HTTPResponse(status: 503)
        : number == 2 ? HTTPResponse(status: 307, headers: ["Location": "/b"]) : HTTPResponse()
    }
    try await agent.send(
      .get("a").with(\.deadline, .seconds(10))
        .with(\.retryPolicy, .upTo(1, backoff: .constant(.seconds(4)))))
    #expect(transport.requests.map { $0.headers["Request-Timeout"] } == ["10000", "5500", "5000"])
    #expect(transport.requests.map { $0.headers["Signed"] } == ["10000", "5500", "5000"])
  }

  @Test("A request with the field keeps it, a dispatch without a deadline and another origin get none")
  func exceptions() async throws {
    let (agent, transport) = agent(configuration(.milliseconds("Request-Timeout"))) { request, _ in
      request.url.path == "/away"
        ? HTTPResponse(status: 307, headers: ["Location": "https://other.example/b"]) : HTTPResponse()
    }
    let own = OneOffRequest.get("own").with(\.headers, ["request-timeout": "7"])
    try await agent.send(own.with(\.deadline, .seconds(10)))
    try await agent.send(.get("none"))
    try await agent.send(.get("away").with(\.deadline, .seconds(10)))
    try await agent.send(.get("https://third.example/c").with(\.deadline, .seconds(10)))
    #expect(
      transport.requests.map { "\($0.url.path) \($0.headers["Request-Timeout"] ?? "none")" } == [
        "/own 7", "/none none", "/away 10000", "/b none", "/c none",
      ])
  }

  @Test("The time is told after the wait for a slot")
  func queued() async throws {
    let clock = TestClock()
    let gate = GateTransport()
    var settings = AgentConfiguration()
    settings.clock = AgentClock(clock)
    settings.maxRequestsPerOrigin = 1
    settings.deadlinePropagation = DeadlinePropagation(header: .milliseconds("T"))
    let recorder = Recorder()
    let agent = RequestAgent(
      baseURL: "https://api.example.com", transport: gate,
      accessories: [EventAccessory(willSend: { request, _ in recorder.add(request.headers["T"] ?? "none") })],
      configuration: settings)
    let first = agent.start(.get("1"))
    await gate.waitForStarts(1)
    let second = await agent.startWaiting(.get("2").with(\.deadline, .seconds(10)))
    await clock.advance(by: .seconds(3))
    gate.open()
    try await first.value
    try await second.value
    #expect(recorder.events == ["none", "7000"])
  }

  @Test("A shared refresh inherits no deadline")
  func refresh() async throws {
    struct Renew: Request {
      typealias Response = String
      var path: String { "token" }
      var authentication: Authentication { .none }
    }
    var settings = configuration(.milliseconds("T"))
    settings.authenticator = BearerAuthenticator(BearerAuthenticator.Credential(accessToken: "old")) {
      BearerAuthenticator.Credential(accessToken: try await $1.send(Renew()))
    }
    let (agent, transport) = agent(settings) { request, _ in
      request.url.path == "/token"
        ? HTTPResponse(body: Data("new".utf8))
        : HTTPResponse(status: request.headers["Authorization"] == "Bearer new" ? 200 : 401)
    }
    try await agent.send(.get("x").with(\.deadline, .seconds(10)))
    #expect(
      transport.requests.map { "\($0.url.path) \($0.headers["T"] ?? "none")" } == [
        "/x 10000", "/token none", "/x 10000",
      ])
  }

  @Test("A deadline of code counts for the dispatches within, and the earlier of two deadlines counts")
  func code() async throws {
    let (agent, transport) = agent(configuration(.milliseconds("T"))) { _, _ in HTTPResponse() }
    let clock = AgentClock(clock)
    try await DeadlinePropagation.withDeadline(.seconds(8), clock: clock) {
      try await agent.send(.get("1"))
      try await agent.send(.get("2").with(\.deadline, nil))
      try await DeadlinePropagation.withDeadline(.seconds(20), clock: clock) {
        try await agent.send(.get("3"))
      }
      try await DeadlinePropagation.withDeadline(nil, clock: clock) { try await agent.send(.get("4")) }
      try await DeadlinePropagation.withoutDeadline { try await agent.send(.get("5")) }
      for try await _ in try await agent.stream(.get("6")).body {}
    }
    #expect(transport.requests.map { $0.headers["T"] } == ["8000", "8000", "8000", "8000", nil, "8000"])
  }

  @Test("A dispatch after the end of the deadline around it sends nothing")
  func late() async throws {
    let (agent, transport) = agent(configuration()) { _, _ in HTTPResponse() }
    let error = try await #require(throws: RequestError.self) {
      try await DeadlinePropagation.withDeadline(.seconds(-1), clock: AgentClock(clock)) {
        try await agent.send(.get("x"))
      }
    }
    #expect(
      error.reason == "the dispatch took longer than the remaining 0 s of the deadline around it")
    #expect(error.kind == .deadlineExceeded && transport.requests.isEmpty)
  }

  @Test("An explanation has the inherited deadline and the field of the agent")
  func explained() async throws {
    let (agent, transport) = agent(configuration(.seconds("T"))) { _, _ in HTTPResponse() }
    let text = try await DeadlinePropagation.withDeadline(.milliseconds(1_500), clock: AgentClock(clock)) {
      try await agent.explain(.get("x")).description
    }
    #expect(text.contains("T: 1.5 "))
    #expect(text.split(separator: "\n").contains { $0.hasPrefix("deadline: 1.5 s") })
    #expect(text.split(separator: "\n").contains { $0.contains("T: 1.5") && $0.hasSuffix("(agent)") })
    #expect(transport.requests.isEmpty)
  }

  @Test("A field with an invalid name fails the request")
  func invalid() async throws {
    let (agent, transport) = agent(configuration(.milliseconds("no token"))) { _, _ in HTTPResponse() }
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(.get("x").with(\.deadline, .seconds(1)))
    }
    #expect(error.kind == .invalidRequest && transport.requests.isEmpty)
  }

  @Test(
    "Each format is written, rounded down but not to 0",
    arguments: [
      (DeadlinePropagation.Header.milliseconds("T"), ["1", "1", "420", "60000", "999999999"]),
      (.seconds("T"), ["0.001", "0.001", "0.42", "60", "999999.999"]),
      (.grpc, ["1m", "1m", "420m", "60000m", "999999S"]),
    ])
  func written(header: DeadlinePropagation.Header, texts: [String]) {
    let times: [Duration] = [
      .zero, .nanoseconds(900), .microseconds(420_900), .seconds(60), .seconds(1_000_000_000),
    ]
    let written = times.map { time -> String? in
      var headers = HTTPHeaders()
      DeadlinePropagation(header: header).write(time, to: &headers)
      return headers[header.name]
    }
    #expect(written == texts)
  }

  @Test("Each format is read, and other text is no time")
  func read() {
    func read(_ header: DeadlinePropagation.Header, _ text: String) -> Duration? {
      header.remainingTime(in: [header.name: text])
    }
    #expect(read(.milliseconds("T"), " 420 ") == .milliseconds(420))
    #expect(read(.milliseconds("T"), "99999999999999999999") == .milliseconds(999_999_999))
    #expect(read(.seconds("T"), "1.5") == .milliseconds(1_500))
    #expect(read(.seconds("T"), "0.0429") == .milliseconds(42))
    #expect(read(.seconds("T"), "3") == .seconds(3))
    #expect(read(.grpc, "1H") == .seconds(3_600))
    #expect(read(.grpc, "420m") == .milliseconds(420))
    #expect(read(.grpc, "5n") == .nanoseconds(5))
    #expect(DeadlinePropagation.Header.grpc.remainingTime(in: [:]) == nil)
    for text in ["", "-1", "1.5", "a", "0x1", "١"] { #expect(read(.milliseconds("T"), text) == nil) }
    for text in ["", ".", "1.", ".5", "1.2.3", "1,5", "-1"] { #expect(read(.seconds("T"), text) == nil) }
    for text in ["", "m", "5", "5x", "-5m"] { #expect(read(.grpc, text) == nil) }
  }
}
