import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("The clock of an agent")
struct AgentClockTests {
  @Test("The clock counts from its creation, and moves its wall time along")
  func now() async {
    let test = TestClock()
    await test.advance(by: .seconds(100))
    let clock = AgentClock(test, date: Date(timeIntervalSince1970: 1000))
    #expect(clock.now() == .zero)
    await test.advance(by: .milliseconds(2500))
    #expect(clock.now() == .milliseconds(2500))
    #expect(clock.date == Date(timeIntervalSince1970: 1002.5))
  }

  @Test("The clock sleeps the given time, clamped to the range of the system's clock")
  func sleep() async throws {
    let test = TestClock(autoAdvances: true)
    let clock = AgentClock(test)
    try await clock.sleep(.seconds(3))
    try await clock.sleep(.seconds(Int64.max))
    #expect(test.sleeps == [.seconds(3), .seconds(1_000_000_000)])
  }

  @Test("A report has the start of its dispatch by this clock")
  func report() async throws {
    let test = TestClock(autoAdvances: true)
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(test, date: Date(timeIntervalSince1970: 1000))
    let agent = RequestAgent(
      baseURL: "http://example.com",
      transport: FunctionTransport { _, _ in
        try await test.sleep(for: .seconds(2))
        return HTTPResponse()
      }, configuration: configuration)
    _ = try await agent.send(.get("a"))
    let report = try await agent.response(for: .get("a")).report
    #expect(report.started == Date(timeIntervalSince1970: 1002))
    #expect(report.elapsed == .seconds(2))
  }
}
