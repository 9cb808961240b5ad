import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Circuits: listed, changed by hand, and told", .timeLimit(.minutes(5)))
struct CircuitControlTests {
  let clock = TestClock()

  private func agent(
    _ transport: any Transport, _ breaker: CircuitBreaker? = CircuitBreaker(minimumRequests: 2)
  ) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    configuration.circuitBreaker = breaker
    configuration.destinations.plainHTTP = .allowed
    return RequestAgent(baseURL: "http://a.example", transport: transport, configuration: configuration)
  }

  private func changes(_ events: Updates<AgentEvent>, _ count: Int) async -> [String] {
    var changes: [String] = []
    for await event in events {
      guard case .circuitChanged = event.kind else { continue }
      #expect(event.id == 0 && event.attempt == 0 && event.tag == 0 && event.report == nil)
      changes.append("\(event)")
      if changes.count == count { break }
    }
    return changes
  }

  @Test("The list and the events follow a circuit from closed to open, half-open, open and closed")
  func sequence() async throws {
    let transport = FunctionTransport { _, number in HTTPResponse(status: number <= 3 ? 503 : 200) }
    let agent = agent(transport)
    let events = agent.events
    #expect(agent.circuits.isEmpty)
    for _ in 0..<2 { _ = try? await agent.send(.get("x")) }
    #expect(agent.circuits.map { "\($0)" } == ["http://a.example open for 15 s"])
    await clock.advance(by: .seconds(10))
    #expect(agent.circuits.map(\.state) == [.open(.seconds(5))])
    await clock.advance(by: .seconds(5))
    #expect(agent.circuits.map(\.state) == [.halfOpen])
    _ = try? await agent.send(.get("x"))
    await clock.advance(by: .seconds(15))
    try await agent.send(.get("http://a.example/x"))
    _ = try await agent.send(.get("http://b.example/x"))
    #expect(agent.circuits.map { "\($0)" } == ["http://a.example closed", "http://b.example closed"])
    #expect(
      await changes(events, 5) == [
        "circuit of http://a.example open for 15 s", "circuit of http://a.example half-open",
        "circuit of http://a.example open for 15 s", "circuit of http://a.example half-open",
        "circuit of http://a.example closed",
      ])
  }

  @Test("A circuit opened by hand refuses requests until it is closed by hand")
  func byHand() async throws {
    let transport = FunctionTransport()
    let agent = agent(transport)
    let events = agent.events
    let circuit = try #require(agent.circuit(of: "http://A.example:80/any/path"))
    #expect(circuit.state == .closed && circuit.origin == "http://a.example" && circuit.key == nil)
    circuit.open()
    await clock.advance(by: .seconds(100_000))
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("x")) }
    #expect(
      error.description == """
        GET http://a.example/x failed: the circuit breaker of http://a.example is open: opened by hand; no attempt is allowed.
        Stage throttle, attempt 1, after 0.000 s.
        Try: The app opened the circuit. Close the circuit with agent.circuit(of:key:)?.close().
        """)
    #expect(error.kind == .circuitOpen && error.circuitWait == nil)
    #expect(agent.circuits.map { "\($0)" } == ["http://a.example open until closed by hand"])
    circuit.close()
    try await agent.send(.get("x"))
    #expect(transport.requests.count == 1 && agent.circuit(of: "http://a.example")?.state == .closed)
    #expect(
      await changes(events, 2) == [
        "circuit of http://a.example open until closed by hand", "circuit of http://a.example closed",
      ])
  }

  @Test("A circuit opened by hand for a time admits a trial attempt afterwards")
  func forTime() async throws {
    let agent = agent(FunctionTransport { _, number in HTTPResponse(status: number == 1 ? 503 : 200) })
    let circuit = try #require(agent.circuit(of: "http://a.example"))
    circuit.open(for: .seconds(3))
    let refused = await #expect(throws: RequestError.self) { try await agent.send(.get("x")) }
    #expect(
      refused?.reason
        == "the circuit breaker of http://a.example is open: opened by hand; the next attempt is allowed in 3 s"
    )
    await clock.advance(by: .seconds(3))
    let failed = await #expect(throws: RequestError.self) { try await agent.send(.get("x")) }
    let again = await #expect(throws: RequestError.self) { try await agent.send(.get("x")) }
    #expect(failed?.kind == .status)
    #expect(
      again?.reason
        == "the circuit breaker of http://a.example is open: 1 of 1 attempts failed; the next attempt is allowed in 15 s"
    )
  }

  @Test("The result of an attempt from before a change by hand does not count")
  func late() async throws {
    let gate = GateTransport()
    let agent = agent(gate, CircuitBreaker(minimumRequests: 1))
    let handle = agent.start(.get("x"))
    await gate.waitForStarts(1)
    let circuit = try #require(agent.circuit(of: "http://a.example"))
    circuit.open()
    circuit.close()
    gate.answer("/x", HTTPResponse(status: 503))
    await #expect(throws: RequestError.self) { try await handle.value }
    #expect(agent.circuits.map(\.state) == [.closed])
  }

  @Test("A key has a circuit of its own, and an agent without a circuit breaker has none")
  func keys() async throws {
    let agent = agent(FunctionTransport())
    agent.circuit(of: "http://a.example", key: "tenant 7")?.open()
    let request = OneOffRequest.get("x")
    let error = await #expect(throws: RequestError.self) {
      try await agent.send(request.with(\.limitKey, "tenant 7"))
    }
    #expect(
      error?.reason
        == "the circuit breaker of http://a.example (tenant 7) is open: opened by hand; no attempt is allowed"
    )
    try await agent.send(request.with(\.limitKey, "tenant 8"))
    try await agent.send(request)
    #expect(
      agent.circuits.map { "\($0)" } == [
        "http://a.example closed", "http://a.example (tenant 7) open until closed by hand",
        "http://a.example (tenant 8) closed",
      ])
    #expect(agent.circuit(of: "no origin") == nil)
    let plain = self.agent(FunctionTransport(), nil)
    #expect(plain.circuit(of: "http://a.example") == nil && plain.circuits.isEmpty)
  }

  @Test("A circuit opened by hand outlives 1,000 other origins, and a closed circuit does not")
  func kept() async throws {
    let states = OriginStates(
      OriginRules(budget: .unlimited, breaker: CircuitBreaker(), limit: nil), clock: AgentClock(clock),
      agentRetries: false)
    func key(_ number: Int) throws -> OriginKey {
      let url = try #require(URL(string: "http://h\(number).example"))
      return OriginKey(origin: try #require(Origin(url)))
    }
    states.circuit(of: try key(0))?.open()
    states.circuit(of: try key(1))?.close()
    // The circuits above are the least recently used.
    await clock.advance(by: .seconds(1))
    for number in 2..<1_300 { try states.checkCircuit(of: try key(number)) }
    #expect(states.circuit(of: try key(0))?.state == .open(nil))
    #expect(!states.circuits(overrideNumber: 0).contains { $0.origin == "http://h1.example" })
    states.circuit(of: try key(0))?.close()
    for number in 1_300..<2_600 { try states.checkCircuit(of: try key(number)) }
    #expect(states.count <= 1_000)
  }
}
