import Errand
import ErrandMocks
import ErrandTesting
import Testing

@Suite("Unused stubs in mocked tests")
struct UnusedStubsTests {
  let issues = IssueList()

  @Test("Unused stubs are an issue at the end of a test with that option, with their locations")
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

  @Test("A stub with too few calls is an issue, and an optional stub is not")
  func counted() async throws {
    let stub = Stub(.get, "/a").times(2)
    try await issues.mocking(stub, Stub(.get, "/b").optional(), allUsed: true) { _ in
      try await SharedApp.agent.send(.get("a"))
    }
    #expect(issues.texts == ["1: 1 stub was not used up: \(stub) answered 1 of 2 times"])
    #expect(stub.calls.map(\.path) == ["/a"])
  }

  @Test("Without the option, unused stubs are no issue", .mocked(Stub(.get, "/a")))
  func unchecked() {}

  @Test(
    "A stub of a suite or a test counts as used if the stub answers in an inner scope",
    .mocked(Stub(.get, "/outer"), allUsed: true))
  func usedWithin() async throws {
    try await withMocks(Stub(.get, "/inner"), allUsed: true) {
      try await SharedApp.agent.send(.get("inner"))
      try await SharedApp.agent.send(.get("outer"))
    }
  }

  @Test(
    "Stubs of a test's own transport are checked",
    .mocked(by: { MockTransport([Stub(.get, "/a")]) }, allUsed: true))
  func ownTransport() async throws { try await SharedApp.agent.send(.get("a")) }
}
