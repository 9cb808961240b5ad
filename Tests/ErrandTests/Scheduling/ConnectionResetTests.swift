import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Reset of connections", .timeLimit(.minutes(5)))
struct ConnectionResetTests {
  @Test("The agent tells its transport, and a transport without connections does nothing")
  func told() async throws {
    let gate = GateTransport(isOpen: true)
    let agent = RequestAgent.gated(gate)
    agent.resetConnections()
    #expect(gate.resets == 1)
    let mocked = RequestAgent.mocked(Stub(.get, "/x", answers: .text("ok")))
    mocked.resetConnections()
    #expect(try await mocked.send(.get("x", as: String.self)) == "ok")
  }

  @Test("A recording transport tells its underlying transport")
  func recorded() throws {
    let gate = GateTransport()
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("reset-\(UUID().uuidString).har")
    try RecordingTransport(file, mode: .passThrough, over: gate).resetConnections()
    #expect(gate.resets == 1)
  }

  #if os(Linux)
  @Test("Idle connections are closed at once, and the next request has a new connection", arguments: [1, 3])
  func idle(_ eventLoops: Int) async throws {
    let server = try MockServer()
    server.route(.get, "/*", answers: .text("ok"))
    let agent = RequestAgent(
      baseURL: server.baseURL, transport: CurlTransport(eventLoops: eventLoops))
    for _ in 0..<3 { try await agent.send(.get("a")) }
    #expect(server.connectionCount == 1 && server.closedConnectionCount == 0)
    agent.resetConnections()
    await server.waitForClosedConnections(1)
    for _ in 0..<3 { try await agent.send(.get("b")) }
    #expect(server.connectionCount == 2 && server.closedConnectionCount == 1)
  }

  @Test(
    "A running request ends on its own connection, which is not reused, and an idle connection is closed at once"
  )
  func running() async throws {
    let server = try MockServer()
    server.route(.get, "/short", answers: .text("ok"))
    server.route(.get, "/long", answers: .chunks((0..<64).map { _ in Data(count: 100_000) }))
    let agent = RequestAgent(baseURL: server.baseURL, transport: CurlTransport())
    let response = try await agent.stream(.get("long"))
    var chunks = response.body.makeAsyncIterator()
    var count = try #require(try await chunks.next()).count
    try await agent.send(.get("short"))
    #expect(server.connectionCount == 2 && server.closedConnectionCount == 0)

    agent.resetConnections()
    await server.waitForClosedConnections(1)
    try await agent.send(.get("short"))
    #expect(server.connectionCount == 3)
    while let chunk = try await chunks.next() { count += chunk.count }
    #expect(count == 6_400_000)
    await server.waitForClosedConnections(2)
    try await agent.send(.get("short"))
    #expect(server.connectionCount == 3)
  }

  @Test("A reset before the first request, and two resets in a row, do no harm")
  func twice() async throws {
    let server = try MockServer()
    server.route(.get, "/*", answers: .text("ok"))
    let transport = CurlTransport()
    for count in 1...3 {
      transport.resetConnections()
      transport.resetConnections()
      #expect(try await transport.whole(server.baseURL.appendingPathComponent("a")).text == "ok")
      #expect(server.connectionCount == count)
    }
  }

  @Test("Requests during a reset all get their responses")
  func storm() async throws {
    let server = try MockServer()
    server.route(.get, "/*", answers: .text("ok"))
    let agent = RequestAgent(baseURL: server.baseURL)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask { try await agent.send(.get("\(number)")) }
        if number % 10 == 0 { group.addTask { agent.resetConnections() } }
      }
      try await group.waitForAll()
    }
    #expect(server.requestCount == 200 && agent.runningCount == 0)
  }

  @Test("Without an idle lifetime a connection is not reused, and with a lifetime it is")
  func lifetime() async throws {
    for (lifetime, connections) in [(Duration.zero, 3), (.milliseconds(59_001), 1), (.seconds(Int64.max), 1)]
    {
      let server = try MockServer()
      server.route(.get, "/*", answers: .text("ok"))
      let transport = CurlTransport(idleConnectionLifetime: lifetime)
      for _ in 0..<3 { _ = try await transport.whole(server.baseURL.appendingPathComponent("a")) }
      #expect(server.connectionCount == connections)
    }
  }
  #endif
}
