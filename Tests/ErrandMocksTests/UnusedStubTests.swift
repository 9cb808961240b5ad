import Errand
import ErrandMocks
import Testing

@Suite("Unused stubs")
struct UnusedStubTests {
  @Test("Unused stubs are listed with file and line until their first answer")
  func transport() async throws {
    let line = #line
    let transport = MockTransport([
      Stub(.get, "/a", answers: .status(200)),
      Stub(.get, "/b", answers: .status(200)).times(1),
      Stub(.get, "/b", answers: .status(503)),
    ])
    try await transport.exchange(.get, "https://h/b")
    #expect(transport.unusedStubs.map(\.line) == [line + 2, line + 4])
    #expect(transport.unusedStubs.map(\.fileID) == [#fileID, #fileID])
    let two = #expect(throws: UnusedStubs.self) { try transport.checkAllUsed() }
    #expect(
      two.map { "\($0)" } == """
        2 stubs were never used: GET /a (UnusedStubTests.swift:\(line + 2)), \
        GET /b (UnusedStubTests.swift:\(line + 4))
        """)
    #expect(try await transport.exchange(.get, "https://h/b").head.status == 503)
    let one = #expect(throws: UnusedStubs.self) { try transport.checkAllUsed() }
    #expect(one?.description == "1 stub was never used: GET /a (UnusedStubTests.swift:\(line + 2))")
    #expect(one?.stubs.map(\.description) == ["GET /a (UnusedStubTests.swift:\(line + 2))"])
    try await transport.exchange(.get, "https://h/a")
    try transport.checkAllUsed()
  }

  @Test("A transport with a closure has no unused stubs")
  func closure() throws {
    let transport = MockTransport { _ in .status(200) }
    #expect(transport.unusedStubs.isEmpty)
    try transport.checkAllUsed()
  }

  @Test("A server lists unused stubs, but not routes")
  func server() throws {
    let server = try MockServer()
    server.route(.get, "/route", answers: .status(200))
    let (a, b) = (Stub(.get, "/a", answers: .text("a")), Stub(.get, "/b", answers: .text("b")))
    server.add(a, b)
    #expect(try RawClient.get("/b", port: server.port).hasSuffix("b"))
    #expect(server.unusedStubs.map(\.description) == ["\(a)"])
    let error = #expect(throws: UnusedStubs.self) { try server.checkAllUsed() }
    #expect(error?.description == "1 stub was never used: \(a)")
    #expect(try RawClient.get("/a", port: server.port).hasSuffix("a"))
    try server.checkAllUsed()
  }
}
