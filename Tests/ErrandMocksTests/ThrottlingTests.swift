import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("Throttled answers")
struct ThrottlingTests {
  struct Row: Sendable {
    let answer: MockAnswer
    let sleeps: [Duration]
  }

  private static let tenths = Array(repeating: Duration.milliseconds(100), count: 2)

  static let rows = [
    Row(answer: .text("hello").throttled(to: 20), sleeps: tenths + [.milliseconds(50)]),
    Row(answer: .text("hello").throttled(to: 2), sleeps: Array(repeating: .milliseconds(500), count: 5)),
    Row(
      answer: .chunks([Data("hel".utf8), Data("lo".utf8)], gap: .seconds(1)).throttled(to: 20),
      sleeps: [.milliseconds(100), .milliseconds(50), .milliseconds(1100)]),
    Row(
      answer: .text("hello").throttled(to: 20).delayed(by: .seconds(3)),
      sleeps: [.seconds(3)] + tenths + [.milliseconds(50)]),
  ]

  @Test("The body takes its time on the transport's clock", arguments: rows)
  func transport(row: Row) async throws {
    let clock = TestClock(autoAdvances: true)
    let transport = MockTransport(clock: clock) { _ in row.answer }
    #expect(try await transport.exchange(.get, "https://h/a").body == "hello")
    #expect(clock.sleeps == row.sleeps)
  }

  @Test("Each piece counts as progress, so only a byte slower than the timeout times out")
  func timeouts() async throws {
    let clock = TestClock(autoAdvances: true)
    let transport = MockTransport([Stub(.get, "/a", answers: .text("hello").throttled(to: 1))], clock: clock)
    #expect(try await transport.exchange(.get, "https://h/a", timeout: .seconds(1)).body == "hello")
    #expect(clock.now.offset == .seconds(5))
    await #expect(throws: TransportError(.timedOut, "there was no progress for 0.5 seconds")) {
      try await transport.exchange(.get, "https://h/a", timeout: .milliseconds(500))
    }
  }

  @Test("A server takes its time, and frames the body as without throttling")
  func server() throws {
    let server = try MockServer()
    server.route(.get, "/a", answers: .text("hello").throttled(to: 100))
    let start = ContinuousClock.now
    #expect(
      try RawClient.get("/a", port: server.port)
        == "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 5\r\n"
        + "Connection: close\r\n\r\nhello")
    #expect(ContinuousClock.now - start >= .milliseconds(50))
    server.route(.get, "/b", answers: .chunks([Data("hello".utf8)]).throttled(to: 30))
    #expect(try RawClient.get("/b", port: server.port).hasSuffix("\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"))
  }

  @Test("The minimum rate is one byte a second, and a fast body arrives in a piece per tenth of a second")
  func bounds() async throws {
    let clock = TestClock(autoAdvances: true)
    let slow = MockTransport(clock: clock) { _ in .text("ab").throttled(to: 0) }
    #expect(try await slow.exchange(.get, "https://h/a").body == "ab")
    #expect(clock.sleeps == [.seconds(1), .seconds(1)])
    let fast = TestClock(autoAdvances: true)
    let body = Data(count: 1_000_000)
    let transport = MockTransport(clock: fast) { _ in .data(body).throttled(to: 4_000_000) }
    #expect(try await transport.exchange(.get, "https://h/a").body.utf8.count == 1_000_000)
    #expect(fast.sleeps == [.milliseconds(100), .milliseconds(100), .milliseconds(50)])
  }
}
