import Errand
import ErrandMocks
import Testing

@Suite("MockServer, waits with a limit")
struct MockServerWaitTests {
  private let server: MockServer

  init() throws { server = try MockServer() }

  @Test("The wait returns the requests that arrive in time", .timeLimit(.minutes(5)))
  func inTime() async throws {
    let agent = RequestAgent(baseURL: server.baseURL)
    server.route(nil, "**", answers: .status(200))
    let handle = agent.start(.get("a"))
    #expect(try await server.waitForRequests(within: .seconds(200)).map(\.path) == ["/a"])
    _ = try await handle.value
    try await agent.send(.get("b"))
    #expect(try await server.waitForRequests(2, within: .zero).map(\.path) == ["/a", "/b"])
  }

  @Test("Missing requests are an error with the arrived requests", .timeLimit(.minutes(5)))
  func tooLate() async throws {
    // `#line` inside a macro is the line on which the macro starts.
    let line = #line + 1
    let none = await #expect(throws: UnexpectedCalls.self) {
      try await server.waitForRequests(within: .milliseconds(20))
    }
    #expect(
      none?.description == "0 requests came within 0.02 seconds, not 1 (MockServerWaitTests.swift:\(line))")
    _ = try RawClient.get("/a?token=hunter2", port: server.port)
    let one = await #expect(throws: UnexpectedCalls.self) {
      try await server.waitForRequests(2, within: .milliseconds(20))
    }
    #expect(
      one?.description == """
        1 request came within 0.02 seconds, not 2 (MockServerWaitTests.swift:\(one?.line ?? 0)):
        1. GET /a?token=<redacted>
        """)
    #expect(one?.calls.map(\.path) == ["/a"])
  }

  @Test("The wait ends with the server and with the task, for any limit", .timeLimit(.minutes(5)))
  func ended() async throws {
    let server = server
    let waiting = Task { try await server.waitForRequests(within: .seconds(Int64.max)) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    let other = Task { try await server.waitForRequests(within: .seconds(Int64.max)) }
    server.stop()
    let error = await #expect(throws: UnexpectedCalls.self) { try await other.value }
    #expect(error?.description.hasPrefix("0 requests came before the server stopped, not 1 (") == true)
  }
}
