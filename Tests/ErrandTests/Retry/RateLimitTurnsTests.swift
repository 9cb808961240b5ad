import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("The turns of a rate limit", .timeLimit(.minutes(5)))
struct RateLimitTurnsTests {
  private typealias Fetch = RateLimitTests.Fetch
  private typealias Diary = RateLimitTests.Diary

  private func agent(
    _ transport: Diary, _ limit: RateLimit, _ authenticator: (any Authenticator)? = nil, slots: Int = 10
  ) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(transport.clock)
    configuration.authenticator = authenticator
    configuration.rateLimit = limit
    configuration.maxRequestsPerOrigin = slots
    return RequestAgent(baseURL: "http://a.example", transport: transport, configuration: configuration)
  }

  private func start(_ paths: [String], on agent: RequestAgent) async -> [RequestHandle<Void>] {
    await RateLimitTests().start(paths, on: agent)
  }

  /// Refuses to sign the path "1" when the test allows the error.
  struct Refusing: Authenticator {
    var (asked, mayTell) = (OneTime<Void>(), OneTime<Void>())

    func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
      guard request.url.lastPathComponent == "1" else { return }
      asked.set(())
      try await mayTell.wait()
      throw TransportError(.authentication, "no keys")
    }
  }

  @Test("An attempt that sent nothing returns its turn to the next in the queue")
  func unusedTurn() async throws {
    let diary = Diary(TestClock())
    let refusing = Refusing()
    let agent = agent(diary, RateLimit(1, per: .seconds(10)), refusing)
    let unsent = agent.start(Fetch(path: "1"))
    try await refusing.asked.wait()
    let next = await start(["2", "3"], on: agent)
    await diary.clock.waitForSleepers()
    refusing.mayTell.set(())
    let error = try await #require(throws: RequestError.self) { try await unsent.value }
    #expect(error.stage == .authenticate)
    try await next[0].value
    #expect(diary.times == [0])

    await diary.clock.waitForSleepers()
    await diary.clock.advance(by: .seconds(10))
    try await next[1].value
    #expect(diary.paths == ["2", "3"])
    #expect(diary.times == [0, 10])
  }

  @Test("A turn that arrives together with a cancellation goes to the next dispatch")
  func turnOfTheCancelled() async throws {
    let diary = Diary(TestClock())
    let refusing = Refusing()
    let agent = agent(diary, RateLimit(1, per: .seconds(10)), refusing)
    try await agent.send(Fetch(path: "0"))
    let handles = await start(["1", "2"], on: agent)
    await diary.clock.waitForSleepers()
    await diary.clock.advance(by: .seconds(10))
    try await refusing.asked.wait()
    handles[0].cancel()
    refusing.mayTell.set(())
    await #expect(throws: RequestError.self) { try await handles[0].value }
    try await handles[1].value
    #expect(diary.paths == ["0", "2"])
    #expect(diary.times == [0, 10])
  }

  @Test("A turn returned when the bucket is full again is lost")
  func lateTurn() async throws {
    let diary = Diary(TestClock())
    let refusing = Refusing()
    let agent = agent(diary, RateLimit(1, per: .seconds(10)), refusing)
    let unsent = agent.start(Fetch(path: "1"))
    try await refusing.asked.wait()
    let next = await start(["2", "3", "4"], on: agent)
    for handle in next[0...1] {
      await diary.clock.waitForSleepers()
      await diary.clock.advance(by: .seconds(10))
      try await handle.value
    }
    await diary.clock.advance(by: .seconds(1))
    refusing.mayTell.set(())
    await #expect(throws: RequestError.self) { try await unsent.value }
    await diary.clock.waitForSleepers()
    await diary.clock.advance(by: .seconds(9))
    try await next[2].value
    #expect(diary.times == [10, 20, 30])
  }

  @Test("Dispatches that wait for a slot when the server asks for a pause are not sent, and wait again")
  func quiet() async throws {
    let first = OneTime<Void>()
    let clock = TestClock()
    let diary = Diary(clock) { number in
      number == 1 ? HTTPResponse(status: 429, headers: ["Retry-After": "30"]) : HTTPResponse()
    }
    diary.gate = first
    let agent = agent(diary, RateLimit(100, per: .seconds(10)), slots: 1)
    let told = agent.start(Fetch(path: "0"))
    await until { diary.paths == ["0"] }
    var limits = TransferLimits()
    limits.attemptTimeout = .seconds(5)
    let waiting = await agent.startWaiting(Fetch(path: "1").with(\.limits, limits))
    first.set(())
    await #expect(throws: RequestError.self) { try await told.value }
    await until { agent.throttledCount == 1 }
    #expect(agent.runningCount == 0 && diary.paths == ["0"])
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(30))
    try await waiting.value
    #expect(diary.times == [0, 30])
    #expect(waiting.report?.attempts.map(\.throttleWait) == [.seconds(30)])
  }

  @Test("After the pause the dispatches wait for their slots again")
  func slotsAfterQuiet() async throws {
    let (first, others) = (OneTime<Void>(), OneTime<Void>())
    let diary = Diary(TestClock()) { number in
      number == 1 ? HTTPResponse(status: 429, headers: ["Retry-After": "30"]) : HTTPResponse()
    }
    diary.gate = first
    let agent = agent(diary, RateLimit(100, per: .seconds(10)), slots: 1)
    let told = agent.start(Fetch(path: "0"))
    await until { diary.paths == ["0"] }
    let waiting = [
      await agent.startWaiting(Fetch(path: "1")), await agent.startWaiting(Fetch(path: "2")),
    ]
    diary.gate = others
    first.set(())
    await #expect(throws: RequestError.self) { try await told.value }
    await until { agent.throttledCount == 2 }
    await diary.clock.waitForSleepers()
    await diary.clock.advance(by: .seconds(30))
    await until { diary.paths.count + agent.waitingCount == 3 }
    #expect(diary.paths.count == 2 && agent.runningCount == 1)
    others.set(())
    for handle in waiting { try await handle.value }
    #expect(Set(diary.paths) == ["0", "1", "2"])
  }

  @Test("A dispatch that shares a transfer returns its turn")
  func shared() async throws {
    let (first, diary) = (OneTime<Void>(), Diary(TestClock()))
    diary.gate = first
    let agent = agent(diary, RateLimit(3, per: .seconds(30)))
    let handles = (0..<3).map { _ in agent.start(Fetch().with(\.coalescing, .whileInFlight)) }
    await agent.waitForSharing(3)
    first.set(())
    for handle in handles { try await handle.value }
    for number in 1...2 { try await agent.send(Fetch(path: "\(number)")) }
    #expect(diary.paths.count == 3)
    #expect(diary.times == [0, 0, 0])
  }
}
