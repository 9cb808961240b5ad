import Errand
import ErrandMocks
import ErrandTesting
import Testing

@Suite("Stubs that answer nothing")
struct UnusedStubsTests {
  let issues = IssueList()

  @Test("They are an issue at the end of a test that says so, with their places")
  func checked() async throws {
    let line = #line + 2
    try await issues.mocking(
      Stub(.get, "/a"), Stub(.get, "/b"), Stub(.get, "/c"), allUsed: true
    ) { _ in
      try await SharedApp.agent.send(.get("b"))
    }
    let place = "(UnusedStubsTests.swift:\(line))"
    #expect(issues.texts == ["1: 2 stubs were never used: GET /a \(place), GET /c \(place)"])
  }

  @Test("A stub that answered less often than it says is one, and an optional one is not")
  func counted() async throws {
    let stub = Stub(.get, "/a").times(2)
    try await issues.mocking(stub, Stub(.get, "/b").optional(), allUsed: true) { _ in
      try await SharedApp.agent.send(.get("a"))
    }
    #expect(issues.texts == ["1: 1 stub was not used up: \(stub) answered 1 of 2 times"])
    #expect(stub.calls.map(\.path) == ["/a"])
  }

  @Test("Without a word they are none", .mocked(Stub(.get, "/a")))
  func unchecked() {}

  @Test(
    "A stub of a suite or of a test is used when it answers in a scope within",
    .mocked(Stub(.get, "/outer"), allUsed: true))
  func usedWithin() async throws {
    try await withMocks(Stub(.get, "/inner"), allUsed: true) {
      try await SharedApp.agent.send(.get("inner"))
      try await SharedApp.agent.send(.get("outer"))
    }
  }

  @Test(
    "Those of a transport of the test's own are checked too",
    .mocked(by: { MockTransport([Stub(.get, "/a")]) }, allUsed: true))
  func ownTransport() async throws { try await SharedApp.agent.send(.get("a")) }
}
