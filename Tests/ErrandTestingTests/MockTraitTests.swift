import Errand
import ErrandMocks
import ErrandTesting
import Foundation
import Testing

@Suite("The trait .mocked")
struct MockTraitTests {
  @Test(
    "The stubs of a test answer an agent with the platform's transport, in every kind of dispatch",
    .mocked(Stub(.get, "/users/7", answers: .text("Ada"))))
  func everyWay() async throws {
    let request = OneOffRequest<String>.get("users/7", as: String.self)
    #expect(try await SharedApp.agent.send(request) == "Ada")
    #expect(try await SharedApp.agent.response(for: request).response.url?.host == "shared.example")
    #expect(try await SharedApp.agent.start(request).value == "Ada")
    let outcome = await withCheckedContinuation { continuation in
      SharedApp.agent.start(request, on: .global()) { continuation.resume(returning: $0) }
    }
    #expect(outcome.value == "Ada")
    var chunks: [Data] = []
    for try await chunk in try await SharedApp.agent.stream(request).body { chunks.append(chunk) }
    #expect(chunks == [Data("Ada".utf8)])
    #expect(MockScope.current?.requests.count == 5)
  }

  @Test(
    "Retries by an agent of RequestAgent.mocked() take no real time",
    .mocked(Stub(.get, "/slow", answers: .status(503).header("Retry-After", "300"), .text("late"))))
  func retries() async throws {
    let received = try await RequestAgent.mocked().response(
      for: .get("slow", as: String.self).with(\.retryPolicy, .upTo(1)))
    #expect(received.value == "late")
    #expect(received.report.elapsed == .seconds(300))
  }

  @Test("Without stubs no request is answered", .mocked())
  func noStubs() async throws {
    await withKnownIssue {
      await #expect(throws: RequestError.self) { try await SharedApp.agent.send(.get("a")) }
    } matching: { issue in
      issue.comments == ["no stub answers GET https://shared.example/a; there are no stubs"]
    }
  }

  @Test(
    "A custom transport of the test is used instead",
    .mocked(by: { MockTransport { request in .text("you sent \(request.text)") } }))
  func ownTransport() async throws {
    let echo: OneOffRequest<String> = .post("echo", body: .text("hello"), as: String.self)
    #expect(try await SharedApp.agent.send(echo) == "you sent hello")
    #expect(MockScope.current?.requests.map(\.text) == ["hello"])
  }

  @Test("Outside of mocked tests there is no scope")
  func noScope() { #expect(MockScope.current == nil) }

  @Suite("On a suite", .mocked(Stub(.get, "/turn", answers: .text("first"), .text("second"))))
  struct OnSuite {
    static func turns() async throws -> [String] {
      [
        try await SharedApp.agent.send(.get("turn", as: String.self)),
        try await SharedApp.agent.send(.get("turn", as: String.self)),
      ]
    }

    @Test("Each test starts at the first answer", arguments: 1...3)
    func fresh(_ number: Int) async throws {
      #expect(try await Self.turns() == ["first", "second"])
      #expect(MockScope.current?.requests.count == 2)
    }

    @Test("A second test also starts at the first answer")
    func second() async throws { #expect(try await Self.turns() == ["first", "second"]) }

    @Test(
      "The stubs of a test come before the stubs of its suite",
      .mocked(Stub(.get, "/mine", answers: .text("mine")), Stub(.get, "/turn", answers: .text("own"))))
    func nested() async throws {
      #expect(try await Self.turns() == ["own", "own"])
      #expect(try await SharedApp.agent.send(.get("mine", as: String.self)) == "mine")
      let inner = try await withMocks(Stub(.get, "/inner", answers: .text("inner"))) {
        try await Self.turns() + [SharedApp.agent.send(.get("inner", as: String.self))]
      }
      #expect(inner == ["own", "own", "inner"])
    }

    @Test(
      "A custom transport of a test replaces the suite's stubs",
      .mocked(by: { MockTransport { _ in .text("alone") } }))
    func alone() async throws { #expect(try await Self.turns() == ["alone", "alone"]) }

    @Test("A test without mocks uses the agents' own transports", .unmocked)
    func unmocked() async throws {
      let agent = RequestAgent.mocked(Stub(.get, "/turn", answers: .text("wire")))
      #expect(try await agent.send(.get("turn", as: String.self)) == "wire")
      #expect(MockScope.current == nil)
    }
  }
}
