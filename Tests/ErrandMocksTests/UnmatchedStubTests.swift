import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("Requests without a matching stub")
struct UnmatchedStubTests {
  private static let here = "UnmatchedStubTests.swift"

  @Test("The message names the request, and each stub with location and difference, nearest first")
  func nearest() async throws {
    let line = #line
    let transport = MockTransport([
      Stub(.post, "/users", answers: .status(201)),
      Stub(.get, "/users/7", answers: .status(200)),
    ])
    #expect(
      try await transport.refusal(of: .get, "https://api.example.com/users/8") == """
        no stub answers GET https://api.example.com/users/8; the stubs, nearest first:
        1. GET /users/7 (\(Self.here):\(line + 3)): path is /users/8, not /users/7
        2. POST /users (\(Self.here):\(line + 2)): method is GET, not POST; path is /users/8, not /users
        """)
    #expect(transport.requests.map(\.path) == ["/users/8"])
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let request: String
    let order: [String]
    var testDescription: String { request }
  }

  static let stubs = [
    "/posts/7", "/users/7", "/users/7/posts", "https://other.example/users/7", "/users/7?full=1",
    "/users/*/friends",
  ]

  static let rows = [
    Row(
      request: "POST https://h/users/7",
      order: ["/users/7", "/users/7?full=1", "https://other.example/users/7"]),
    Row(
      request: "GET https://h/users/77",
      order: ["/users/7", "/users/7?full=1", "/posts/7"]),
    Row(request: "GET https://h/user/8", order: ["/users/7", "/posts/7", "/users/7?full=1"]),
    Row(request: "GET https://h/users/9/friend", order: ["/users/*/friends", "/users/7/posts", "/users/7"]),
  ]

  @Test("The message names three of many stubs, in the order of the necessary changes", arguments: rows)
  func ranking(row: Row) async throws {
    let parts = row.request.split(separator: " ").map(String.init)
    let transport = MockTransport(Self.stubs.map { Stub(.get, $0, answers: .status(200)) })
    let lines = try await transport.refusal(of: HTTPMethod(parts[0]), parts[1]).split(separator: "\n")
    #expect(lines.first == "no stub answers \(row.request); the nearest 3 of 6 stubs:")
    #expect(lines.dropFirst().map { $0.split(separator: " ")[2] } == row.order.map { Substring($0) })
  }

  @Test("A long location is truncated, and its secrets stay redacted")
  func longPlaces() async throws {
    let stubs = (0..<100).map { Stub(.get, "/s\($0)?x=1", answers: .status(200)) }
    let path = String(repeating: "a/", count: 15_000)
    let url = "https://h/\(path)?access_token=\(String(repeating: "s3cret", count: 1_000))&q=\(path)"
    let message = try await MockTransport(stubs).refusal(of: .get, url)
    let shown = "/\(path)".prefix(400)
    #expect(
      message == """
        no stub answers GET https://h\(shown.prefix(391))…; the nearest 3 of 100 stubs:
        1. \(stubs[0]): path is \(shown)…, not /s0; query is access_token=<redacted>…, not x=1
        2. \(stubs[1]): path is \(shown)…, not /s1; query is access_token=<redacted>…, not x=1
        3. \(stubs[2]): path is \(shown)…, not /s2; query is access_token=<redacted>…, not x=1
        """)
  }

  @Test("Origin and query are compared in words")
  func origins() async throws {
    let stub = Stub(nil, "https://api.example.com/a?x=1", answers: .status(200))
    let other = Stub(.get, "/a?", answers: .status(200))
    #expect(
      try await MockTransport([stub, other]).refusal(of: .get, "http://h:8080/a") == """
        no stub answers GET http://h:8080/a; the stubs, nearest first:
        1. \(other): query is missing, not empty
        2. \(stub): origin is http://h:8080, not https://api.example.com; query is missing, not x=1
        """)
    #expect("\(stub)".hasPrefix("ANY https://api.example.com/a?x=1 (UnmatchedStubTests.swift:"))
  }

  @Test("The agent's error has the message as reason, and prints each stub on a separate line")
  func throughAnAgent() async throws {
    let stub = Stub(.get, "/users/7", answers: .status(200)).header("X-Api-Key", "t0p").header("X-Mode", "b")
    let agent = RequestAgent.mocked(stub)
    let error = await #expect(throws: RequestError.self) { try await agent.send(.get("users/7")) }
    #expect(error?.kind == .unmatchedStub)
    #expect(error?.stage == .transport)
    #expect(
      error?.reason == """
        no stub answers GET https://mocked.example/users/7; the only stub:
        1. \(stub): header X-Api-Key is missing, not <redacted> (3 characters); header X-Mode is missing, not b
        """)
    #expect(
      error?.description.split(separator: "\n").prefix(2).joined(separator: "\n") == """
        GET https://mocked.example/users/7 failed: no stub answers GET https://mocked.example/users/7; the only stub:
          1. \(stub): header X-Api-Key is missing, not <redacted> (3 characters); header X-Mode is missing, not b.
        """)
  }

  @Test(
    "An unsupported notation is named with the supported notation",
    arguments: [
      ("/users/:id", " (write the variable as {id})"), ("/users/{id:int", " ({id:int has no closing brace)"),
      ("/users/:7", ""), ("/users/a:b", ""), ("/users/}", ""),
    ])
  func notations(_ path: String, _ hint: String) async throws {
    let message = try await MockTransport(Stub(.get, path)).refusal(of: .get, "https://h/users/1")
    #expect(message.hasSuffix(": path is /users/1, not \(path)\(hint)"))
  }

  @Test("No secret of the request or a stub is in the message")
  func secrets() async throws {
    let transport = MockTransport([
      Stub(.post, "https://h/a?token=canary1&x=1", answers: .status(200))
        .query("api_key", "canary2").header("Cookie", "canary3").formBody(["password": "canary4"]),
      Stub(.post, "/a", answers: .status(200)).jsonBody(#"{"deep":[{"secret":"canary5"}],"pwd":"canary6"}"#),
      Stub(.post, "/a", answers: .status(200)).jsonBody(#"{"pwd":"canary16","#),
    ])
    let headers: HTTPHeaders = ["Cookie": "canary7", "Authorization": "Bearer canary8"]
    for body in [#"{"deep":[{"secret":"canary9"}],"pwd":"canary10"}"#, "password=canary11", "canary12"] {
      let message = try await transport.refusal(
        of: .post, "https://user:canary13@h/a?token=canary14&api_key=canary15", headers: headers,
        body: .text(body))
      #expect(!message.contains("canary"), "\(message)")
    }
  }
}
