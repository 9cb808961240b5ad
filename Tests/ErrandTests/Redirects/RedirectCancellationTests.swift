import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Cancellation between hops", .timeLimit(.minutes(5)))
struct RedirectCancellationTests {
  static let sent = [
    "accessory.willStart", "accessory.attemptWillStart 1", "build", "request.filterRequest 1",
    "agent.filterRequest 1", "accessory.attemptWillSend 1", "transport", "request.redirectDecision 1",
  ]

  /// The cancelling event, then the events between the first hop and the end of the attempt.
  static let phases: [(String, [String])] = [
    ("request.redirectDecision 1", []),
    ("agent.redirectDecision 1", ["agent.redirectDecision 1"]),
    ("hop", ["agent.redirectDecision 1", "request.filterRequest 1", "hop"]),
  ]

  @Test("The dispatch ends at once, and the next hop is not sent", arguments: phases)
  func phase(_ row: (String, [String])) async throws {
    let recorder = Recorder()
    let transport = ProbeTransport(recorder, [.redirect(302, to: "/next"), .answer(200)])
    let agent = RequestAgent(
      baseURL: "http://a", transport: transport,
      hooks: [HopHooks(recorder: recorder), RecordingHooks(recorder: recorder)],
      accessories: [RecordingAccessory(recorder: recorder)])
    let running = Running(agent, StageProbe(recorder: recorder), .handle)
    recorder.on(row.0) { running.cancel() }
    let error = try await #require(throws: RequestError.self) { try await running.value }
    #expect(error.kind == .cancelled)
    #expect(
      recorder.events == Self.sent + row.1 + [
        "accessory.attemptDidStop 1", "request.preprocess cancelled", "agent.preprocess cancelled",
        "accessory.willStop", "request.completed cancelled", "agent.completed cancelled",
        "accessory.didStop cancelled",
      ])
    #expect(transport.requests.count == 1)
    #expect(agent.liveCount == 0)
  }

  @Test("The stalled body of a redirect ends with the dispatch")
  func stalled() async throws {
    let recorder = Recorder()
    let agent = RequestAgent(baseURL: "http://a", transport: StallingRedirect(recorder: recorder))
    let running = Running(agent, StageProbe(recorder: recorder), .task)
    recorder.on("silence") { running.cancel() }
    await #expect(throws: CancellationError.self) { try await running.value }
    #expect(recorder.events.contains("silence"))
    #expect(agent.liveCount == 0)
  }
}

extension RedirectCancellationTests {
  @Test("The stalled body of a redirect ends at the deadline or the attempt's timeout")
  func late() async throws {
    for isDeadline in [true, false] {
      let (clock, recorder) = (TestClock(), Recorder())
      var configuration = AgentConfiguration()
      configuration.clock = AgentClock(clock)
      var request = StreamProbe(recorder: recorder)
      if isDeadline { request.deadline = .seconds(5) } else { request.limits = TransferLimits() }
      request.limits?.attemptTimeout = .seconds(5)
      let agent = RequestAgent(
        baseURL: "http://a", transport: StallingRedirect(recorder: recorder), configuration: configuration)
      let handle = agent.start(request)
      await until { recorder.events.contains("silence") }
      await clock.advance(by: .seconds(5))
      let error = try await #require(throws: RequestError.self) { try await handle.value }
      #expect(error.kind == (isDeadline ? .deadlineExceeded : .timedOut))
    }
  }
}

private struct HopHooks: RequestHooks {
  let recorder: Recorder

  func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
    if request.url.path == "/next" { recorder.add("hop") }
  }
}

private struct StallingRedirect: Transport {
  let recorder: Recorder
  var capabilities: TransportCapabilities { TransportCapabilities() }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    TransportResponse(
      head: HTTPResponse(status: 302, headers: ["Location": "/next"]),
      body: BodyStream(SilentSource(recorder, chunks: 1)))
  }
}
