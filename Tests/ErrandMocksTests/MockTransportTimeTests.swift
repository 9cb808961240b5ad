import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("MockTransport, times and cancellation")
struct MockTransportTimeTests {
  @Test("Delays and gaps pass on the given clock")
  func delays() async throws {
    let clock = TestClock(autoAdvances: true)
    let chunks = ["a", "", "b", "c"].map { Data($0.utf8) }
    let transport = MockTransport(clock: clock) { _ in
      .chunks(chunks, gap: .seconds(2)).delayed(by: .seconds(30))
    }
    let (head, body) = try await transport.exchange(.get, "https://h/a")
    #expect(head.headers == ["Transfer-Encoding": "chunked"])
    #expect(body == "abc")
    #expect(clock.sleeps == [.seconds(30), .seconds(2), .seconds(2)])
  }

  @Test("A delay or a gap longer than the timeout ends with a timeout, after the timeout")
  func timeouts() async throws {
    let clock = TestClock(autoAdvances: true)
    let transport = MockTransport(
      [
        Stub(.get, "/late", answers: .status(200).delayed(by: .seconds(30))),
        Stub(.get, "/drip", answers: .chunks([Data("a".utf8), Data("b".utf8)], gap: .seconds(30))),
      ], clock: clock)
    for path in ["late", "drip"] {
      await #expect(
        throws: TransportError(.timedOut, "there was no progress for 5.0 seconds")
      ) {
        try await transport.exchange(.get, "https://h/\(path)", timeout: .seconds(5))
      }
    }
    #expect(clock.sleeps == [.seconds(5), .seconds(5)])
  }

  @Test("A body that has ended stays ended after later cancellation")
  func cancelledAfterEnd() async throws {
    let transport = MockTransport { _ in .chunks([Data("a".utf8)]) }
    let cancellation = CancellationSignal()
    let request = TransportRequest(
      HTTPRequest(url: try #require(URL(string: "https://h/a"))), cancellation: cancellation)
    let body = try await transport.send(request).body
    var chunks = body.makeAsyncIterator()
    #expect(try await chunks.next() == Data("a".utf8))
    #expect(try await chunks.next() == nil)
    cancellation.cancel()
    body.cancel()
    #expect(try await chunks.next() == nil)
  }

  @Test("A request cancelled before sending is neither recorded nor answered")
  func cancelledBefore() async {
    let transport = MockTransport { _ in .status(200) }
    let cancellation = CancellationSignal()
    cancellation.cancel()
    await #expect(throws: TransportError.cancelled) {
      try await transport.exchange(.get, "https://h/a", cancellation: cancellation)
    }
    #expect(transport.requests.isEmpty)
  }

  @Test("Cancellation ends a delay at once")
  func cancelledInDelay() async {
    let clock = TestClock()
    let transport = MockTransport(clock: clock) { _ in .status(200).delayed(by: .seconds(30)) }
    let cancellation = CancellationSignal()
    let sending = Task { try await transport.exchange(.get, "https://h/a", cancellation: cancellation) }
    await clock.waitForSleepers()
    cancellation.cancel()
    await #expect(throws: TransportError.cancelled) { try await sending.value }
    #expect(clock.sleeperCount == 0)
    #expect(transport.requests.count == 1)
  }

  @Test(
    "Cancellation ends the gap between two chunks at once, from the task and from the signal",
    arguments: [true, false])
  func cancelledInGap(bySignal: Bool) async throws {
    let clock = TestClock()
    let transport = MockTransport(clock: clock) { _ in
      .chunks([Data("a".utf8), Data("b".utf8)], gap: .seconds(30))
    }
    let cancellation = CancellationSignal()
    let request = TransportRequest(
      HTTPRequest(url: try #require(URL(string: "https://h/a"))), cancellation: cancellation)
    let body = try await transport.send(request).body
    let received = Locked<[String]>([])
    let reading = Task {
      for try await chunk in body {
        received.withLock { $0.append(String(decoding: chunk, as: UTF8.self)) }
      }
    }
    await clock.waitForSleepers()
    if bySignal { cancellation.cancel() } else { body.cancel() }
    await #expect(throws: TransportError.cancelled) { try await reading.value }
    #expect(received.withLock { $0 } == ["a"])
    #expect(clock.sleeperCount == 0)
  }

  @Test(
    "The longest durations work: on a test clock, and on the system's clock until cancellation"
  )
  func longest() async throws {
    let longest = Duration.seconds(Int64.max)
    let clock = TestClock(autoAdvances: true)
    let late = MockTransport(clock: clock) { _ in .text("late").delayed(by: longest) }
    let agent = RequestAgent.mocked(by: late)
    let request = OneOffRequest.get("x", as: String.self).with(\.timeout, longest)
    #expect(try await agent.send(request) == "late")

    let system = RequestAgent.mocked(by: MockTransport { _ in .fault(.stalled) })
    let error = await #expect(throws: RequestError.self) {
      try await system.send(request.with(\.deadline, .milliseconds(20)))
    }
    #expect(error?.kind == .deadlineExceeded)
  }

  #if os(Linux)
  @Test("A negative bomb size counts as 0")
  func bomb() async throws {
    let server = try MockServer()
    server.route(.get, "/bomb", answers: .bomb(-1))
    #expect(try await RequestAgent().send(.get("\(server.baseURL)/bomb", as: Data.self)).isEmpty)
  }
  #endif
}
