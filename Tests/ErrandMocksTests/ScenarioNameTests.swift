import Errand
import ErrandMocks
import Testing

@Suite("Unknown scenario and state names")
struct ScenarioNameTests {
  private let empty = Stub(.get, "/cart").scenario("cart", when: "started").optional()
  private let add = Stub(.post, "/cart").scenario("cart", to: "filled").optional()

  private static func problem(of mock: some StubbedMock) -> String? {
    do {
      try mock.checkAllUsed()
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test("A required state that no stub sets is reported, until a stub sets the state")
  func unreachable() async throws {
    let filled = Stub(.get, "/cart").scenario("cart", when: "filld").optional()
    let transport = MockTransport([empty, add, filled])
    #expect(
      Self.problem(of: transport)
        == "\(filled) requires the state \"filld\" of the scenario \"cart\", which no stub or test sets; known: \"filled\""
    )
    transport.setState("filld", ofScenario: "cart")
    #expect(Self.problem(of: transport) == nil)
  }

  @Test("A scenario or state that was set but occurs in no stub is reported once")
  func unknown() throws {
    let server = try MockServer()
    server.add([empty, add])
    for _ in 0..<2 { server.setState("filled", ofScenario: "crat") }
    #expect(
      Self.problem(of: server)
        == "no stub belongs to the scenario \"crat\", which was set to \"filled\"; known: \"cart\"")
    server.setState("fulled", ofScenario: "cart")
    server.setState("started", ofScenario: "cart")
    server.setState("filled", ofScenario: "cart")
    let error = #expect(throws: UnusedStubs.self) { try server.checkAllUsed() }
    #expect(error?.stubs.isEmpty == true)
    #expect(error?.scenarioProblems.count == 2)
    #expect(
      error?.scenarioProblems.last
        == "the scenario \"cart\" was set to \"fulled\", a state without a stub; "
        + "known: \"filled\", \"started\"")
  }

  @Test("Reports of names follow the unused stubs, and names of removed stubs are known")
  func together() async throws {
    let (stub, lost) = (Stub(.get, "/a"), Stub(.get, "/b").scenario("s", when: "lost"))
    let transport = MockTransport([stub, lost, add])
    #expect(
      Self.problem(of: transport)
        == "2 stubs were never used: \(stub), \(lost); "
        + "\(lost) requires the state \"lost\" of the scenario \"s\", which no stub or test sets")
    transport.removeAllStubs()
    transport.setState("filled", ofScenario: "cart")
    #expect(Self.problem(of: transport) == nil)
  }
}
