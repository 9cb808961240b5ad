import Errand
import ErrandMocks
import Testing

@Suite("Stubs derived from a kept stub")
struct StubLineageTests {
  @Test("A derived stub of `under` counts for the kept stub, with the variables of the derived path")
  func under() async throws {
    let save = Stub(.post, "/items/{id}", answers: .status(201))
    let transport = MockTransport([save].under("https://mocked.example/v1"))
    try await RequestAgent.mocked(by: transport).send(.post("v1/items/7"))
    try save.checkCalled(times: 1)
    #expect(save.calls.map(\.variables) == [["id": "7"]])
    #expect(transport.calls(of: save).map(\.path) == ["/v1/items/7"])
    try transport.checkOrder(save)
    let line = #line + 1
    let error = #expect(throws: UnexpectedCalls.self) { try save.checkCalled(times: 0) }
    #expect(
      error?.description == """
        \(save) answered 1 request, not 0 (StubLineageTests.swift:\(line)):
        1. POST /v1/items/7
        """)
  }

  @Test("The kept stub has the calls of all derived stubs in order, and each derived stub its own calls")
  func union() async throws {
    let stub = Stub(.get, "/a", answers: .status(200))
    let (first, second) = (stub.query("v", "1").times(1), stub.query("v", "2").optional())
    let transport = MockTransport([first, second, stub])
    for version in [2, 1, 3, 2] { try await transport.exchange(.get, "https://h/a?v=\(version)") }
    #expect(first.calls.map(\.number) == [2])
    #expect(second.calls.map(\.number) == [1, 4])
    #expect(stub.calls.map(\.number) == [1, 2, 3, 4])
    #expect(transport.calls(of: stub).map(\.number) == [1, 2, 3, 4])
    let other = MockTransport([second])
    try await other.exchange(.get, "https://h/a?v=2")
    #expect(stub.calls.map(\.number) == [1, 2, 3, 4, 1])
    #expect(other.calls(of: stub).map(\.number) == [1])
  }

  @Test("Removing the kept stub removes derived stubs, but not the reverse")
  func removed() async throws {
    let stub = Stub(.post, "/items", answers: .status(201))
    let transport = MockTransport([stub.optional(), stub.times(1)])
    transport.remove(stub)
    #expect(try await transport.refusal(of: .post, "https://h/items").hasSuffix("there are no stubs"))
    try transport.checkAllUsed()
    transport.add(stub)
    transport.remove(stub.optional())
    try await transport.exchange(.post, "https://h/items")
  }

  @Test("In an order, derived stubs count as the kept stub")
  func order() async throws {
    let (login, pay) = (Stub(.post, "/login"), Stub(.post, "/pay"))
    let transport = MockTransport([login.times(2), pay.header("X")])
    for path in ["login", "pay", "login"] {
      try await transport.exchange(.post, "https://h/\(path)", headers: ["X": "1"])
    }
    try transport.checkOrder(login, pay, login)
    let error = #expect(throws: UnexpectedCalls.self) { try transport.checkOrder(login, login, pay) }
    #expect(
      error?.description.hasPrefix("call 2 was answered by \(pay), not by \(login) (StubLineageTests.swift:")
        == true)
  }

  @Test("A stub outside of every mock has no call count, and any expectation fails")
  func givenToNone() async throws {
    let stub = Stub(.get, "/a")
    let line = #line + 1
    let none = #expect(throws: UnexpectedCalls.self) { try stub.checkCalled(times: 0) }
    #expect(none?.description == "\(stub) belongs to no mock (StubLineageTests.swift:\(line))")
    #expect(throws: UnexpectedCalls.self) { try stub.checkCalled(times: ...3) }

    let transport = MockTransport(stub)
    for _ in 0..<2 { try await transport.exchange(.get, "https://h/a") }
    let later = stub.times(1)
    let error = #expect(throws: UnexpectedCalls.self) { try later.checkCalled(times: 0) }
    #expect(
      error?.description.hasPrefix(
        "\(stub) belongs to no mock; another stub from the same line answered 2 requests (") == true)
    let order = #expect(throws: UnexpectedCalls.self) { try transport.checkOrder(later) }
    #expect(
      order?.description.hasPrefix(
        "\(stub) does not belong to this mock; another stub from the same line does (") == true)
    let stranger = Stub(.get, "/b")
    let strange = #expect(throws: UnexpectedCalls.self) { try transport.checkOrder(stub, stub, stranger) }
    #expect(strange?.description.hasPrefix("\(stranger) does not belong to this mock (") == true)
  }
}
