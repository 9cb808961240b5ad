import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Progress of a transfer")
struct ProgressTests {
  /// The first report of progress can wait for a gate.
  private final class Diary: Accessory {
    let recorder = Recorder()
    let gate: OneTime<Bool>?

    init(gate: OneTime<Bool>? = nil) { self.gate = gate }

    func attemptWillStart(_ context: RequestContext) { recorder.add("start \(context.attempt)") }

    func attemptWillSend(_ request: HTTPRequest, context: RequestContext) {
      recorder.add("send \(request.url.path)")
    }

    func transferDidProgress(_ progress: TransferProgress, context: RequestContext) async {
      recorder.add("\(context.attempt): \(progress)")
      _ = try? await gate?.wait()
    }

    func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) {
      recorder.add("stop \(context.attempt)")
    }

    func requestDidStop(_ report: ExchangeReport, context: RequestContext) { recorder.add("end") }
  }

  private struct Fetch: Request {
    typealias Response = Data
    var path = "a"
    var method = HTTPMethod.get
    var body: RequestBody = .automatic
    var retryPolicy = RetryPolicy.none
  }

  private static func agent(_ transport: any Transport, _ diary: Diary? = nil) -> RequestAgent {
    RequestAgent(
      baseURL: "http://mocked.example", transport: transport, accessories: diary.map { [$0] } ?? [])
  }

  @Test(
    "A body that arrives with its head is reported once before the end of the attempt, and an empty body is not"
  )
  func whole() async throws {
    let diary = Diary()
    let agent = Self.agent(
      MockTransport([
        Stub(.get, "/a", answers: .text("hello")), Stub(.get, "/b", answers: .status(204)),
        Stub(.post, "/c", answers: .status(204)),
      ]), diary)
    _ = try await agent.send(Fetch())
    _ = try await agent.send(Fetch(path: "b"))
    _ = try await agent.send(Fetch(path: "c", method: .post, body: .text("hi")))
    #expect(
      diary.recorder.events == [
        "start 1", "send /a", "1: receiving 5 of 5 bytes, 100 %", "stop 1", "end",
        "start 1", "send /b", "stop 1", "end",
        "start 1", "send /c", "1: sending 2 of 2 bytes, 100 %", "stop 1", "end",
      ])
  }

  /// Status 204, a length of 0, no chunks, and status 304.
  static let bodiless: [(name: String, answer: MockAnswer, isCounted: Bool)] = [
    ("204", .status(204), true), ("201 of no bytes", .status(201), true), ("no chunks", .chunks([]), true),
    ("304", .status(304), true), ("204 of a transport that does not count", .status(204), false),
    ("no chunks of a transport that does not count", .chunks([]), false),
  ]

  @Test("The progress of an upload stays at its end if the response has no body", arguments: bodiless)
  func bodilessAnswer(_ row: (name: String, answer: MockAnswer, isCounted: Bool)) async throws {
    let mock = MockTransport { _ in row.answer }
    let uncounted = FunctionTransport { request, _ in
      let sent = TransportRequest(request)
      return try await mock.send(sent).head
    }
    let agent = Self.agent(row.isCounted ? mock : uncounted)
    let handle = agent.start(
      Fetch(method: .post, body: .text("hello")).with(\.validators, []), suspended: true)
    let seen = Task {
      var seen: [String] = []
      for await progress in handle.progress where progress.attempt > 0 { seen.append("\(progress)") }
      return seen
    }
    handle.resume()
    _ = try await handle.value
    let all = await seen.value
    #expect(!all.contains { $0.contains("0 of 0") }, "\(all)")
    let last = row.isCounted ? "sending 5 of 5 bytes, 100 %" : "sending 0 of 5 bytes, 0 %"
    #expect(all.last == last, "\(all)")
    #expect(handle.progress.current.phase == .sending)
  }

  @Test("The response to an upload counts from its first byte, or from a head with a length")
  func answerToUpload() {
    for (path, first) in [("a", "receiving 2 bytes"), ("b", "receiving 0 of 5 bytes, 0 %")] {
      let meter = TransferMeter(AgentClock(TestClock()))
      let told = Recorder()
      meter.begin(attempt: 1) { told.add("\($0)") }
      let counter = meter.begin(.text("hi"))
      counter.sent(2, of: 2)
      meter.accept(total: path == "a" ? nil : 5)
      if path == "a" { counter.received(2, of: nil) }
      #expect(
        told.events == ["waiting 0 bytes", "sending 0 of 2 bytes, 0 %", "sending 2 of 2 bytes, 100 %", first])
      #expect(meter.progress.completedOfBoth == (path == "a" ? 4 : 2))
    }
  }

  @Test(
    "A slow listener gets the newest value, and the last value before the end of the attempt, and no transfer waits"
  )
  func slow() async throws {
    let clock = TestClock()
    let diary = Diary(gate: OneTime())
    let chunks = (1...9).map { Data(repeating: UInt8($0), count: 10) }
    let agent = Self.agent(
      MockTransport([Stub(.get, "/a", answers: .chunks(chunks, gap: .seconds(1)))], clock: clock), diary)
    let handle = agent.start(Fetch())
    for _ in 1...8 {
      await clock.waitForSleepers()
      await clock.advance(by: .seconds(1))
    }
    await until { handle.progress.current.completed == 90 }
    #expect(diary.recorder.events.count == 3)
    diary.gate?.set(true)
    _ = try await handle.value
    let events = diary.recorder.events
    #expect(Array(events.prefix(3)) == ["start 1", "send /a", "1: receiving 10 bytes"])
    #expect(Array(events.suffix(3)) == ["1: receiving 90 of 90 bytes, 100 %", "stop 1", "end"])
    #expect(events.count <= 7)
  }

  @Test("A handle's progress starts with the current value, ends with the last, and grows")
  func updates() async throws {
    let clock = TestClock()
    let chunks = (1...9).map { Data(repeating: UInt8($0), count: 10) }
    let answer = MockAnswer.chunks(chunks, gap: .seconds(1)).header("Content-Length", "90")
    let agent = Self.agent(MockTransport([Stub(.get, "/a", answers: answer)], clock: clock))
    let handle = agent.start(Fetch(), suspended: true)
    let seen = Task {
      var seen: [TransferProgress] = []
      for await progress in handle.progress { seen.append(progress) }
      return seen
    }
    handle.resume()
    for _ in 1...8 {
      await clock.waitForSleepers()
      await clock.advance(by: .seconds(1))
    }
    _ = try await handle.value
    let all = await seen.value
    let counts = all.map(\.completed)
    #expect(counts == counts.sorted() && counts.last == 90)
    #expect(all.last?.description == "receiving 90 of 90 bytes, 100 %")
    // A late reader only gets the last value.
    var late: [String] = []
    for await progress in handle.progress { late.append("\(progress)") }
    #expect(late == ["receiving 90 of 90 bytes, 100 %"])
  }

  @Test("Each attempt restarts the progress, and an interrupted attempt keeps its count")
  func attempts() async throws {
    let diary = Diary()
    let text = String(repeating: "x", count: 100)
    let agent = Self.agent(
      MockTransport(
        [
          Stub(.get, "/a", answers: .text(text).fault(.truncated(after: 40)), .status(503), .text(text))
        ], clock: TestClock(autoAdvances: true)), diary)
    _ = try await agent.send(Fetch(retryPolicy: .upTo(2, backoff: .constant(.zero))))
    let told = diary.recorder.events
    #expect(told.first { $0.hasPrefix("1:") } == "1: receiving 40 of 100 bytes, 40 %")
    #expect(told.filter { $0.hasPrefix("2:") }.isEmpty)
    #expect(told.last { $0.hasPrefix("3:") } == "3: receiving 100 of 100 bytes, 100 %")
  }

  @Test("For a transport that does not count, bytes are counted when read")
  func uncounted() async throws {
    let diary = Diary()
    let transport = FunctionTransport { _, _ in
      HTTPResponse(headers: ["Content-Length": "3", "Content-Encoding": "x"], body: Data("hello".utf8))
    }
    _ = try await Self.agent(transport, diary).send(Fetch(method: .put, body: .text("hi")))
    // Earlier reports may have the same number of bytes without a total.
    #expect(diary.recorder.events.last { $0.hasPrefix("1:") } == "1: receiving 5 of 5 bytes, 100 %")
  }

  @Test("A stream is counted when read, and its last progress comes before the end of the attempt")
  func streams() async throws {
    let diary = Diary()
    let agent = Self.agent(
      MockTransport([Stub(.get, "/a", answers: .chunks([Data("ab".utf8), Data("cde".utf8)]))]), diary)
    let stream = try await agent.stream(Fetch())
    for try await _ in stream.body {}
    let events = diary.recorder.events
    #expect(Array(events.suffix(3)) == ["1: receiving 5 of 5 bytes, 100 %", "stop 1", "end"])
  }

  @Test("The accessories of a dispatch are released with the dispatch")
  func released() async throws {
    weak var released: Diary?
    do {
      let diary = Diary()
      released = diary
      let agent = Self.agent(MockTransport { _ in .chunks([Data("a".utf8), Data("b".utf8)]) }, diary)
      _ = try await agent.send(Fetch())
    }
    await until { released == nil }
    #expect(released == nil)
  }

  @Test("Foundation's progress counts both bodies, and is finished by a success only")
  func foundation() async throws {
    let agent = Self.agent(
      MockTransport([
        Stub(.post, "/a", answers: .text("hello")), Stub(.post, "/b", answers: .text("no", status: 404)),
      ]))
    let sent = agent.start(Fetch(method: .post, body: .text("hi")))
    let progress = sent.makeFoundationProgress()
    _ = try await sent.value
    await until { progress.isFinished }
    #expect((progress.completedUnitCount, progress.totalUnitCount) == (7, 7))
    #expect(progress.fractionCompleted == 1)

    let refused = agent.start(Fetch(path: "b", method: .post, body: .text("hi")))
    let other = refused.makeFoundationProgress()
    await #expect(throws: RequestError.self) { try await refused.value }
    await until { other.completedUnitCount == 4 }
    #expect((other.totalUnitCount, other.isFinished) == (5, false))
  }

  @Test("Foundation's progress is not finished while the response is missing")
  func foundationWaits() async throws {
    struct Sending: Transport {
      let gate = OneTime<Void>()
      let capabilities = TransportCapabilities()

      func send(_ request: TransportRequest) async throws -> TransportResponse {
        request.counter?.sent(2, of: 2)
        try await gate.wait()
        return TransportResponse(head: HTTPResponse(), body: BodyStream(Data("hello".utf8)))
      }
    }
    let transport = Sending()
    let handle = RequestAgent(baseURL: "https://a.example", transport: transport)
      .start(Fetch(method: .post, body: .text("hi")))
    let progress = handle.makeFoundationProgress()
    await until { progress.completedUnitCount == 2 }
    #expect((progress.totalUnitCount, progress.isFinished) == (3, false))
    transport.gate.set(())
    _ = try await handle.value
    await until { progress.isFinished }
    #expect((progress.completedUnitCount, progress.totalUnitCount) == (7, 7))
  }

  @Test("Cancelling, pausing and resuming Foundation's progress controls the dispatch")
  func controls() async throws {
    let gate = OneTime<Bool>()
    let transport = FunctionTransport { _, _ in
      _ = try await gate.wait()
      return HTTPResponse(body: Data("late".utf8))
    }
    let handle = Self.agent(transport).start(Fetch())
    let progress = handle.makeFoundationProgress()
    progress.pause()
    await until { handle.state == .suspended }
    progress.resume()
    await until { handle.state == .running }
    progress.cancel()
    gate.set(true)
    await #expect(throws: RequestError.self) { try await handle.value }
    #expect(handle.state == .cancelled)
  }
}
