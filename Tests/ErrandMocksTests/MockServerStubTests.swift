import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("MockServer, stubs")
struct MockServerStubTests {
  private let server: MockServer

  init() throws { server = try MockServer() }

  private func body(_ target: String) throws -> String {
    let answer = try RawClient.get(target, port: server.port)
    return answer.components(separatedBy: "\r\n\r\n").dropFirst().joined()
  }

  @Test("Stubs are checked in order, before earlier added stubs, and used up stubs are skipped")
  func order() throws {
    server.route(.get, "/a", answers: .text("route"))
    server.add(Stub(.get, "/*", answers: .text("earlier")))
    server.add([
      Stub(.get, "/a", answers: .text("first")).query("v", "1"),
      Stub(.get, "/a", answers: .text("second")).times(1),
    ])
    #expect(try ["/a", "/a?v=1", "/a", "/b"].map(body) == ["second", "first", "earlier", "earlier"])
    server.route(.get, "/a", answers: .text("newest"))
    #expect(try body("/a?v=1") == "newest")
  }

  @Test("An unanswered request gets a text with the nearest stubs, after the queue is empty")
  func unmatched() throws {
    let line = #line
    server.route(.get, "/users/7", answers: .status(200))
    server.route(.get, "/users") { _ in .status(200) }
    let stub = Stub(.get, "/users/8", answers: .status(200)).header("X")
    server.add(stub)
    server.enqueue(.text("queued"))
    #expect(try body("/users/8") == "queued")
    #expect(
      try body("/users/8?token=hunter2") == """
        header X is missing, so \(stub) did not answer
        no route answers GET /users/8?token=<redacted>; the routes, nearest first:
        1. \(stub): header X is missing
        2. GET /users/7 (MockServerStubTests.swift:\(line + 1)): path is /users/8, not /users/7
        3. GET /users (MockServerStubTests.swift:\(line + 2)): path is /users/8, not /users
        """)
    #expect(server.unmatched.map(\.target) == ["/users/8?token=hunter2"])
  }

  @Test("An agent's error begins with the text, and names the difference of the nearest stub")
  func shortened() async throws {
    for number in 0..<5 {
      server.route(.get, "/a/long/path/of/users/\(number)/and/what/they/have", answers: .status(200))
    }
    let stub = Stub(.get, "/users/{id}", answers: .status(200)).header("X-Mode", "b")
    server.add(stub)
    let agent = RequestAgent(baseURL: server.baseURL)
    let query = String(repeating: "x", count: 300)
    let error = await #expect(throws: RequestError.self) { try await agent.send(.get("users/7?q=\(query)")) }
    #expect(
      error?.description.contains("\"header X-Mode is missing, not b, so \(stub) did not answer") == true)
    #expect(server.unmatched.map(\.path) == ["/users/7"])
  }

  @Test("The text redacts secrets in URLs inside the query, and echoed credentials")
  func hidden() throws {
    let stub = Stub(.get, "/b?u=https%3A%2F%2Fx%2F%3Ftoken%3Dcanary1", answers: .status(200)).query("v", "1")
    server.add(stub)
    #expect("\(stub)".hasPrefix("GET /b?u=<redacted> (MockServerStubTests.swift:"))
    #expect(
      try body("/a/canary2?u=https%3A%2F%2Fx%2F%3Ftoken%3Dcanary2&v=canary2") == """
        path is /a/<redacted>, not /b, so \(stub) did not answer
        no route answers GET /a/<redacted>?u=https%3A%2F%2Fx%2F%3Ftoken%3D<redacted>&v=<redacted>; the only route:
        1. \(stub): path is /a/<redacted>, not /b; \
        query is u=https%3A%2F%2Fx%2F%3Ftoken%3D<redacted>&v=<redacted>, not u=<redacted>; \
        query item v is <redacted> (7 characters), not 1
        """)
  }

  @Test("A condition may use the server, because no lock is held", .timeLimit(.minutes(5)))
  func reentrance() throws {
    let server = server
    server.add(
      Stub(.get, "/a", answers: .text("a")).where("it is the first") { _ in server.requestCount == 1 },
      Stub(.get, "/a", answers: .text("b")).where("it adds a route") { _ in
        server.route(.get, "/b", answers: .text("added"))
        return true
      })
    #expect(try ["/a", "/a", "/b"].map(body) == ["a", "b", "added"])
    server.stop()
  }
}
