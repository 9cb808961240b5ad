import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("MockServer, responses")
struct MockServerTests {
  @Test("A route returns its answers in order, repeats the last answer, and sends the described bytes")
  func orderedAnswers() throws {
    let server = try MockServer()
    server.route(.get, "/users/7", answers: .status(503).header("Retry-After", "1"), .json(#"{"id":7}"#))
    let answers = try (1...3).map { _ in try RawClient.get("/users/7", port: server.port) }
    let unavailable =
      "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    let found =
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 8\r\nConnection: close\r\n\r\n"
      + #"{"id":7}"#
    #expect(answers == [unavailable, found, found])
    #expect(server.requestCount == 3)
    #expect(server.requestCount(.get, "/users/*") == 3)
    #expect(server.requestCount(.post, "/users/*") == 0)
  }

  @Test("The route added last wins, and requests without a route get the queue in order")
  func routesAndQueue() throws {
    let server = try MockServer()
    let line = #line
    server.route(.get, "/*", answers: .text("prefix"))
    server.route(.get, "/a", answers: .text("exact"))
    server.route(.get, "/a?v=2", answers: .text("query"))
    server.enqueue(.text("first"), .text("second"))
    let client = try RawClient(port: server.port)
    var bodies: [String] = []
    for line in ["GET /a", "GET /a?v=2", "GET /b", "PUT /a", "PUT /b", "PUT /c"] {
      client.write("\(line) HTTP/1.1\r\nHost: h\r\n\r\n")
      let length = client.head().last { $0.hasPrefix("Content-Length: ") }?.dropFirst(16)
      bodies.append(client.read(count: length.flatMap { Int($0) } ?? 0))
    }
    #expect(
      bodies == [
        "exact", "query", "prefix", "first", "second",
        """
        method is PUT, not GET, so GET /* (MockServerTests.swift:\(line + 1)) did not answer
        no route answers PUT /c; the routes, nearest first:
        1. GET /* (MockServerTests.swift:\(line + 1)): method is PUT, not GET
        2. GET /a (MockServerTests.swift:\(line + 2)): method is PUT, not GET; path is /c, not /a
        3. GET /a?v=2 (MockServerTests.swift:\(line + 3)): method is PUT, not GET; path is /c, not /a; \
        query is missing, not v=2
        """,
      ])
    #expect(server.unmatched.map(\.target) == ["/c"])
    #expect(server.requests.map(\.number) == [1, 2, 3, 4, 5, 6])
    #expect(server.requests.map(\.connection) == [1, 1, 1, 1, 1, 1])
    #expect(server.connectionCount == 1)
  }

  @Test("An unexpected request gets a 404 with a text that names the request")
  func notScripted() throws {
    let server = try MockServer()
    let answer = try RawClient.get("/nowhere?x=1", port: server.port)
    #expect(
      answer == """
        HTTP/1.1 404 Not Found\r
        Content-Type: text/plain; charset=utf-8\r
        Content-Length: 54\r
        Connection: close\r
        \r
        no route answers GET /nowhere?x=1; there are no routes
        """)
    #expect(server.unmatched.map(\.target) == ["/nowhere?x=1"])
  }

  @Test("A closure answers from the request, and a thrown error becomes a 500")
  func closures() throws {
    struct Broken: Error {}
    let server = try MockServer()
    server.route(.post, "/echo") { .data($0.body) }
    server.route(.get, "/broken") { _ in throw Broken() }
    let echo = try RawClient.answer(
      port: server.port,
      to: "POST /echo HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello")
    #expect(echo == "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello")
    let broken = try RawClient.get("/broken", port: server.port)
    #expect(broken.hasPrefix("HTTP/1.1 500 Internal Server Error\r\n"))
    #expect(broken.hasSuffix("\r\n\r\nthe route threw: Broken()"))
  }

