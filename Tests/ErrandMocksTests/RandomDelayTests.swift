import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("Random delays")
struct RandomDelayTests {
  private static func waits(_ answer: MockAnswer, count: Int) async throws -> [Duration] {
    let clock = TestClock(autoAdvances: true)
    let transport = MockTransport([Stub(.get, "/a", answers: answer)], clock: clock)
    let agent = RequestAgent.mocked(by: transport)
    for _ in 0..<count { try await agent.send(.get("a")) }
    return clock.sleeps
  }

  @Test("Equal seeds give equal delays within the range, and a different seed gives different delays")
  func seeds() async throws {
    let range = Duration.milliseconds(10)...Duration.milliseconds(20)
    let first = try await Self.waits(.text("a").delayed(within: range, seed: 7), count: 100)
    let again = try await Self.waits(.text("a").delayed(within: range, seed: 7), count: 100)
    let other = try await Self.waits(.text("a").delayed(within: range, seed: 8), count: 100)
    #expect(first == again && first != other)
    #expect(first.count == 100 && Set(first).count == 100)
    #expect(first.allSatisfy(range.contains))
    #expect(first.contains { $0 < .milliseconds(12) } && first.contains { $0 > .milliseconds(18) })
  }

  @Test("A range of one delay is that delay, and the last setting counts")
  func edges() async throws {
    let one = Duration.seconds(2)...Duration.seconds(2)
    #expect(
      try await Self.waits(.text("a").delayed(within: one, seed: 1), count: 2) == [.seconds(2), .seconds(2)])
    let later = MockAnswer.text("a").delayed(within: one, seed: 1).delayed(by: .seconds(3))
    #expect(try await Self.waits(later, count: 1) == [.seconds(3)])
    let ranged = MockAnswer.text("abc").delayed(by: .seconds(3)).acceptingRanges().delayed(
      within: one, seed: 1)
    #expect(try await Self.waits(ranged, count: 1) == [.seconds(2)])
  }

  @Test("A server waits the delays in real time")
  func server() async throws {
    let server = try MockServer()
    let range = Duration.milliseconds(30)...Duration.milliseconds(40)
    server.route(.get, "/a", answers: .text("a").delayed(within: range, seed: 1))
    let start = ContinuousClock.now
    #expect(try RawClient.get("/a", port: server.port).hasSuffix("a"))
    #expect(ContinuousClock.now - start >= .milliseconds(30))
  }
}
