import Errand
import ErrandMocks
import Foundation
import Testing

@testable import ErrandTesting

@Suite("A request in a mocked test that stores what is not used")
struct UnusedPropertyTests {
  struct Careless: Request {
    typealias Response = String
    typealias HeadersMember = HTTPHeaders
    let headers = ["X-Key": "s3cret"]
  }

  struct Meant: Request {
    typealias Response = String
    typealias HeadersMember = HTTPHeaders
    static let domainProperties: Set<String> = ["headers"]
    let headers = ["X-Key": "s3cret"]
  }

  static let text = """
    Careless has stored properties that Errand ignores:
      `headers` is Dictionary<String, String>; `Request.headers` is HTTPHeaders
    Give each property the name and the type of the protocol member, or list the name in domainProperties.
    """

  @Test(
    "It is an issue of the test, at the place of its trait, once for all requests of the type",
    .mocked(by: { MockTransport { _ in .text("Ada") } }))
  func issue() async throws {
    let line = #line - 1
    try await withKnownIssue {
      for _ in 0..<3 {
        #expect(try await SharedApp.agent.send(Careless()) == "Ada")
        _ = try await SharedApp.agent.start(Careless().with(\.tag, 2)).value
        _ = try await SharedApp.agent.stream(Careless())
      }
    } matching: { issue in
      issue.comments.map(\.rawValue) == [Self.text] && issue.sourceLocation?.line == line
    }
  }

  @Test("Each test hears of it, and a scope in a scope not again", arguments: 1...2)
  func once(_: Int) async throws {
    let issues = IssueList()
    let stub = Stub(nil, "*", answers: .text("Ada"))
    try await issues.mocking(stub, line: 1) { _ in
      try await issues.mocking(stub, line: 2) { _ in _ = try await SharedApp.agent.send(Careless()) }
      try await issues.mocking(stub, line: 3) { _ in _ = try await SharedApp.agent.send(Careless()) }
      _ = try await SharedApp.agent.send(Careless())
    }
    #expect(issues.texts == ["2: \(Self.text)"])
  }

  @Test("Work that took the scope along is an issue at its end")
  func elsewhere() async throws {
    let issues = IssueList()
    try await issues.mocking(Stub(nil, "*", answers: .text("Ada"))) { scope in
      try await Task.detached {
        try await scope.run { _ = try await SharedApp.agent.send(Careless()) }
      }.value
      #expect(issues.texts == [])
    }
    #expect(issues.texts == ["1: \(Self.text)"])
  }

  @Test("What is meant, and a request made where it is sent, is none")
  func none() async throws {
    let issues = IssueList()
    try await issues.mocking(Stub(nil, "*", answers: .text("Ada"))) { _ in
      _ = try await SharedApp.agent.send(Meant())
      _ = try await SharedApp.agent.send(.get("users/7", headers: ["X-Key": "k"], as: String.self))
    }
    #expect(issues.texts == [])
  }
}
