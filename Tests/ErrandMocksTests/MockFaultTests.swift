@testable import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("Faults", .timeLimit(.minutes(5)))
struct MockFaultTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let answer: MockAnswer
    let kind: RequestError.Kind
    /// The error kind with a server, if a server cannot produce the same error.
    var serverKind: RequestError.Kind?
    let reason: String
    /// The part of the body that arrives before the failure.
    var body: String?
    /// The time that passes on the clock.
    var time: Duration = .zero
    var testDescription: String { reason }
  }

  private static let silence = "there was no progress for 0.25 seconds"
  private static let broken = "the connection to h:80 broke while the response was received"
  private static let chunks = MockAnswer.chunks(["ab", "cd", "ef"].map { Data($0.utf8) })

  static let rows = [
    Row(
      answer: .fault(.refused), kind: .connectionFailed, serverKind: .connectionLost,
      reason: "no connection to h:80 could be made"),
    Row(answer: .fault(.reset), kind: .connectionLost, reason: broken),
    Row(answer: .fault(.stalled), kind: .timedOut, reason: silence, time: .milliseconds(250)),
    Row(answer: .fault(.timedOut), kind: .timedOut, reason: silence),
    Row(
      answer: .fault(.stalled).delayed(by: .milliseconds(50)), kind: .timedOut, reason: silence,
      time: .milliseconds(300)),
    Row(
      answer: .text("hello").fault(.truncated(after: 3)), kind: .connectionLost,
      reason: "the connection was closed after 3 of the 5 bytes of the body", body: "hel"),
    Row(
      answer: .fault(.truncated(after: 2)), kind: .connectionLost,
      reason: "the connection was closed after 2 of the 3 bytes of the body", body: "\0\0"),
    Row(
      answer: chunks.fault(.truncated(after: 3)), kind: .connectionLost,
      reason: "the connection was closed inside the body, after 3 bytes", body: "abc"),
    Row(answer: .text("hello").fault(.reset(after: 3)), kind: .connectionLost, reason: broken, body: "hel"),
    Row(
      answer: .text("hello").fault(.stalled(after: 3)), kind: .timedOut, reason: silence, body: "hel",
      time: .milliseconds(250)),
    Row(
      answer: chunks.throttled(to: 20).fault(.stalled(after: 3)), kind: .timedOut, reason: silence,
      body: "abc",
      time: .milliseconds(400)),
  ]

  private func error(_ agent: RequestAgent, timeout: Duration) async throws -> RequestError {
    let request = OneOffRequest<Data>("a", response: .data).with(\.timeout, timeout)
    return try #require(await #expect(throws: RequestError.self) { try await agent.send(request) })
  }

  @Test("A transport fails at once or on its clock", arguments: rows)
  func transport(row: Row) async throws {
    let clock = TestClock(autoAdvances: true)
    let transport = MockTransport([Stub(.get, "/a", answers: row.answer)], clock: clock)
    let agent = RequestAgent(baseURL: "http://h", transport: transport)
    let error = try await error(agent, timeout: .milliseconds(250))
    #expect(error.kind == row.kind)
    #expect(error.reason == row.reason)
    #expect(error.response.map { String(decoding: $0.body, as: UTF8.self) } == row.body)
    #expect(clock.now.offset == row.time)
  }

  @Test(
    "A server fails in the same way on a connection", .enabled(if: Platform.name == "Linux"), arguments: rows)
  func server(row: Row) async throws {
    let server = try MockServer()
    server.add(Stub(.get, "/a", answers: row.answer))
    // A short timeout, only for rows that expect `timedOut`.
    let timeout: Duration = row.kind == .timedOut ? .milliseconds(250) : .seconds(60)
    let error = try await error(RequestAgent(baseURL: server.baseURL), timeout: timeout)
    #expect(error.kind == row.serverKind ?? row.kind, "\(error)")
  }

  @Test("A body no longer than the fault's count, and an answer without a body, arrive completely")
  func whole() async throws {
    let answers: [MockAnswer] = [
      .text("hello").fault(.truncated(after: 5)), .text("hello").fault(.reset(after: 9)),
      .text("hello").fault(.stalled(after: .max)), Self.chunks.fault(.truncated(after: 6)),
    ]
    let bodies = ["hello", "hello", "hello", "abcdef"]
    for (answer, body) in zip(answers, bodies) {
      let transport = MockTransport { _ in answer }
      #expect(try await transport.exchange(.get, "http://h/a").body == body)
      #expect(try await transport.exchange(.head, "http://h/a").body == "")
      let server = try MockServer()
      server.route(nil, "/a", answers: answer.header("Connection", "close"))
      let sent = try RawClient.answer(port: server.port, to: "GET /a HTTP/1.0\r\n\r\n")
      #expect(sent.hasSuffix("\r\n\r\n\(body)"))
      #expect(try RawClient.answer(port: server.port, to: "HEAD /a HTTP/1.0\r\n\r\n").hasSuffix("\r\n\r\n"))
    }
  }

  @Test("An answer with close among several connection options ends the connection")
  func closing() async throws {
    let server = try MockServer()
    server.route(nil, "/a", answers: .text("x").header("Connection", "X-Hop, Close"))
    // The server closes the connection after the text, so the second request gets no answer.
    let sent = try RawClient.answer(
      port: server.port, to: "GET /a HTTP/1.1\r\nHost: h\r\n\r\nGET /a HTTP/1.1\r\nHost: h\r\n\r\n")
    #expect(sent.components(separatedBy: "HTTP/1.1 200").count == 2)
    #expect(
      sent.components(separatedBy: "\r\n").filter { $0.hasPrefix("Connection:") } == [
        "Connection: X-Hop, Close"
      ])
  }

  @Test("Cancellation ends a stall at once, before the head and in the body", arguments: [nil, 3])
  func cancelled(after count: Int?) async throws {
    let clock = TestClock()
    let transport = MockTransport(clock: clock) { _ in
      count.map { .text("hello").fault(.stalled(after: $0)) } ?? .fault(.stalled)
    }
    let cancellation = CancellationSignal()
    let sending = Task { try await transport.exchange(.get, "https://h/a", cancellation: cancellation) }
    await clock.waitForSleepers()
    cancellation.cancel()
    await #expect(throws: TransportError.cancelled) { try await sending.value }
    #expect(clock.sleeperCount == 0)
  }

  @Test("A fault is retried like a real failure, and the next answer succeeds")
  func retried() async throws {
    let transport = MockTransport(
      [Stub(.get, "/a", answers: .fault(.refused), .text("x").fault(.truncated(after: 0)), .text("done"))],
      clock: TestClock(autoAdvances: true))
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(TestClock(autoAdvances: true))
    configuration.retryPolicy = .upTo(2)
    let agent = RequestAgent.mocked(by: transport, configuration: configuration)
    let received = try await agent.response(for: .get("a", as: String.self))
    #expect(received.value == "done")
    #expect(received.report.attempts.count == 3)
  }
}
