import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Serial requests", .timeLimit(.minutes(5)))
struct SerialTests {
  let gate = GateTransport()
  let clock = TestClock()

  private func serial(_ path: String) -> OverriddenRequest<OneOffRequest<Void>> {
    OneOffRequest.get(path).with(\.isSerial, true)
  }

  @Test(
    "Serial requests run one at a time in order of arrival, for any origin and priority, beside other requests"
  )
  func order() async throws {
    let agent = RequestAgent.gated(gate, clock: clock)
    agent.start(serial("0"))
    await gate.waitForStarts(1)
    await agent.startWaiting(serial("http://b.example/1"))
    await agent.startWaiting(serial("2").with(\.priority, .exempt))
    await agent.startWaiting(serial("3").with(\.priority, .high))
    try await agent.start(.get("data:,beside")).value
    agent.start(.get("beside"))
    await gate.waitForStarts(2)
    #expect(agent.runningCount == 2 && agent.waitingCount == 3)
    for path in ["/0", "/1", "/2", "/3"] {
      let count = gate.starts.count
      gate.answer(path, host: path == "/1" ? "b.example" : "a.example")
      if path != "/3" { await gate.waitForStarts(count + 1) }
    }
    gate.open()
    await until { agent.liveCount == 0 }
    #expect(
      gate.starts == ["a.example/0", "a.example/beside", "b.example/1", "a.example/2", "a.example/3"])
    #expect(gate.most == 2 && agent.waitingCount == 0)
  }

  @Test("A serial request holds its turn over its retries and their waits")
  func retries() async throws {
    let agent = RequestAgent.gated(gate, clock: clock)
    agent.start(serial("0").with(\.retryPolicy, .upTo(1, backoff: .constant(.seconds(9)))))
    await gate.waitForStarts(1)
    let second = await agent.startWaiting(serial("1"))
    gate.answer("/0", HTTPResponse(status: 503))
    await clock.waitForSleepers()
    #expect(agent.runningCount == 0 && agent.waitingCount == 1)
    await clock.advance(by: .seconds(9))
    await gate.waitForStarts(2)
    gate.open()
    try await second.value
    #expect(gate.starts == ["a.example/0", "a.example/0", "a.example/1"] && gate.most == 1)
  }

  @Test("A serial request cancelled while waiting is never sent, and lets no other request in early")
  func cancelled() async throws {
    let agent = RequestAgent.gated(gate, clock: clock)
    agent.start(serial("0"))
    await gate.waitForStarts(1)
    let handles = [await agent.startWaiting(serial("1")), await agent.startWaiting(serial("2"))]
    handles[0].cancel()
    #expect(agent.waitingCount == 1)
    let error = try await #require(throws: RequestError.self) { try await handles[0].value }
    #expect(error.kind == .cancelled && error.stage == .serialGate && error.attempts == 0)
    #expect(gate.starts == ["a.example/0"])
    gate.open()
    try await handles[1].value
    #expect(gate.starts == ["a.example/0", "a.example/2"] && gate.most == 1)
  }

  @Test("If all are cancelled, no waiting serial request is sent")
  func cancelAll() async throws {
    let agent = RequestAgent.gated(gate, clock: clock)
    agent.start(serial("0"))
    await gate.waitForStarts(1)
    for path in ["1", "2", "3"] { await agent.startWaiting(serial(path)) }
    agent.cancelAll()
    await until { agent.liveCount == 0 }
    #expect(gate.starts == ["a.example/0"] && agent.waitingCount == 0)
    gate.open()
    try await agent.send(serial("after"))
  }

  @Test("The wait for the turn counts for the deadline")
  func deadline() async throws {
    let recorder = Recorder()
    let agent = RequestAgent.gated(
      gate, clock: clock, accessories: [RecordingAccessory(recorder: recorder)])
    agent.start(serial("0"))
    await gate.waitForStarts(1)
    let handle = await agent.startWaiting(serial("1").with(\.deadline, .seconds(5)))
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(5))
    let error = try await #require(throws: RequestError.self) { try await handle.value }
    #expect(error.kind == .deadlineExceeded && agent.waitingCount == 0)
    #expect(
      error.description == """
        GET 1 failed: the dispatch took longer than its deadline, 5 s.
        Stage serialGate, after 5.000 s.
        Try: The request waited for other serial requests. Raise deadline, or set a deadline on the other serial requests too.
        """)
    gate.open()
    await until { agent.liveCount == 0 }
    #expect(gate.starts == ["a.example/0"])
    let events = recorder.events.filter { !$0.contains("ttempt") }
    #expect(
      events == [
        "accessory.willStart", "accessory.willStart", "accessory.willStop",
        "accessory.didStop failure deadlineExceeded", "accessory.willStop", "accessory.didStop success",
      ])
  }

  @Test("The report shows the wait for the turn, which belongs to no attempt")
  func report() async throws {
    let agent = RequestAgent.gated(gate, clock: clock)
    agent.start(serial("0"))
    await gate.waitForStarts(1)
    async let received = agent.response(for: serial("1"))
    await until { agent.waitingCount == 1 }
    await clock.advance(by: .seconds(7))
    gate.open()
    let report = try await received.report
    #expect(report.turnWait == .seconds(7) && report.elapsed == .seconds(7))
    #expect(report.attempts.map(\.elapsed) == [.zero])
  }

  @Test("A stream holds its turn until the end of its body, and a failure before its head passes the turn on")
  func stream() async throws {
    let agent = RequestAgent.probing(Recorder(), [.halfBody, .answer(404), .answer(200)])
    let response = try await agent.stream(serial("0"))
    let waiting = await agent.startWaiting(serial("1"))
    response.body.cancel()
    let error = await #expect(throws: RequestError.self) { try await waiting.value }
    #expect(error?.status == 404)
    await #expect(throws: Never.self) { try await agent.send(serial("2")) }
    await until { agent.liveCount == 0 }
    #expect(agent.waitingCount == 0)
  }

  @Test("The outcome hooks of a serial request may send another request and wait")
  func nested() async throws {
    gate.open()
    let agent = RequestAgent.gated(gate)
    struct Own: Request {
      typealias Response = Void
      let agent: RequestAgent
      var isSerial: Bool { true }
      func completed(_ outcome: Outcome<Void>, context: RequestContext) async {
        _ = try? await agent.send(OneOffRequest.get("next").with(\.isSerial, true))
      }
    }
    try await agent.send(Own(agent: agent))
    #expect(
      gate.starts == ["a.example/", "a.example/next"] || gate.starts == ["a.example", "a.example/next"])
  }
}
