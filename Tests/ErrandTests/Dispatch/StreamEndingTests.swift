import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Streams: a single end for every way to leave", .timeLimit(.minutes(5)))
struct StreamEndingTests {
  let recorder = Recorder()
  let cancelled = ["accessory.willStart"] + StreamProbe.opened() + StreamProbe.ended("cancelled")

  /// By default, one chunk followed by silence.
  func agent(_ step: ProbeTransport.Step = .halfBody, clock: TestClock? = nil) -> RequestAgent {
    var configuration = AgentConfiguration()
    if let clock { configuration.clock = AgentClock(clock) }
    return .probing(recorder, [step], configuration: configuration)
  }

  /// Waits a while longer, to catch late events.
  func ended(_ agent: RequestAgent, _ word: String = "cancelled") async throws {
    try await recorder.wait(for: "accessory.didStop \(word)")
    while agent.liveCount > 0 { await Task.yield() }
    for _ in 0..<100 { await Task.yield() }
  }

  @Test("A break ends the stream while the response still exists")
  func breaking() async throws {
    let agent = agent()
    let response = try await agent.stream(StreamProbe(recorder: recorder))
    for try await _ in response.body { break }
    try await ended(agent)
    #expect(recorder.events == cancelled)
    #expect(response.report?.outcome.isCancelled == true)
    #expect(response.report?.attempts.map(\.bodyLength) == [4])
  }

  @Test("A response dropped unread ends the stream")
  func dropped() async throws {
    let agent = agent()
    #expect(try await agent.stream(StreamProbe(recorder: recorder)).head.status == 200)
    try await ended(agent)
    #expect(recorder.events == cancelled)
  }

  @Test("The body alone, or its iterator, keeps the stream alive")
  func kept() async throws {
    let agent = agent(.answer(200))
    var chunks = try await agent.stream(StreamProbe(recorder: recorder)).body.makeAsyncIterator()
    #expect(try await chunks.next() == Data("ok".utf8))
    #expect(agent.liveCount == 1)
    #expect(try await chunks.next() == nil)
    #expect(try await chunks.next() == nil)
    #expect(recorder.events.last == "accessory.didStop success")
    #expect(agent.liveCount == 0)
  }

  @Test("Giving up the body ends the stream, and a later reader gets an error")
  func givenUp() async throws {
    let agent = agent()
    let response = try await agent.stream(StreamProbe(recorder: recorder))
    response.body.cancel()
    var chunks = response.body.makeAsyncIterator()
    let error = try await #require(throws: RequestError.self) { try await chunks.next() }
    #expect(error.kind == .cancelled && error.stage == .transport)
    #expect(error.reason == "the reader abandoned the body of the response")
    #expect(try await chunks.next() == nil)
    try await ended(agent)
    #expect(recorder.events == cancelled)
  }

  @Test("A task cancelled before the head throws CancellationError")
  func beforeHead() async throws {
    let agent = agent(.silence)
    let task = Task { [recorder] in _ = try await agent.stream(StreamProbe(recorder: recorder)) }
    recorder.on("silence") { task.cancel() }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(
      recorder.events == ["accessory.willStart"] + StreamProbe.attemptBegun() + ["transport", "silence"]
        + StreamProbe.ended("cancelled"))
    #expect(agent.liveCount == 0)
  }

  @Test("A task cancelled during the wait for a chunk gets CancellationError after the outcome hooks")
  func waiting() async throws {
    let agent = agent()
    let task = Task { [recorder] in
      for try await _ in try await agent.stream(StreamProbe(recorder: recorder)).body {}
    }
    recorder.on("silence") { task.cancel() }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(
      recorder.events == ["accessory.willStart"] + StreamProbe.opened() + ["silence"]
        + StreamProbe.ended("cancelled"))
    #expect(agent.liveCount == 0)
  }

