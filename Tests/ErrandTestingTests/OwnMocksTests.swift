import Errand
import ErrandMocks
import Foundation
import ErrandTesting
import Testing

@Suite("An agent with its own mocks in a mocked test")
struct OwnMocksTests {
  static let list = [Stub(.get, "/b", answers: .text("listed"))].under("https://mocked.example/v1")

  @Test(
    "The agent's stubs come first, then the stubs of the trait",
    .mocked(Stub(.get, "/own", answers: .text("trait")), Stub(.get, "/rest", answers: .text("rest"))))
  func first() async throws {
    let own = Stub(.get, "/own", answers: .text("own"))
    let agent = RequestAgent.mocked(own)
    #expect(try await agent.send(.get("own", as: String.self)) == "own")
    #expect(try await agent.send(.get("rest", as: String.self)) == "rest")
    #expect(try await SharedApp.agent.send(.get("own", as: String.self)) == "trait")
    #expect(own.calls.map(\.path) == ["/own"])
    #expect(MockScope.current?.requests.map(\.path) == ["/rest", "/own"])
    let echo = RequestAgent.mocked(by: MockTransport { .text("echo of \($0.path)") })
    #expect(try await echo.send(.get("rest", as: String.self)) == "echo of /rest")
  }

  @Test(
    "A body that can be read once reaches the stubs of the trait",
    .mocked(by: { MockTransport { .text($0.text) } }))
  func streamedBody() async throws {
    let chunks = AsyncStream { continuation in
      for chunk in ["a", "b"] { continuation.yield(Data(chunk.utf8)) }
      continuation.finish()
    }
    let request: OneOffRequest<String> = .post("echo", body: .stream(chunks), as: String.self)
    #expect(try await RequestAgent.mocked(Stub(.get, "/else")).send(request) == "ab")
  }

  @Test("A request without an answer from either is a single issue with the stubs of both")
  func neither() async throws {
    let issues = IssueList()
    let line = #line + 1
    let (own, around) = (Stub(.get, "/own"), Stub(.get, "/trait"))
    await issues.mocking(around) { _ in
      let error = await #expect(throws: RequestError.self) {
        try await RequestAgent.mocked(own).send(.get("none"))
      }
      #expect(error?.kind == .unmatchedStub)
    }
    #expect(
      issues.texts == [
        """
        1: no stub answers GET https://mocked.example/none; the only stub:
        1. GET /own (OwnMocksTests.swift:\(line)): path is /none, not /own
        in the outer scope, no stub answers GET https://mocked.example/none; the only stub:
        1. GET /trait (OwnMocksTests.swift:\(line)): path is /none, not /trait
        """
      ])
  }

  @Test("A list of stubs is accepted wherever stubs are accepted", .mocked(OwnMocksTests.list))
  func lists() async throws {
    let request = OneOffRequest<String>.get("v1/b", as: String.self)
    #expect(try await RequestAgent.mocked().send(request) == "listed")
    let own = [Stub(.get, "/b", answers: .text("own"))].under("https://mocked.example/v1")
    #expect(try await RequestAgent.mocked(own).send(request) == "own")
    let inner = [Stub(.get, "/v1/b", answers: .text("inner"))]
    #expect(try await withMocks(inner) { try await RequestAgent.mocked().send(request) } == "inner")
    let transport = MockTransport(Stub(.get, "/v1/b", answers: .text("one")), Stub(.get, "/c"))
    #expect(try await RequestAgent.mocked(by: transport).send(request) == "one")
  }

  @Test("A misspelt scenario is an issue at the end, even if unused stubs are allowed")
  func scenario() async throws {
    let issues = IssueList()
    let stub = Stub(.get, "/cart").scenario("cart", when: "filld")
    await issues.mocking(stub) { _ in }
    #expect(
      issues.texts == [
        "1: \(stub) requires the state \"filld\" of the scenario \"cart\", which no stub or test sets"
      ])
  }

  @Test(
    "A scope records the requests that its own stubs answered, and not an inner scope's",
    .mocked(Stub(.get, "/outer", answers: .text("outer"))))
  func requests() async throws {
    try await withMocks(Stub(.get, "/inner", answers: .text("inner"))) {
      for path in ["inner", "outer"] { _ = try await SharedApp.agent.send(.get(path, as: String.self)) }
      #expect(MockScope.current?.requests.map(\.path) == ["/inner", "/outer"])
    }
    #expect(MockScope.current?.requests.map(\.path) == ["/outer"])
  }

  @Test(
    "A stream with a wrong length does not reach the stubs of the trait",
    .mocked(by: { MockTransport { .text($0.text) } }))
  func wrongLength() async throws {
    for (length, reason) in [
      (3, "the body stream ended after 2 of the 3 bytes it promised"),
      (1, "the body stream gave more than the 1 bytes it promised"),
    ] as [(Int64, String)] {
      let chunks = AsyncStream { continuation in
        for chunk in ["a", "b"] { continuation.yield(Data(chunk.utf8)) }
        continuation.finish()
      }
      let request: OneOffRequest<String> = .post(
        "echo", body: .stream(chunks, length: length), as: String.self)
      let error = try await #require(throws: RequestError.self) {
        try await RequestAgent.mocked(Stub(.get, "/else")).send(request)
      }
      #expect(error.reason == reason && error.kind == .encoding)
    }
    #expect(MockScope.current?.requests.map(\.path) == [])
  }
}
