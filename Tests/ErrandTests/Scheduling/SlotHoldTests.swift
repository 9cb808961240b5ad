import ErrandMocks
import Foundation
import Testing

@testable import Errand

/// One of the hooks sends a request to the request's own origin.
private struct Asking: Request, Accessory, Authenticator {
  typealias Response = String

  static let places = [
    "filterRequest", "authenticate", "attemptWillSend", "mockResponse", "redirectDecision",
    "filterRequest of a hop",
    "filterResponse", "decode",
  ]

  let place: String
  let agent: @Sendable () -> RequestAgent?
  var path: String { place == "redirectDecision" || place == "filterRequest of a hop" ? "moved" : "x" }
  var accessories: [any Accessory] { place == "attemptWillSend" ? [self] : [] }
  var authentication: Authentication { place == "authenticate" ? .with(self) : .none }
  var mockPolicy: MockPolicy { place == "mockResponse" ? .always : .never }
  var responseSerializer: any ResponseSerializer<String> { AskingSerializer(request: self) }

  func ask(_ name: String) async throws {
    guard name == place else { return }
    try await agent()?.send(.get("asked"))
  }

  func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
    try await ask(request.url.path == "/there" ? "filterRequest of a hop" : "filterRequest")
  }
  func redirectDecision(
    to request: inout HTTPRequest, from response: HTTPResponse, context: RequestContext
  ) async throws -> RedirectPolicy.Decision {
    try await ask("redirectDecision")
    return .follow
  }
  func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
    try await ask("authenticate")
  }
  func attemptWillSend(_ request: HTTPRequest, context: RequestContext) async {
    try? await ask("attemptWillSend")
  }
  func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse? {
    try await ask("mockResponse")
    return HTTPResponse()
  }
  func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {
    try await ask("filterResponse")
  }

  private struct AskingSerializer: ResponseSerializer {
    let request: Asking
    func serialize(_ response: HTTPResponse, context: RequestContext) async throws -> String {
      try await request.ask("decode")
      return "ok"
    }
  }
}

@Suite("Slots: no waiting while holding a slot", .timeLimit(.minutes(5)))
struct SlotHoldTests {
  private func agent(_ transport: some Transport, limit: Int = 1) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.maxRequestsPerOrigin = limit
    configuration.allowsMocks = true
    configuration.trustedOrigins = ["http://b.example"].compactMap { URL(string: $0) }
    return RequestAgent(
      baseURL: "http://a.example", transport: transport, configuration: configuration)
  }

  @Test(
    "Any number of hooks may send to their own origin and wait",
    arguments: Asking.places)
  func ownOrigin(_ place: String) async throws {
    let transport = FunctionTransport { request, _ in
      request.url.path == "/moved"
        ? HTTPResponse(status: 302, headers: ["Location": "/there"]) : HTTPResponse()
    }
    let agent = agent(transport)
    let handles = (0..<10).map { _ in agent.start(Asking(place: place, agent: { [weak agent] in agent })) }
    for handle in handles { #expect(try await handle.value == "ok") }
    #expect(transport.requests.filter { $0.url.path == "/asked" }.count >= 10)
    #expect(agent.runningCount == 0 && agent.waitingCount == 0)
  }

  @Test("Two origins whose hooks send to each other continue")
  func crosswise() async throws {
    struct Crossing: RequestHooks, Authenticator {
      func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
        let other = request.url.host == "a.example" ? "http://b.example/asked" : "http://a.example/asked"
        try await context.send(
          OneOffRequest.get(other).with(\.authentication, .none).with(\.tag, 1))
      }
    }
    let transport = FunctionTransport()
    let agent = agent(transport)
    let handles = (0..<20).map { number in
      agent.start(
        OneOffRequest.get(number % 2 == 0 ? "http://a.example/x" : "http://b.example/x")
          .with(\.authentication, .with(Crossing())))
    }
    for handle in handles { try await handle.value }
    #expect(transport.requests.count == 40 && agent.runningCount == 0)
  }

  @Test(
    "Ten hooks of a second each do not delay an unrelated request to their origin", arguments: [1, 10])
  func slow(_ limit: Int) async throws {
    struct Slow: Request {
      typealias Response = String
      let clock: TestClock
      var path = "slow"
      func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {
        try await clock.sleep(for: .seconds(1))
      }
    }
    let clock = TestClock()
    let agent = agent(FunctionTransport(), limit: limit)
    let handles = (0..<10).map { _ in agent.start(Slow(clock: clock)) }
    await clock.waitForSleepers(10)
    try await agent.send(.get("unrelated"))
    #expect(clock.now.offset == .zero && agent.runningCount == 0)
    await clock.advance(by: .seconds(1))
    for handle in handles { _ = try await handle.value }
  }

  @Test("Streams without a reader block no request")
  func unread() async throws {
    let agent = agent(ProbeTransport(Recorder(), [.halfBody, .halfBody, .halfBody, .answer(200)]))
    var streams: [StreamedResponse] = []
    for _ in 0..<3 { streams.append(try await agent.stream(.get("stream"))) }
    try await agent.send(.get("unrelated"))
    #expect(agent.liveCount == 3)
    streams = []
    await until { agent.liveCount == 0 }
  }

  @Test("A request left behind by a hook waits like others")
  func leftOver() async throws {
    let gate = GateTransport()
    let left = Locked<Task<Void, any Error>?>(nil)
    let isLeft = OneTime<Void>()
    let holder = Locked<RequestAgent?>(nil)
    let leaving = EventAccessory(willSend: { _, _ in
      let agent = holder.withLock { $0 }
      let task = Task {
        try await isLeft.wait()
        try await agent?.send(.get("left"))
      }
      left.withLock { $0 = task }
    })
    let agent = RequestAgent.gated(gate, limit: 1)
    holder.withLock { $0 = agent }
    agent.start(OneOffRequest.get("x").with(\.accessories, [leaving]))
    await gate.waitForStarts(1)
    isLeft.set(())
    await until { agent.waitingCount == 1 }
    #expect(gate.starts == ["a.example/x"])
    gate.open()
    try await left.withLock { $0 }?.value
    holder.withLock { $0 = nil }
  }

  @Test("The next request knows the server's statement to the previous request, also without a failure")
  func told() async throws {
    var configuration = AgentConfiguration()
    let (gate, clock) = (GateTransport(), TestClock())
    configuration.clock = AgentClock(clock)
    configuration.maxRequestsPerOrigin = 1
    configuration.rateLimit = RateLimit(100, per: .seconds(1))
    let agent = RequestAgent(baseURL: "http://a.example", transport: gate, configuration: configuration)
    let slow = EventAccessory(willStop: { _ in try? await clock.sleep(for: .seconds(1)) })
    let first = agent.start(
      OneOffRequest.get("first").with(\.validators, []).with(\.accessories, [slow]))
    await gate.waitForStarts(1)
    let second = await agent.startWaiting(.get("second"))
    gate.answer("/first", HTTPResponse(status: 429, headers: ["Retry-After": "9"]))
    await clock.waitForSleepers(2)
    #expect(gate.starts == ["a.example/first"])
    gate.open()
    await clock.advance(by: .seconds(9))
    _ = try await (first.value, second.value)
    #expect(gate.starts == ["a.example/first", "a.example/second"])
  }
}
