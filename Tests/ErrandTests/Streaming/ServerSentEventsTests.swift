import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Events with reconnection", .timeLimit(.minutes(2)))
struct ServerSentEventsTests {
  let clock = TestClock(autoAdvances: true)

  private func agent(
    _ answers: [MockAnswer], on clock: TestClock? = nil, accessories: [any Accessory] = [],
    _ configure: (inout AgentConfiguration) -> Void = { _ in }
  ) -> (agent: RequestAgent, transport: MockTransport) {
    let clock = clock ?? self.clock
    let transport = MockTransport(clock: clock) { request in
      request.number <= answers.count ? answers[request.number - 1] : .status(204)
    }
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    configuration.jitter = { 0 }
    configure(&configuration)
    let agent = RequestAgent(
      baseURL: "http://example.com", transport: transport, accessories: accessories,
      configuration: configuration)
    return (agent, transport)
  }

  private static func events(_ data: String...) -> MockAnswer { .events(data.map { ServerSentEvent($0) }) }

  private static func text(_ text: String) -> MockAnswer {
    .data(Data(text.utf8), contentType: "text/event-stream")
  }

  // MARK: Reconnection

  @Test("The loop reconnects after each end with the last id and the server's retry time, until a 204")
  func reconnection() async throws {
    let (agent, transport) = agent([
      Self.text("data: a\n\n"), Self.text("retry: 500\nid: 7\ndata: b\n\nid: 8\ndata: half"),
      Self.text("data: c\n\n"), Self.text("id: 9\n\n"), Self.text("id\ndata: d\n\n"),
    ])
    let (events, error) = await agent.serverSentEvents(of: .get("prices")).drained()
    #expect(
      events == [
        ServerSentEvent("a"), ServerSentEvent("b", id: "7", retry: .milliseconds(500)),
        ServerSentEvent("c", id: "7"), ServerSentEvent("d"),
      ])
    #expect(error == nil && agent.liveCount == 0)
    #expect(transport.requests.map { $0.headers["Last-Event-ID"] } == [nil, nil, "7", "7", "9", nil])
    #expect(transport.requests.allSatisfy { $0.headers["Accept"] == "text/event-stream" })
    #expect(transport.requests.allSatisfy { $0.headers["Cache-Control"] == "no-store" })
    #expect(clock.sleeps == [.seconds(3)] + Array(repeating: .milliseconds(500), count: 4))
  }

  @Test("The loop starts after a given id")
  func resumption() async throws {
    let (agent, transport) = agent([Self.events("a")])
    let events = await agent.serverSentEvents(of: .get("prices"), after: "é 7").drained().elements
    #expect(events == [ServerSentEvent("a", id: "é 7")])
    #expect(transport.requests.map { $0.headers["Last-Event-ID"] } == ["é 7", "é 7"])
  }

  @Test("Failed connections are repeated with growing waits, up to a minute")
  func backoff() async throws {
    let failure = MockAnswer.fault(.refused)
    let (agent, transport) = agent(
      Array(repeating: failure, count: 7) + [
        Self.events("a"), .fault(.reset), Self.text("").fault(.truncated(after: 0)),
      ])
    let (events, error) = await agent.serverSentEvents(of: .get("prices")).drained()
    #expect(events == [ServerSentEvent("a")] && error == nil)
    #expect(transport.requests.count == 11)
    #expect(clock.sleeps == [3, 6, 12, 24, 48, 60, 60, 3, 3, 3].map { .seconds($0) })
  }

  @Test("Jitter makes later waits longer by at most half, and never shorter")
  func jitter() async throws {
    let (agent, _) = agent(Array(repeating: .fault(.refused), count: 3)) { $0.jitter = { 1 } }
    _ = await agent.serverSentEvents(of: .get("prices")).drained()
    #expect(clock.sleeps == [.seconds(3), .seconds(9), .seconds(18)])
  }

  @Test("A retry time of zero becomes a short wait, and a retry time of a day becomes an hour")
  func bounds() async throws {
    let (agent, _) = agent([
      Self.text("retry: 0\n\n"), Self.text("retry: 86400000\n\n"), .fault(.refused), .fault(.refused),
    ])
    _ = await agent.serverSentEvents(of: .get("prices")).drained()
    #expect(clock.sleeps == [.milliseconds(100), .seconds(3600), .seconds(3600), .seconds(3600)])
  }

  @Test("The allowed number of failures in a row is repeated, and the next failure is thrown")
  func failures() async throws {
    let (agent, transport) = agent([
      .fault(.refused), .fault(.refused), Self.events("a"), .fault(.refused), .fault(.refused),
      .fault(.reset),
    ])
    let (events, error) = await agent.serverSentEvents(of: .get("prices"), maxFailures: 2).drained()
    #expect(events == [ServerSentEvent("a")] && transport.requests.count == 6)
    #expect((error as? RequestError)?.kind == .connectionLost)
    #expect(clock.sleeps == [3, 6, 3, 3, 6].map { .seconds($0) })
  }

  @Test("A connection that breaks inside an event delivers no part, and the next connection the whole event")
  func broken() async throws {
    let whole = "id: 1\ndata: one\n\nid: 2\ndata: two, and more\n\n"
    let (agent, transport) = agent([
      Self.text(whole).fault(.reset(after: 32)), Self.text("id: 2\ndata: two, and more\n\n"),
    ])
    let events = await agent.serverSentEvents(of: .get("prices")).drained().elements
    #expect(events == [ServerSentEvent("one", id: "1"), ServerSentEvent("two, and more", id: "2")])
    #expect(transport.requests.map { $0.headers["Last-Event-ID"] } == [nil, "1", "2"])
  }

  // MARK: Ends of the stream

  static let refusals: [(answer: MockAnswer, kind: RequestError.Kind, reason: String)] = [
    (.status(503), .status, "status 503 Service Unavailable is not in 200..<300"),
    (.status(201), .status, "status 201 Created is not 200 OK"),
    (
      .text("<html>"), .contentType, "content type text/plain is not text/event-stream"
    ),
    (
      .data(Data("x".utf8)), .contentType,
      "the response has no content type, text/event-stream was expected"
    ),
    (
      text("data: \(String(repeating: "x", count: 99))"), .limitExceeded,
      "a line is longer than its limit, 64 bytes"
    ),
  ]

  @Test("Another status, another type and an event over the limit end the loop", arguments: refusals)
  func refused(_ row: (answer: MockAnswer, kind: RequestError.Kind, reason: String)) async throws {
    let (agent, transport) = agent([Self.events("a"), row.answer, Self.events("b")])
    let (events, thrown) = await agent.serverSentEvents(of: .get("prices"), limit: 64).drained()
    let error = try #require(thrown as? RequestError)
    #expect(events == [ServerSentEvent("a")] && error.kind == row.kind && error.reason == row.reason)
    #expect(transport.requests.count == 2)
    await until { agent.liveCount == 0 }
  }

  @Test("A 204 ends the loop, even if the request's validators refuse 204")
  func noContent() async throws {
    let (agent, transport) = agent([])
    #expect(await agent.serverSentEvents(of: .get("prices")).drained().error == nil)
    let strict = OneOffRequest.get("prices").with(\.validators, [.status(200)])
    let (events, error) = await agent.serverSentEvents(of: strict).drained()
    #expect(events == [] && error == nil && transport.requests.count == 2)
  }

  @Test("A request with an unsafe method is sent once")
  func unsafe() async throws {
    let (agent, transport) = agent([
      Self.events("a"), .fault(.reset), Self.text("data: b\n\n").fault(.truncated(after: 8)),
    ])
    let ended = await agent.serverSentEvents(of: .post("chat")).drained()
    #expect(ended.elements == [ServerSentEvent("a")] && ended.error == nil)
    for count in [2, 3] {
      let error = await agent.serverSentEvents(of: .post("chat")).drained().error as? RequestError
      #expect(error?.kind == .connectionLost && transport.requests.count == count)
    }
    #expect(clock.sleeps == [])
  }

  @Test("A break ends the transfer, and a new loop starts anew")
  func breaking() async throws {
    let (agent, transport) = agent(
      [.events([ServerSentEvent("a", id: "1")], staysOpen: true), Self.events("b")], on: TestClock())
    let events = agent.serverSentEvents(of: .get("prices"))
    for try await event in events {
      #expect(event == ServerSentEvent("a", id: "1"))
      break
    }
    await until { agent.liveCount == 0 }
    #expect(agent.groups.count == 0)
    for try await event in events {
      #expect(event == ServerSentEvent("b"))
      break
    }
    #expect(transport.requests.map { $0.headers["Last-Event-ID"] } == [nil, nil])
  }

  @Test(
    "A cancelled task ends the loop with CancellationError, during silence and between two connections",
    arguments: [true, false])
  func cancelled(isOpen: Bool) async throws {
    let clock = TestClock()
    let (agent, _) = agent([.events([ServerSentEvent("a")], staysOpen: isOpen)], on: clock)
    let task = Task {
      for try await _ in agent.serverSentEvents(of: .get("prices")) {}
    }
    await clock.waitForSleeps()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(agent.liveCount == 0 && agent.groups.count == 0)
  }

  @Test("cancelAll ends the loop, during silence and between two connections", arguments: [true, false])
  func cancelAll(isOpen: Bool) async throws {
    let clock = TestClock()
    let (agent, transport) = agent([.events([ServerSentEvent("a")], staysOpen: isOpen)], on: clock)
    let task = Task { await agent.serverSentEvents(of: .get("prices")).drained() }
    await clock.waitForSleeps()
    agent.cancelAll()
    let error = await task.value.error as? RequestError
    #expect(error?.kind == .cancelled && error?.reason == "the agent cancelled all its requests")
    #expect(transport.requests.count == 1 && agent.liveCount == 0 && agent.groups.count == 0)
  }

  // MARK: Time

  @Test("Hours of silence end no connection, under any limits for transfers")
  func silence() async throws {
    let answer = MockAnswer.events(["a", "b", "c"].map { ServerSentEvent($0) }, gap: .seconds(7200))
    let (agent, transport) = agent([answer]) { configuration in
      configuration.limits.attemptTimeout = .seconds(10)
      configuration.limits.bodySize = 20
      configuration.limits.decodedSize = 1
      configuration.limits.minimumThroughput = TransferLimits.Throughput(bytes: 1000)
    }
    let events = await agent.serverSentEvents(of: .get("prices")).drained().elements
    #expect(events.map(\.data) == ["a", "b", "c"] && transport.requests.count == 2)
    #expect(clock.sleeps == [.seconds(7200), .seconds(7200), .seconds(3)])
  }

  @Test("A response that is not an event stream keeps its timeout")
  func timeout() async throws {
    let (agent, _) = agent([.events(["a", "b"].map { ServerSentEvent($0) }, gap: .seconds(61))])
    let (events, error) = await (try await agent.stream(.get("prices"))).serverSentEvents.drained()
    #expect(events == [ServerSentEvent("a")] && (error as? RequestError)?.kind == .timedOut)
  }

  @Test("With an idle timeout a silent connection counts as broken")
  func idleTimeout() async throws {
    let open = MockAnswer.events([ServerSentEvent("a", id: "1")], staysOpen: true)
    let (agent, transport) = agent([open, Self.events("b")])
    let events = await agent.serverSentEvents(of: .get("prices"), idleTimeout: .seconds(45)).drained()
      .elements
    #expect(events.map(\.data) == ["a", "b"])
    #expect(transport.requests.map { $0.headers["Last-Event-ID"] } == [nil, "1", "1"])
    #expect(clock.sleeps == [.seconds(45), .seconds(3), .seconds(3)])
  }

  static let stalls: [MockAnswer] = [
    .fault(.stalled), text("data: a\n\n").delayed(by: .seconds(90)),
    .text("busy", status: 503).fault(.stalled(after: 2)),
  ]

  @Test(
    "A missing head, and an endless refusal, are limited by the timeout",
    arguments: stalls)
  func headTimeout(_ answer: MockAnswer) async throws {
    let clock = TestClock()
    let (agent, _) = agent([answer], on: clock)
    let task = Task {
      await agent.serverSentEvents(
        of: OneOffRequest.get("prices").with(\.timeout, .seconds(20)), maxFailures: 0
      )
      .drained()
    }
    await clock.waitForSleepers(2)
    await clock.advance(by: .seconds(20))
    let error = await task.value.error as? RequestError
    #expect(error?.kind == .timedOut)
    #expect(error?.reason == "no response was accepted within the timeout of 20 s")
    #expect(agent.liveCount == 0)
  }

  @Test("The request's own deadline applies to a connection, and ends the loop")
  func deadline() async throws {
    let clock = TestClock()
    let (agent, transport) = agent([.events([ServerSentEvent("a")], staysOpen: true)], on: clock)
    let task = Task {
      await agent.serverSentEvents(of: OneOffRequest.get("prices").with(\.deadline, .seconds(600))).drained()
    }
    await clock.waitForSleeps()
    await until { clock.sleeperCount == 2 }
    await clock.advance(by: .seconds(600))
    let (events, error) = await task.value
    #expect(events == [ServerSentEvent("a")] && (error as? RequestError)?.kind == .deadlineExceeded)
    #expect(transport.requests.count == 1)
  }

  // MARK: The dispatch

  @Test("Each connection is a separate dispatch with accessories, hooks and retries")
  func dispatches() async throws {
    let recorder = Recorder()
    let watching = EventAccessory(didStop: { report, _ in
      recorder.add("\(report.attempts.count) attempts, \(report.outcome.word)")
    })
    let (agent, transport) = agent(
      [Self.events("a"), .fault(.refused), Self.events("b"), Self.events("c")], accessories: [watching]
    ) { $0.headers = ["X-Agent": "yes"] }
    let request = OneOffRequest.get("prices").with(\.retryPolicy, .upTo(1))
    let events = await agent.serverSentEvents(of: request).drained().elements
    #expect(events.map(\.data) == ["a", "b", "c"])
    #expect(
      recorder.events == [
        "1 attempts, success", "2 attempts, success", "1 attempts, success", "1 attempts, success",
      ])
    #expect(transport.requests.allSatisfy { $0.headers["X-Agent"] == "yes" })
  }

  @Test("The request's own fields stay, except the id, and so do its validators")
  func ownFields() async throws {
    let (agent, transport) = agent([Self.text("id: 2\n\n"), Self.events("a").header("X-Bad", "1")])
    let bad = StandardValidator.head { head, _ in
      head.headers["X-Bad"] == nil ? .accepted : .refused(Refusal("bad"))
    }
    let request = OneOffRequest.get("prices")
      .with(
        \.headers, ["Accept": "text/event-stream, */*", "Last-Event-ID": "1", "Cache-Control": "no-cache"]
      )
      .with(\.validators, [.status(200..<300), bad])
    let error = await agent.serverSentEvents(of: request).drained().error as? RequestError
    #expect(error?.reason == "bad")
    #expect(transport.requests.map { $0.headers["Last-Event-ID"] } == ["1", "2"])
    #expect(
      transport.requests.map { $0.headers["Accept"] } == ["text/event-stream, */*", "text/event-stream, */*"])
    #expect(transport.requests.map { $0.headers["Cache-Control"] } == ["no-cache", "no-cache"])
  }

  @Test("A custom request also gets the fields")
  func custom() async throws {
    struct Custom: Request {
      typealias Response = Void
      var customRequest: HTTPRequest? {
        HTTPRequest(url: URL(string: "https://other.example/prices")!, headers: ["X-Own": "1"])
      }
    }
    let (agent, transport) = agent([Self.text("id: 2\ndata: a\n\n")])
    #expect(await agent.serverSentEvents(of: Custom()).drained().elements == [ServerSentEvent("a", id: "2")])
    #expect(transport.requests.map { $0.headers["Last-Event-ID"] } == [nil, "2"])
    #expect(transport.requests.allSatisfy { $0.headers["Accept"] == "text/event-stream" })
    #expect(transport.requests.allSatisfy { $0.headers["X-Own"] == "1" && $0.url?.host() == "other.example" })
  }

  @Test("The loop waits for an open circuit")
  func circuit() async throws {
    let (agent, transport) = agent([.fault(.refused), Self.events("a")]) { configuration in
      configuration.circuitBreaker = CircuitBreaker(minimumRequests: 1, openTime: .seconds(5))
    }
    #expect(await agent.serverSentEvents(of: .get("prices")).drained().elements == [ServerSentEvent("a")])
    #expect(transport.requests.count == 3)
    #expect(clock.sleeps == [.seconds(3), .seconds(6), .seconds(3)])
  }

  private struct Offline: Authenticator {
    let kind: RequestError.Kind
    let count = Locked(0)

    func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
      let isFirst = count.withLock { count in
        count += 1
        return count == 1
      }
      if isFirst { throw RequestError(kind, "no token") }
      request.headers["Authorization"] = "Bearer t"
    }
  }

  @Test("A network failure of the authenticator is repeated, and other failures end the loop")
  func credentials() async throws {
    let (offline, transport) = agent([Self.events("a")]) {
      $0.authenticator = Offline(kind: .nameNotResolved)
    }
    #expect(await offline.serverSentEvents(of: .get("prices")).drained().elements == [ServerSentEvent("a")])
    #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer t", "Bearer t"])
    let (refused, _) = agent([Self.events("a")]) { $0.authenticator = Offline(kind: .status) }
    let error = await refused.serverSentEvents(of: .get("prices")).drained().error as? RequestError
    #expect(error?.kind == .authentication)
  }

  // MARK: Values

  struct User: Codable, Equatable { var firstName: String }

  @Test("The data is decoded with the agent's coding, a given coding, or a plain coding")
  func decoding() async throws {
    let (agent, _) = agent([Self.events(#"{"first_name":"Ada"}"#)]) { $0.jsonCoding = .snakeCase }
    let event = try #require(await agent.serverSentEvents(of: .get("prices")).drained().elements.first)
    #expect(try event.decode() == User(firstName: "Ada"))
    let plain = ServerSentEvent(#"{"first_name":"Ada"}"#, event: "user")
    #expect(try plain.decode(User.self, by: .snakeCase) == User(firstName: "Ada"))
    let error = try #require(throws: RequestError.self) { try plain.decode(User.self) }
    #expect(error.kind == .decoding && error.cause(as: DecodingError.self) != nil)
    #expect(
      error.reason
        == "the data of an event of type user cannot be decoded: there is no \"firstName\", but there is \"first_name\""
    )
    let broken = try #require(throws: RequestError.self) { try ServerSentEvent("[1").decode([Int].self) }
    #expect(
      broken.reason
        == "the data of an event of type message cannot be decoded: the data is not JSON: the text ends too early at line 1, column 3"
    )
    #expect(broken.hint == "Compare the decoded type with the server's data at the position above.")
  }

  @Test("A printed event has redacted secrets")
  func printing() {
    let event = ServerSentEvent(#"{"token":"hunter2","n":1}"#, event: "signed-in", id: "7")
    #expect("\(event)".hasPrefix("signed-in, id 7: {") && !"\(event)".contains("hunter2"))
    #expect(!String(reflecting: event).contains("hunter2"))
    var dumped = ""
    dump(event, to: &dumped)
    #expect(!dumped.contains("hunter2"))
    #expect(
      "\(ServerSentEvent(String(repeating: "x", count: 300)))"
        == "message: \(String(repeating: "x", count: 200))…")
    #expect("\(agent([]).agent.serverSentEvents(of: .get("a")))" == "stream of ServerSentEvent")
  }
}