  @Test("A task cancelled between two chunks gets CancellationError for the next chunk")
  func betweenChunks() async throws {
    let agent = agent()
    let task = Task { [recorder] in
      var chunks = try await agent.stream(StreamProbe(recorder: recorder)).body.makeAsyncIterator()
      _ = try await chunks.next()
      withUnsafeCurrentTask { $0?.cancel() }
      return try await chunks.next()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(recorder.events == cancelled)
    #expect(agent.liveCount == 0)
  }

  @Test("cancelAll ends the stream while the reader waits for a chunk")
  func cancelAllWaiting() async throws {
    let agent = agent()
    recorder.on("silence") { agent.cancelAll() }
    let error = try await #require(throws: RequestError.self) {
      for try await _ in try await agent.stream(StreamProbe(recorder: recorder)).body {}
    }
    #expect(error.kind == .cancelled && error.reason == "the agent cancelled all its requests")
    #expect(
      recorder.events == ["accessory.willStart"] + StreamProbe.opened() + ["silence"]
        + StreamProbe.ended("cancelled"))
    #expect(agent.liveCount == 0)
  }

  @Test("cancelAll ends the stream while the reader is busy, and the next chunk throws")
  func cancelAllResting() async throws {
    let agent = agent()
    let response = try await agent.stream(StreamProbe(recorder: recorder))
    var chunks = response.body.makeAsyncIterator()
    _ = try await chunks.next()
    agent.cancelAll()
    try await ended(agent)
    #expect(recorder.events == cancelled)
    let error = try await #require(throws: RequestError.self) { try await chunks.next() }
    #expect(error.kind == .cancelled)
    #expect(try await chunks.next() == nil)
    #expect(recorder.events == cancelled)
  }

  /// Records when the reader gives up the body.
  private final class FunctionBody: BodySource {
    private let recorder: Recorder
    private let read: @Sendable () async throws -> Data?

    init(_ recorder: Recorder, _ read: @escaping @Sendable () async throws -> Data?) {
      self.recorder = recorder
      self.read = read
    }

    func next() async throws -> Data? { try await read() }
    func cancel() { recorder.add("given up") }
  }

  private struct BodyTransport: Transport {
    let body: FunctionBody
    var capabilities: TransportCapabilities { TransportCapabilities() }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      TransportResponse(head: HTTPResponse(), body: BodyStream(body))
    }
  }

  private func agent(
    clock: TestClock = TestClock(), _ read: @escaping @Sendable () async throws -> Data?
  ) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    return RequestAgent(
      baseURL: "http://example.com", transport: BodyTransport(body: FunctionBody(recorder, read)),
      hooks: [RecordingHooks(recorder: recorder)], accessories: [RecordingAccessory(recorder: recorder)],
      configuration: configuration)
  }

  @Test("A chunk that arrives with a cancellation is not delivered, and the reader runs the outcome hooks")
  func coincidence() async throws {
    let agent = agent { [recorder] in
      recorder.add("chunk comes")
      return Data("late".utf8)
    }
    recorder.on("chunk comes") { agent.cancelAll() }
    let response = try await agent.stream(StreamProbe(recorder: recorder))
    var chunks = response.body.makeAsyncIterator()
    let error = try await #require(throws: RequestError.self) { try await chunks.next() }
    #expect(error.kind == .cancelled)
    #expect(
      recorder.events == ["accessory.willStart"] + StreamProbe.opened(transport: [])
        + ["chunk comes", "given up", "given up"] + StreamProbe.ended("cancelled"))
    #expect(response.report?.attempts.map(\.bodyLength) == [0])
    #expect(agent.liveCount == 0)
  }

  @Test("A cancellation from an object that the stream's end releases runs the outcome hooks once")
  func cancelledByItsEnd() async throws {
    let agent = agent { throw TransportError(.connectionLost, "gone") }
    recorder.on("given up") { agent.cancelAll() }
    var chunks = try await agent.stream(StreamProbe(recorder: recorder)).body.makeAsyncIterator()
    let error = try await #require(throws: RequestError.self) { try await chunks.next() }
    #expect(error.kind == .cancelled)
    try await ended(agent)
    #expect(
      recorder.events == ["accessory.willStart"] + StreamProbe.opened(transport: [])
        + ["given up", "given up"] + StreamProbe.ended("cancelled"))
  }

  @Test("A body that ends after the deadline has failed")
  func endAfterDeadline() async throws {
    let clock = TestClock()
    let agent = agent(clock: clock) {
      await clock.advance(by: .seconds(5))
      return nil
    }
    var chunks = try await agent.stream(StreamProbe(recorder: recorder, deadline: .seconds(5))).body
      .makeAsyncIterator()
    let error = try await #require(throws: RequestError.self) { try await chunks.next() }
    #expect(error.kind == .deadlineExceeded)
    #expect(recorder.events.last == "accessory.didStop failure deadlineExceeded")
    #expect(try await chunks.next() == nil)
  }

  @Test("A response dropped during its end changes nothing")
  func droppedLate() async throws {
    let clock = TestClock()
    let agent = agent(clock: clock)
    let held = Locked<StreamedResponse?>(nil)
    recorder.on("request.preprocess failure deadlineExceeded") {
      let response = held.withLock { held in
        defer { held = nil }
        return held
      }
      #expect(response != nil)
    }
    func hold() async throws {
      let response = try await agent.stream(StreamProbe(recorder: recorder, deadline: .seconds(5)))
      held.withLock { $0 = response }
    }
    try await hold()
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(5))
    try await ended(agent, "failure deadlineExceeded")
    #expect(
      recorder.events == ["accessory.willStart"] + StreamProbe.opened()
        + StreamProbe.ended("failure deadlineExceeded"))
  }

  @Test("The deadline ends the stream in the body while the reader waits for a chunk")
  func deadlineWaiting() async throws {
    let clock = TestClock()
    let agent = agent(clock: clock)
    let task = Task { [recorder] in
      let probe = StreamProbe(recorder: recorder, deadline: .seconds(5))
      for try await _ in try await agent.stream(probe).body {}
    }
    try await recorder.wait(for: "silence")
    await clock.advance(by: .seconds(5))
    let error = try await #require(throws: RequestError.self) { try await task.value }
    #expect(error.kind == .deadlineExceeded && error.stage == .transport && error.elapsed == .seconds(5))
    #expect(error.reason == "the dispatch took longer than its deadline, 5 s")
    #expect(error.description.contains("\nResponse: 200 OK, 4 bytes read\n"))
    #expect(
      recorder.events == ["accessory.willStart"] + StreamProbe.opened() + ["silence"]
        + StreamProbe.ended("failure deadlineExceeded"))
    #expect(agent.liveCount == 0)
  }

  @Test("The deadline ends the stream while the reader is busy")
  func deadlineResting() async throws {
    let clock = TestClock()
    let agent = agent(clock: clock)
    let probe = StreamProbe(recorder: recorder, deadline: .seconds(5))
    let response = try await agent.stream(probe)
    var chunks = response.body.makeAsyncIterator()
    _ = try await chunks.next()
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(5))
    try await ended(agent, "failure deadlineExceeded")
    let events =
      ["accessory.willStart"] + StreamProbe.opened() + StreamProbe.ended("failure deadlineExceeded")
    #expect(recorder.events == events)
    let error = try await #require(throws: RequestError.self) { try await chunks.next() }
    #expect(error.kind == .deadlineExceeded)
    #expect(recorder.events == events)
    #expect(clock.sleeperCount == 0)
  }

  @Test("A cancellation in preprocess turns the end of a stream into cancelled")
  func inPreprocess() async throws {
    let agent = agent(.answer(200))
    recorder.on("request.preprocess success") { agent.cancelAll() }
    let error = try await #require(throws: RequestError.self) {
      for try await _ in try await agent.stream(StreamProbe(recorder: recorder)).body {}
    }
    #expect(error.kind == .cancelled)
    #expect(
      recorder.events.suffix(6) == [
        "request.preprocess success", "agent.preprocess success", "accessory.willStop",
        "request.completed cancelled", "agent.completed cancelled", "accessory.didStop cancelled",
      ])
  }
}
