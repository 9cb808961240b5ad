import Errand
import ErrandMocks
import ErrandTesting
import Foundation
import Testing

@Suite("Requests without a matching stub in a mocked test")
struct UnmatchedRequestTests {
  @Test(
    "The request fails, and is an issue of the test at the location of its trait",
    .mocked(Stub(.get, "/users/7", answers: .json("7"))))
  func issue() async {
    // `#line` in the trait of a macro is the line on which the function starts.
    let line = #line - 2
    let text = """
      no stub answers GET https://shared.example/users/8?token=<redacted>; the only stub:
      1. GET /users/7 (UnmatchedRequestTests.swift:\(line)): path is /users/8, not /users/7
      """
    await withKnownIssue {
      let error = await #expect(throws: RequestError.self) {
        try await SharedApp.agent.send(.get("users/8?token=s3cret", as: Int.self))
      }
      #expect(error?.kind == .unmatchedStub)
      #expect(error?.attempts == 1)
    } matching: { issue in
      issue.comments.map(\.rawValue) == [text] && issue.sourceLocation?.fileID == #fileID
        && issue.sourceLocation?.line == line
    }
  }

  @Test(
    "The issue also names the stubs of the outer scope",
    .mocked(Stub(.get, "/outer", answers: .text("outer"))))
  func nested() async throws {
    let line = #line + 8
    let text = """
      no stub answers GET https://shared.example/none; the only stub:
      1. GET /inner (UnmatchedRequestTests.swift:\(line)): path is /none, not /inner
      in the outer scope, no stub answers GET https://shared.example/none; the only stub:
      1. GET /outer (UnmatchedRequestTests.swift:\(line - 9)): path is /none, not /outer
      """
    await withKnownIssue {
      await withMocks(Stub(.get, "/inner", answers: .text("inner"))) {
        _ = try? await SharedApp.agent.send(.get("none"))
      }
    } matching: { issue in
      issue.comments.map(\.rawValue) == [text] && issue.sourceLocation?.line == line
    }
  }

  @Test(
    "A body that can be read once reaches the outer scope's stub",
    .mocked(by: { MockTransport { .text($0.text) } }))
  func streamedBody() async throws {
    let chunks = AsyncStream { continuation in
      for chunk in ["a", "b"] { continuation.yield(Data(chunk.utf8)) }
      continuation.finish()
    }
    let request: OneOffRequest<String> = .post("echo", body: .stream(chunks), as: String.self)
    let text = try await withMocks(Stub(.get, "/else", answers: .status(200))) {
      try await SharedApp.agent.send(request)
    }
    #expect(text == "ab")
  }

  @Test(
    "Trailers are computed once, for any number of scopes",
    .mocked(by: { MockTransport { .text("\($0.text) \($0.trailers["X-Call"] ?? "none")") } }))
  func trailers() async throws {
    let calls = Locked(0)
    let trailers = RequestTrailers.computed {
      let number = calls.withLock { calls in
        calls += 1
        return calls
      }
      return ["X-Call": "\(number)"]
    }
    let request = OneOffRequest.post("echo", body: .text("a"), as: String.self).with(\.trailers, trailers)
    let text = try await withMocks(Stub(.get, "/else", answers: .status(200))) {
      try await SharedApp.agent.send(request)
    }
    #expect(text == "a 1")
  }

  @Test("A request of work that carried the scope is an issue at the end of the scope")
  func elsewhere() async throws {
    let issues = IssueList()
    await issues.mocking { scope in
      await Task.detached {
        await scope.run { _ = try? await SharedApp.agent.send(.get("none")) }
      }.value
      #expect(issues.texts == [])
    }
    #expect(issues.texts == ["1: no stub answers GET https://shared.example/none; there are no stubs"])
  }
}