  @Test("HEAD, and a status without a body, are answered with only the head")
  func headsAlone() throws {
    let server = try MockServer()
    server.route(nil, "/a", answers: .text("body").header("X-A", "1"))
    server.route(nil, "/204", answers: .text("body", status: 204))
    let client = try RawClient(port: server.port)
    client.write("HEAD /a HTTP/1.1\r\nHost: h\r\n\r\nGET /204 HTTP/1.1\r\nHost: h\r\n\r\n")
    #expect(
      client.head() == [
        "HTTP/1.1 200 OK", "Content-Type: text/plain; charset=utf-8", "X-A: 1", "Content-Length: 4",
      ])
    #expect(client.head() == ["HTTP/1.1 204 No Content", "Content-Type: text/plain; charset=utf-8"])
  }

  @Test("A chunked body is sent with gaps between the chunks, and ends the connection in HTTP/1.0")
  func chunkedAnswers() throws {
    let server = try MockServer()
    let chunks = ["one", "", "three"].map { Data($0.utf8) }
    server.route(.get, "/drip", answers: .chunks(chunks, gap: .milliseconds(20)))
    let start = ContinuousClock.now
    #expect(
      try RawClient.get("/drip", port: server.port)
        == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        + "3\r\none\r\n5\r\nthree\r\n0\r\n\r\n")
    #expect(ContinuousClock.now - start >= .milliseconds(20))
    #expect(
      try RawClient.answer(port: server.port, to: "GET /drip HTTP/1.0\r\n\r\n")
        == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nonethree")
  }

  @Test("A chunked answer with an explicit length is not chunked, and has no trailers")
  func chunksWithLength() async throws {
    let server = try MockServer()
    let answer = MockAnswer.chunks([Data("he".utf8), Data("llo".utf8)]).header("Content-Length", "5")
      .trailers(["X-Sum": "1"])
    server.route(.get, "/a", answers: answer)
    #expect(
      try RawClient.get("/a", port: server.port)
        == "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello")
    let agent = RequestAgent.mocked(Stub(.get, "/a", answers: answer))
    let received = try await agent.response(for: .get("a", as: String.self))
    #expect(received.value == "hello" && received.response.trailers == [:])
    server.route(.get, "/a", answers: answer.header("Transfer-Encoding", "chunked"))
    #expect(
      try RawClient.get("/a", port: server.port).hasSuffix("2\r\nhe\r\n3\r\nllo\r\n0\r\nX-Sum: 1\r\n\r\n"))
  }

  @Test("A chunked body ends the connection in HTTP/1.0 even if the client requests keep-alive")
  func chunksForOldClients() throws {
    let server = try MockServer()
    server.route(nil, "/a", answers: .chunks([Data("he".utf8), Data("llo".utf8)]))
    let client = try RawClient(port: server.port)
    client.write("HEAD /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    #expect(client.head() == ["HTTP/1.1 200 OK"])
    client.write("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    #expect(client.read(through: "\r\n\r\nhello") == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello")
    #expect(client.readToEnd() == "")
  }

  @Test("Only the option close ends a connection, and no other option that contains the word")
  func otherOptions() throws {
    let server = try MockServer()
    server.route(nil, "/a", answers: .text("hello"))
    let client = try RawClient(port: server.port)
    client.write("GET /a HTTP/1.1\r\nHost: a\r\nConnection: x-closed, closer\r\n\r\n")
    #expect(client.read(through: "hello").hasSuffix("hello"))
    client.write("GET /a HTTP/1.1\r\nHost: a\r\nConnection: x-a\r\nConnection: Close\r\n\r\n")
    #expect(client.readToEnd().hasSuffix("hello"))
    #expect(server.requestCount == 2)
  }

  @Test("A failure closes the connection without an answer")
  func failures() throws {
    let server = try MockServer()
    server.route(.get, "/lost", answers: .failure(TransportError(.connectionLost, "lost")))
    #expect(try RawClient.get("/lost", port: server.port) == "")
    #expect(server.requestCount == 1)
  }

  @Test("The server listens on ::1 if the system supports ::1")
  func ipv6() throws {
    guard let server = try? MockServer(on: .ipv6) else { return }
    #expect(server.baseURL.absoluteString == "http://[::1]:\(server.port)")
  }
}
