import Errand
import ErrandMocks
import Testing

@Suite("The calls of a stub")
struct StubCallTests {
  @Test("A stub counts and lists its answered requests, per mock and in total, also after the mock's release")
  func listed() async throws {
    let stub = Stub(.post, "/users/{id}", answers: .status(201))
    var transport: MockTransport? = MockTransport([stub])
    let other = MockTransport([Stub(.post, "/users/9", answers: .status(200)), stub])
    try await transport?.exchange(.post, "https://h/users/7", body: .text("Ada"))
    try await other.exchange(.post, "https://h/users/9")
    try await other.exchange(.post, "https://h/users/8", body: .text("Grace"))
    #expect(transport?.calls(of: stub).map(\.text) == ["Ada"])
    #expect(other.calls(of: stub).map(\.text) == ["Grace"])
    #expect(other.calls(of: stub).map(\.number) == [2])
    transport = nil
    #expect(stub.calls.map(\.text) == ["Ada", "Grace"])
    #expect(stub.calls.map(\.variables) == [["id": "7"], ["id": "8"]])
  }

  @Test("A copy is the same stub, and a changed copy is another stub whose calls also count for the original")
  func identity() async throws {
    let stub = Stub(.get, "/a", answers: .text("plain"))
    let (copy, changed) = (stub, stub.query("v", "2"))
    let transport = MockTransport([changed, copy])
    try await transport.exchange(.get, "https://h/a")
    try await transport.exchange(.get, "https://h/a?v=2")
    try await transport.exchange(.get, "https://h/a?v=2")
    #expect([stub, copy, changed].map(\.calls.count) == [3, 3, 2])
  }

  @Test("Two stubs for a path, and a stub added twice, each count their own calls")
  func samePlace() async throws {
    let (first, second) = (Stub(.get, "/a").times(1), Stub(.get, "/a").times(2))
    let transport = MockTransport([first, second, first])
    for _ in 0..<4 { try await transport.exchange(.get, "https://h/a") }
    #expect(first.calls.map(\.number) == [1, 4])
    #expect(transport.calls(of: first).map(\.number) == [1, 4])
    #expect(second.calls.map(\.number) == [2, 3])
  }

  @Test("An unexpected number of calls is an error with files, lines and calls")
  func checked() async throws {
    let stub = Stub(.get, "/a", answers: .status(200))
    let transport = MockTransport([stub])
    try stub.checkCalled(times: 0)
    let none = #expect(throws: UnexpectedCalls.self) { try stub.checkCalled(times: 1...) }
    #expect(
      none?.description
        == "\(stub) answered 0 requests, not at least 1 (StubCallTests.swift:\(none?.line ?? 0))")
    try await transport.exchange(.get, "https://h/a?token=hunter2")
    try stub.checkCalled(times: 1)
    try stub.checkCalled(times: 1...)
    try stub.checkCalled(times: ...1)
    try stub.checkCalled(times: 0..<2)
    let line = #line + 1
    let error = #expect(throws: UnexpectedCalls.self) { try stub.checkCalled(times: 2) }
    #expect(
      error?.description == """
        \(stub) answered 1 request, not 2 (StubCallTests.swift:\(line)):
        1. GET /a?token=<redacted>
        """)
    #expect(error?.calls.map(\.path) == ["/a"])
    #expect(error?.fileID == #fileID)
    try await transport.exchange(.get, "https://h/a")
    let most = #expect(throws: UnexpectedCalls.self) { try stub.checkCalled(times: ...1) }
    #expect(most?.description.contains(" answered 2 requests, not at most 1 ") == true)
    let between = #expect(throws: UnexpectedCalls.self) { try stub.checkCalled(times: 3...4) }
    #expect(between?.description.contains(" answered 2 requests, not 3 to 4 ") == true)
    for count in [-1, .max] {
      #expect(throws: UnexpectedCalls.self) { try stub.checkCalled(times: count) }
    }
    #expect(throws: UnexpectedCalls.self) { try stub.checkCalled(times: ...(-2)) }
    #expect(throws: UnexpectedCalls.self) { try stub.checkCalled(times: ..<(-2)) }
    try stub.checkCalled(times: (-2)...)
  }

  @Test("The error lists ten of many calls")
  func many() async throws {
    let stub = Stub(.get, "/a", answers: .status(200))
    let transport = MockTransport([stub])
    for _ in 0..<12 { try await transport.exchange(.get, "https://h/a") }
    let error = #expect(throws: UnexpectedCalls.self) { try stub.checkCalled(times: 1) }
    #expect(error?.description.hasSuffix("\n10. GET /a\nand 2 more") == true)
  }

  @Test("The order of stubs is checked, independent of other calls")
  func order() async throws {
    let (login, list, logout) = (Stub(.post, "/in"), Stub(.get, "/list"), Stub(.post, "/out"))
    let transport = MockTransport([login, list, logout, Stub(nil, "**")])
    for (method, path) in [(HTTPMethod.post, "in"), (.get, "x"), (.get, "list"), (.get, "list")] {
      try await transport.exchange(method, "https://h/\(path)")
    }
    try transport.checkOrder(login, list, list)
    try transport.checkOrder(list, list)
    let line = #line + 1
    let other = #expect(throws: UnexpectedCalls.self) { try transport.checkOrder(list, login) }
    #expect(
      other?.description == """
        call 1 was answered by \(login), not by \(list) (StubCallTests.swift:\(line)):
        1. POST /in by \(login)
        2. GET /list by \(list)
        3. GET /list by \(list)
        """)
    let missing = #expect(throws: UnexpectedCalls.self) {
      try transport.checkOrder(login, list, list, logout)
    }
    #expect(missing?.description.hasPrefix("call 4 is missing, expected from \(logout) (") == true)
    let more = #expect(throws: UnexpectedCalls.self) { try transport.checkOrder(login, list) }
    #expect(more?.description.hasPrefix("call 3 was unexpected, answered by \(list) (") == true)
  }

  @Test("A server's stubs and routes also have calls and an order")
  func server() throws {
    let server = try MockServer()
    let stub = Stub(.get, "/users/{id:int}", answers: .text("stub"))
    server.add(stub)
    let route = server.route(.get, "/b", answers: .text("route"))
    let closure = server.route(.get, "/c/{name}") { .text($0.variables["name"] ?? "") }
    #expect(try RawClient.get("/users/7?token=hunter2", port: server.port).hasSuffix("stub"))
    #expect(try RawClient.get("/b", port: server.port).hasSuffix("route"))
    #expect(try RawClient.get("/c/d%20e", port: server.port).hasSuffix("d e"))
    try server.checkOrder(stub, route, closure)
    #expect(stub.calls.map(\.variables) == [["id": "7"]])
    #expect(server.calls(of: closure).map(\.target) == ["/c/d%20e"])
    server.stop()
    let error = #expect(throws: UnexpectedCalls.self) { try stub.checkCalled(times: 2) }
    #expect(error?.description.hasSuffix("1. GET /users/7?token=<redacted>") == true)
  }
}
