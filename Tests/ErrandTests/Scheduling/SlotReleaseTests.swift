import ErrandMocks
import Foundation
import Testing

@testable import Errand

private struct SlotWatch: Request, Accessory {
  typealias Response = String

  let agent: @Sendable () -> RequestAgent?
  let recorder: Recorder
  var failing = ""
  var path = "x"
  var retryPolicy: RetryPolicy = .none
  var mockPolicy: MockPolicy = .never
  var accessories: [any Accessory] { [self] }
  var validators: [any ResponseValidator] { [.status(200..<300), StepValidator(watch: self)] }
  var responseSerializer: any ResponseSerializer<String> { StepSerializer(watch: self) }

  func step(_ name: String) throws {
    note(name)
    if name == failing { throw ProbeError(stage: name) }
  }
  func note(_ name: String) { recorder.add("\(name) \(agent()?.runningCount ?? -1)") }

  func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
    try step("filterRequest")
  }
  func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {
    try step("filterResponse")
  }
  func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse? {
    try step("mockResponse")
    return HTTPResponse(status: 200)
  }
  func retryDecision(
    for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
  ) async -> RetryPolicy.Decision {
    note("retryDecision")
    return suggested
  }
  func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async { note("attemptDidStop") }
  func preprocess(_ outcome: Outcome<String>, context: RequestContext) async { note("preprocess") }

  private struct StepValidator: ResponseValidator {
    let watch: SlotWatch
    func validate(_ response: HTTPResponse, context: RequestContext) throws { try watch.step("validate") }
  }
  private struct StepSerializer: ResponseSerializer {
    let watch: SlotWatch
    func serialize(_ response: HTTPResponse, context: RequestContext) async throws -> String {
      try watch.step("decode")
      return "ok"
    }
  }
}

@Suite("Slots: held from before sending until the end of the body, on every path", .timeLimit(.minutes(5)))
struct SlotReleaseTests {
  let recorder = Recorder()
  let gate = GateTransport(isOpen: true)

  private func run(
    _ step: ProbeTransport.Step..., change: (inout SlotWatch) -> Void = { _ in }
  ) async -> [String] {
    let agent = agent(step)
    var request = SlotWatch(agent: { [weak agent] in agent }, recorder: recorder)
    change(&request)
    _ = try? await agent.send(request)
    #expect(agent.runningCount == 0 && agent.waitingCount == 0)
    return recorder.events.filter { $0 != "transport" }
  }

  private func agent(_ steps: [ProbeTransport.Step]) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(TestClock(autoAdvances: true))
    configuration.maxRequestsPerOrigin = 1
    configuration.allowsMocks = true
    return RequestAgent(
      baseURL: "http://a.example", transport: ProbeTransport(Recorder(), steps), configuration: configuration)
  }

  @Test("A success holds the slot until the end of its body")
  func success() async {
    #expect(
      await run(.answer(200)) == [
        "filterRequest 0", "validate 0", "filterResponse 0", "decode 0", "attemptDidStop 0", "preprocess 0",
      ])
  }

  @Test(
    "A failure releases the slot before the retry decision",
    arguments: ["filterRequest", "validate", "filterResponse", "decode"])
  func failure(_ failing: String) async {
    let all = ["filterRequest 0", "validate 0", "filterResponse 0", "decode 0"]
    let end = all.firstIndex { $0.hasPrefix(failing) } ?? 0
    #expect(
      await run(.answer(200)) { $0.failing = failing }
        == all[...end] + ["retryDecision 0", "attemptDidStop 0", "preprocess 0"])
  }

  @Test("A network failure releases the slot, and each attempt takes a new slot")
  func retry() async {
    let rest = ["filterRequest 0", "retryDecision 0", "attemptDidStop 0"]
    let events = await run(.failure(.init(.connectionLost, "cut")), .answer(503), .answer(200)) {
      $0.retryPolicy = .upTo(2, backoff: .constant())
    }
    #expect(
      events == rest + rest + [
        "filterRequest 0", "validate 0", "filterResponse 0", "decode 0", "attemptDidStop 0", "preprocess 0",
      ])
  }

  @Test("A request that always mocks itself takes a slot, as in production")
  func mocked() async {
    let events = await run(.answer(500)) { $0.mockPolicy = .always }
    #expect(
      events == [
        "filterRequest 0", "mockResponse 1", "validate 0", "filterResponse 0", "decode 0", "attemptDidStop 0",
        "preprocess 0",
      ])
  }

  @Test("The mock after a failure takes no slot, because nothing is sent and the failed attempt has ended")
  func fallback() async {
    let events = await run(.answer(404)) { $0.mockPolicy = .whenFailed }
    #expect(
      events == [
        "filterRequest 0", "retryDecision 0", "attemptDidStop 0", "mockResponse 0", "validate 0",
        "filterResponse 0", "decode 0", "attemptDidStop 0", "preprocess 0",
      ])
  }

  @Test("A redirect keeps the slot of the first URL for every target, and takes no other")
  func redirect() async {
    let events = await run(.redirect(302, to: "https://b.example/y"), .answer(200))
    #expect(
      events == [
        "filterRequest 0", "filterRequest 1", "validate 0", "filterResponse 0", "decode 0",
        "attemptDidStop 0",
        "preprocess 0",
      ])
  }

  @Test("A data: URL has no origin, and takes no slot")
  func dataURL() async throws {
    #expect(await run(.answer(500)) { $0.path = "data:,ok" }.contains("decode 0"))
  }

  @Test(
    "A delivered stream has no slot, for every kind of end",
    arguments: ["read", "broken off", "dropped", "cut"])
  func stream(_ ending: String) async throws {
    let agent = agent([ending == "cut" ? .cutBody : ending == "read" ? .answer(200) : .halfBody])
    do {
      let response = try await agent.stream(.get("x"))
      #expect(agent.runningCount == 0 && agent.liveCount == 1)
      switch ending {
      case "broken off": for try await _ in response.body { break }
      case "dropped": break
      case "cut":
        await #expect(throws: RequestError.self) { for try await _ in response.body {} }
      default: for try await _ in response.body {}
      }
    }
    await until { agent.liveCount == 0 }
    #expect(agent.runningCount == 0 && agent.waitingCount == 0)
  }

  @Test("A cancellation or a deadline during the transfer releases the slot", arguments: [true, false])
  func inFlight(_ isCancelled: Bool) async throws {
    let gate = GateTransport()
    let clock = TestClock()
    let agent = RequestAgent.gated(gate, limit: 1, clock: clock)
    let handle = agent.start(OneOffRequest.get("x").with(\.deadline, .seconds(5)))
    await gate.waitForStarts(1)
    await agent.startWaiting(.get("y"))
    await clock.waitForSleepers()
    if isCancelled { handle.cancel() } else { await clock.advance(by: .seconds(5)) }
    await gate.waitForStarts(2)
    #expect(gate.starts == ["a.example/x", "a.example/y"] && gate.most <= 2)
    gate.open()
    await until { agent.liveCount == 0 }
    #expect(agent.runningCount == 0)
  }
}
