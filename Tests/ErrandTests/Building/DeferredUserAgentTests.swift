import Dispatch
import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("A user agent that takes time to determine", .timeLimit(.minutes(5)))
struct DeferredUserAgentTests {
  let recorder = Recorder()
  let transport = FunctionTransport()

  private func agent(
    clock: TestClock = TestClock(), _ make: @escaping @Sendable () async -> String?
  ) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.userAgent = "plain/1"
    configuration.makeUserAgent = make
    configuration.clock = AgentClock(clock)
    return RequestAgent(
      baseURL: "https://api.example.com", transport: transport, configuration: configuration)
  }

  private var sent: [String?] { transport.requests.map { $0.headers["User-Agent"] } }

  @Test("The user agent is determined once for all waiting requests, off the main actor, and kept")
  func once() async throws {
    let (gate, key) = (OneTime<String>(), DispatchSpecificKey<Bool>())
    DispatchQueue.main.setSpecific(key: key, value: true)
    #expect(await MainActor.run { DispatchQueue.getSpecific(key: key) } == true)
    let agent = agent { [recorder] in
      recorder.add(DispatchQueue.getSpecific(key: key) == true ? "on main" : "off main")
      return try? await gate.wait()
    }
    async let first: Void = agent.send(.get("1"))
    async let second: Void = agent.send(.get("2"))
    await until { agent.liveCount == 2 }
    #expect(transport.requests.isEmpty)
    gate.set("made/2 (Linux)")
    _ = try await (first, second)
    try await agent.send(.get("3"))
    #expect(recorder.events == ["off main"])
    #expect(sent == ["made/2 (Linux)", "made/2 (Linux)", "made/2 (Linux)"])
  }

  @Test("A request with its own user agent neither determines the value nor waits")
  func own() async throws {
    let agent = agent { [recorder] in
      recorder.add("asked")
      return "made/2"
    }
    try await agent.send(OneOffRequest.get("1").with(\.headers, ["user-agent": "own/3"]))
    #expect(recorder.events.isEmpty)
    try await agent.send(.get("2"))
    #expect(sent == ["own/3", "made/2"] && recorder.events == ["asked"])
  }

  @Test(
    "Invalid characters are removed, and the configured user agent replaces an empty result",
    arguments: [
      (String?.none, "plain/1"), ("", "plain/1"), (" \u{0} ", "plain/1"),
      ("App/1\r\nX-Evil: 1", "App/1X-Evil: 1"), (" Café/1\t(x) ", "Caf/1\t(x)"),
    ])
  func cleaned(_ row: (made: String?, sent: String)) async throws {
    try await agent { row.made }.send(.get("1"))
    #expect(sent == [row.sent])
  }

  @Test("The closure may send with the agent, with the configured user agent and without a deadlock")
  func reentrant() async throws {
    let holder = Locked<RequestAgent?>(nil)
    let agent = agent {
      let agent = holder.withLock { $0 }
      try? await agent?.send(.get("version"))
      return "made/2"
    }
    holder.withLock { $0 = agent }
    try await agent.send(.get("1"))
    holder.withLock { $0 = nil }
    #expect(transport.requests.map(\.url.path) == ["/version", "/1"])
    #expect(sent == ["plain/1", "made/2"])
  }

  @Test("A cancellation and a deadline end the wait, but not the closure")
  func leaving() async throws {
    let (clock, gate) = (TestClock(), OneTime<String>())
    let agent = agent(clock: clock) { try? await gate.wait() }
    let cancelled = agent.start(.get("1"))
    let late = agent.start(OneOffRequest.get("2").with(\.deadline, .seconds(5)))
    await clock.waitForSleepers()
    cancelled.cancel()
    await clock.advance(by: .seconds(5))
    let first = await #expect(throws: RequestError.self) { try await cancelled.value }
    let second = await #expect(throws: RequestError.self) { try await late.value }
    #expect(first?.kind == .cancelled && second?.kind == .deadlineExceeded)
    gate.set("made/2")
    try await agent.send(.get("3"))
    #expect(sent == ["made/2"])
  }

  @Test("explain also determines the user agent, and names the agent as the source")
  func explained() async throws {
    let explanation = try await agent { "made/2" }.explain(OneOffRequest.get("1"))
    #expect(explanation.request.headers["User-Agent"] == "made/2")
    #expect(explanation.description.contains("User-Agent: made/2"))
    let index = try #require(
      explanation.request.headers.fields.firstIndex { $0.name == "User-Agent" })
    #expect(explanation.headerSources[index] == .agent)
  }
}
