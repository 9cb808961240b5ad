import Errand
import ErrandMocks
import Foundation
import Testing

@testable import ErrandTesting

@Suite("Unused stored properties of requests in mocked tests")
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
    "An unused property is an issue of the test at the location of its trait, once per request type",
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

  @Test("Each test gets the issue, and a nested scope does not repeat the issue", arguments: 1...2)
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

  @Test("An unused property in work that carried the scope is an issue at the end of the scope")
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

  @Test("Declared domain properties, and one-off requests, are no issue")
  func none() async throws {
    let issues = IssueList()
    try await issues.mocking(Stub(nil, "*", answers: .text("Ada"))) { _ in
      _ = try await SharedApp.agent.send(Meant())
      _ = try await SharedApp.agent.send(.get("users/7", headers: ["X-Key": "k"], as: String.self))
    }
    #expect(issues.texts == [])
  }
}
