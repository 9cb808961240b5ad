import Dispatch
import Errand
import ErrandMocks
import Foundation
import Testing

@testable import ErrandTesting

@Suite("Work detached from its test")
struct StrayTests {
  let issues = IssueList()
  /// A request that reaches this transport has escaped the mocks.
  let wire = Wire()

  func makeAgent() -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(TestClock())
    return RequestAgent(
      baseURL: "https://shop.example", transport: wire, configuration: configuration)
  }

  static let request = OneOffRequest<String>.get("cart?token=s3cret", as: String.self)
  static let line = "GET https://shop.example/cart?token=<redacted>"

  static func message(_ names: String) -> String {
    "no test is known for the request: the request was sent outside of every test's task, by an agent that is mocked in \(names);"
      + " send the request in a child task, in MockScope.run, or with an agent whose transport is the MockScope"
  }

  static func failure(in agent: RequestAgent) async -> RequestError? {
    await Task.detached { await agent.start(request).end }.value
  }

  @Test(
    "A stray request is refused before the network with the name of the test, which gets the issue at its end"
  )
  func detachedTask() async throws {
    let agent = makeAgent()
    let error = try await issues.mocking(Stub(.get, "/cart"), as: "\"Pays\" (ShopTests.swift:7)", line: 7) {
      _ in
      _ = try await agent.send(Self.request)
      let error = await Self.failure(in: agent)
      #expect(issues.texts == [])
      return error
    }
    #expect(error?.kind == .outsideMockScope)
    #expect(
      error?.description == """
        \(Self.line) failed: \(Self.message("\"Pays\" (ShopTests.swift:7)")).
        Stage transport, attempt 1, after 0.000 s.
        """)
    #expect(issues.texts == ["7: \(Self.line) was refused: \(Self.message("\"Pays\" (ShopTests.swift:7)"))"])
    #expect(wire.requests.isEmpty)
  }

  @Test(
    "If the request's error ends the scope, only that error is reported; other stray requests are further issues"
  )
  func toldOnce() async throws {
    let agent = makeAgent()
    for count in 1...2 {
      let issues = IssueList()
      let error = await #expect(throws: RequestError.self) {
        try await issues.mocking(Stub(.get, "/cart"), as: "A", line: 7) { _ in
          _ = try await agent.send(Self.request)
          if count == 2 { _ = await Self.failure(in: agent) }
          _ = try await Task.detached { try await agent.send(Self.request) }.value
        }
      }
      #expect(error?.kind == .outsideMockScope)
      #expect(issues.texts.count == count - 1)
    }
  }

  @Test("An operation that ends with a different error leaves the issue")
  func otherError() async throws {
    struct Other: Error {}
    let agent = makeAgent()
    await #expect(throws: Other.self) {
      try await issues.mocking(Stub(.get, "/cart"), as: "A", line: 7) { _ in
        _ = try await agent.send(Self.request)
        _ = await Self.failure(in: agent)
        throw Other()
      }
    }
    #expect(issues.texts == ["7: \(Self.line) was refused: \(Self.message("A"))"])
  }

  @Test("The innermost scope of the test reports the issue at its end", arguments: [true, false])
  func innermost(_ isMadeWithin: Bool) async throws {
    try await issues.mocking(Stub(.get, "/cart"), as: "A", line: 7) { _ in
      let outer = makeAgent()
      _ = try await outer.send(Self.request)
      await issues.mocking(Stub(.get, "/other"), as: "A", line: 9) { _ in
        let agent = isMadeWithin ? makeAgent() : outer
        _ = await Self.failure(in: agent)
        #expect(issues.texts == [])
      }
      #expect(issues.texts == ["9: \(Self.line) was refused: \(Self.message("A"))"])
    }
    #expect(issues.texts.count == 1)
  }

  @Test("A known issue around the scope covers the issue")
  func knownIssue() async throws {
    let told = Locked(0)
    try await withKnownIssue {
      // A separate `RunningScopes`, because otherwise the message would also name other mocked tests that run
      // now.
      let scope = MockScope([], of: MockOwner(.current, at: #_sourceLocation), among: RunningScopes())
      try await scope.runToEnd {
        let agent = makeAgent()
        _ = try await Task.detached { try await agent.send(Self.request) }.value
      }
    } matching: { issue in
      told.withLock { $0 += 1 }
      return (issue.error as? RequestError)?.kind == .outsideMockScope
    }
    #expect(told.withLock { $0 } == 1)
  }

  @Test("A secret in the path is redacted in the issue")
  func secretPath() async {
    struct Keyed: Request {
      typealias Response = String
      let key: Secret = "canary-key"
      var path: String { "bot\(key.reveal())/send" }
    }
    await issues.mocking(as: "A", line: 7) { _ in
      let agent = makeAgent()
      _ = await Task.detached { await agent.start(Keyed()).end }.value
    }
    #expect(
      issues.texts == ["7: GET https://shop.example/bot<redacted>/send was refused: \(Self.message("A"))"])
  }

  @Test(
    "A request from a queue's callback is refused, in each kind of dispatch, with an agent made in the test")
  func callback() async {
    let issues = IssueList()
    await issues.mocking { _ in
      let agent = makeAgent()
      let outcome = await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          agent.start(Self.request, on: .global()) { continuation.resume(returning: $0) }
        }
      }
      #expect(outcome.error?.kind == .outsideMockScope)
      await Task.detached {
        await #expect(throws: RequestError.self) { try await agent.send(Self.request) }
        await #expect(throws: RequestError.self) { try await agent.response(for: Self.request) }
        await #expect(throws: RequestError.self) { try await agent.stream(Self.request) }
      }.value
    }
    #expect(issues.texts.count == 4)
    #expect(wire.requests.isEmpty)
  }

  @Test("A stray request by an agent of several tests names three tests, and is an issue of none of them")
  func severalTests() async {
    let agent = makeAgent()
    let names = ["A", "B", "C", "D", "E"]
    let opened = Meeting(of: 6)
    let closed = Meeting(of: 6)
    let lists = names.map { _ in IssueList() }
    await withTaskGroup { group in
      for (name, list) in zip(names, lists) {
        group.addTask {
          await list.mocking(Stub(.get, "/cart"), as: name) { _ in
            _ = try? await agent.send(Self.request)
            await opened.wait()
            await closed.wait()
          }
        }
      }
      await opened.wait()
      let error = await Self.failure(in: agent)
      #expect(error?.reason == Self.message("A, B, C, 2 more"))
      #expect(lists.map(\.texts).joined().count == 1)
      await closed.wait()
      await group.waitForAll()
    }
    #expect(
      lists.map(\.texts) == [
        ["1: \(Self.line) was refused: \(Self.message("A, B, C, 2 more"))"], [], [], [], [],
      ])
  }

  @Test(
    "If another mocked test runs that has not used the agent yet, both are named, and neither test fails")
  func otherTest() async {
    await issues.mocking(Stub(.get, "/cart"), as: "Innocent", line: 7) { _ in
      let agent = makeAgent()
      await issues.mocking(as: "Guilty", line: 9) { _ in
        let error = await Self.failure(in: agent)
        let message =
          "no test is known for the request: the request was sent outside of every test's task, by an agent that is mocked in Innocent;"
          + " a detached task of another running test may have sent the request: Guilty;"
          + " send the request in a child task, in MockScope.run, or with an agent whose transport is the MockScope"
        #expect(error?.reason == message)
        // Reported immediately, and therefore for the run. Issues for a test are reported at the end of the
        // test.
        #expect(issues.texts == ["7: \(Self.line) was refused: \(message)"])
      }
    }
    #expect(issues.texts.count == 1)
  }

  @Test("A shared agent created in a test does not route other tests' requests into that test's mocks")
  func lazilyMade() async throws {
    let leading = IssueList()
    await leading.mocking(Stub(.get, "/cart", answers: .text("A's")), as: "A") { _ in
      let shared = makeAgent()
      await RequestAgent.withTransport(wire) {
        await issues.mocking(Stub(.get, "/cart", answers: .text("B's")), as: "B") { _ in
          let error = await Self.failure(in: shared)
          #expect(error?.reason == Self.message("A"))
        }
      }
    }
    #expect(leading.texts == ["1: \(Self.line) was refused: \(Self.message("A"))"])
    #expect(wire.requests.isEmpty)
  }

  @Test(
    "After the end of every test that used the agent, the last test is named, and the issue belongs to the run"
  )
  func endedTests() async throws {
    let agent = makeAgent()
    for name in ["B", "A"] {
      try await issues.mocking(Stub(.get, "/cart"), as: name) { _ in _ = try await agent.send(Self.request) }
    }
    let error = await Self.failure(in: agent)
    let message =
      "no test is known for the request: the request was sent outside of every test's task, by an agent that was mocked in A,"
      + " which has ended; await or cancel all tasks that a test starts"
    #expect(error?.reason == message)
    #expect(issues.texts == ["1: \(Self.line) was refused: \(message)"])
    #expect(wire.requests.isEmpty)
  }

  @Test("A request in the scope of an ended test is refused with the test's name")
  func outlivingTask() async throws {
    let agent = makeAgent()
    let gate = Meeting(of: 2)
    let task = await issues.mocking(Stub(.get, "/cart"), as: "\"Pays\"", line: 9) { _ in
      Task {
        await gate.wait()
        return await agent.start(Self.request).end
      }
    }
    await gate.wait()
    let message = "the test of the request, \"Pays\", has ended; await or cancel all tasks that a test starts"
    #expect(await task.value?.reason == message)
    #expect(issues.texts == ["9: \(Self.line) was refused: \(message)"])
    #expect(wire.requests.isEmpty)
  }

  @Test("Work that carries the scope, and an agent with the scope as transport, are answered anywhere")
  func takenAlong() async throws {
    let agent = makeAgent()
    try await issues.mocking(Stub(.get, "/cart", answers: .text("mocked"))) { scope in
      let own = RequestAgent(baseURL: "https://shop.example", transport: scope)
      let values = try await Task.detached {
        try await [scope.run { try await agent.send(Self.request) }, own.send(Self.request)]
      }.value
      #expect(values == ["mocked", "mocked"])
      #expect(scope.requests.count == 2)
    }
    #expect(issues.texts == [])
  }

  @Test("A stray request of an agent with its own mocks is answered by the mocks, which reach no network")
  func ownMocks() async throws {
    try await issues.mocking(Stub(.get, "/cart", answers: .text("scope"))) { _ in
      let agent = RequestAgent.mocked(Stub(.get, "/cart", answers: .text("own")))
      let value = try await Task.detached { try await agent.send(Self.request) }.value
      #expect(value == "own")
    }
    #expect(issues.texts == [])
  }

  @Test("A test without mocks keeps its transport, even if other tests mock the agent")
  func unmockedTest() async throws {
    let agent = makeAgent()
    let mocked = try await issues.mocking(Stub(.get, "/cart", answers: .text("mocked"))) { _ in
      try await agent.send(Self.request)
    }
    #expect(mocked == "mocked")
    #expect(try await agent.send(Self.request) == "wire")
    #expect(issues.texts == [])
  }

  @Test("An agent that no mocked test has used is not reported")
  func unknownAgent() async throws {
    let agent = makeAgent()
    let value = try await issues.mocking { _ in
      try await Task.detached { try await agent.send(Self.request) }.value
    }
    #expect(value == "wire")
  }
}

extension RequestHandle {
  /// The error of the dispatch, or `nil` for a success.
  fileprivate var end: RequestError? {
    get async {
      do {
        _ = try await value
        return nil
      } catch {
        return error as? RequestError
      }
    }
  }
}
