import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("MockServer, intended faults", .timeLimit(.minutes(5)))
struct MockServerMisbehaviourTests {
  let server: MockServer

  init() throws { server = try MockServer() }

  private func answer(_ answer: MockAnswer) throws -> String {
    server.route(.get, "/", answers: answer)
    return try RawClient.get("/", port: server.port)
  }

  private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n"

  @Test("Raw steps are sent unchanged, and repeated on demand")
  func raw() throws {
    #expect(
      try answer(.raw(.send("ab"), .send("cd", times: 3), .wait(.zero), .close, .send("not"))) == "abcdcdcd")
    #expect(try answer(.raw(.send("x", times: 300_000), .close)) == String(repeating: "x", count: 300_000))
  }

  @Test("A cut sends the given number of bytes of the response or its body, and then runs the step")
  func cut() throws {
    let whole = "\(Self.head)Content-Length: 5\r\nConnection: close\r\n\r\nhello"
    #expect(try answer(.text("hello")) == whole)
    #expect(try answer(.text("hello").cut(after: 7)) == "HTTP/1.")
    #expect(try answer(.text("hello").cut(.body, after: 3)) == String(whole.dropLast(2)))
    #expect(try answer(.text("hello").cut(.body, after: -3)) == String(whole.dropLast(5)))
    #expect(try answer(.text("hello").cut(.body, after: .max)) == whole)
    #expect(try answer(.text("hello").cut(.body, after: 3, by: .send("p!"))) == whole.dropLast(2) + "p!")
    #expect(try answer(.raw(.send("abc", times: 3), .close).cut(after: 5)) == "abcab")
    #expect(try answer(.text("hello").dripping(every: .milliseconds(1)).cut(after: 3)) == "HTT")
  }

  @Test("A fault before the head takes the place of the answer, and of the steps added to the answer")
  func faultBeforeHead() throws {
    #expect(try answer(.text("hello").fault(.refused).cut(after: 3, by: .send("x"))) == "")
    #expect(try answer(.text("hello").dripping(every: .zero).then(.send("x")).fault(.refused)) == "")
  }

  @Test("Status line, header lines and framing are as in the answer")
  func heads() throws {
    #expect(
      try answer(
        .text("x").statusLine("HTTP/1.1 200").headerLine("A:1").informational(103, headers: ["Link": "</a>"]))
        == "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200\r\n"
        + "Content-Type: text/plain; charset=utf-8\r\nContent-Length: 1\r\nConnection: close\r\nA:1\r\n\r\nx")
    #expect(try answer(.text("x").unframed()) == "\(Self.head)Connection: close\r\n\r\nx")
    #expect(
      try answer(.text("hello").trailers(["X-Sum": "1"]))
        == "\(Self.head)Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n"
    )
  }

  @Test("Steps after a response read the next request without answering the request")
  func afterwards() async throws {
    server.route(.get, "/1", answers: .text("one").then(.awaitNextRequest, .close))
    let client = try RawClient(port: server.port)
    client.write("GET /1 HTTP/1.1\r\nHost: h\r\n\r\n")
    _ = client.read(through: "one")
    client.write("POST /2 HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi")
    #expect(client.readToEnd() == "")
    #expect(server.requests.map { "\($0.target) \($0.text)" } == ["/1 ", "/2 hi"])
    #expect(server.maximumConcurrency == 1)
    await server.waitForClosedConnections()
    #expect(server.closedConnectionCount == 1)
  }

  @Test("A stalled connection lives until the client leaves")
  func stalled() async throws {
    server.route(.get, "/", answers: .raw(.send("begun"), .stall, .send("never")))
    do {
      let client = try RawClient(port: server.port)
      client.write("GET / HTTP/1.1\r\nHost: h\r\n\r\nand more of it")
      #expect(client.read(count: 5) == "begun")
      #expect(server.closedConnectionCount == 0)
    }
    await server.waitForClosedConnections()
  }

  @Test("Connections beyond the limit wait")
  func limitedConnections() throws {
    let server = try MockServer(maximumConnections: 1)
    server.route(.get, "/*", answers: .text("done"))
    let first = try RawClient(port: server.port)
    first.write("GET /1 HTTP/1.1\r\nHost: h\r\n\r\n")
    _ = first.read(through: "done")
    let second = try RawClient(port: server.port)
    second.write("GET /2 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
    first.write("GET /3 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
    #expect(first.readToEnd().hasSuffix("done"))
    #expect(second.readToEnd().hasSuffix("done"))
    #expect(server.requests.map(\.target) == ["/1", "/3", "/2"])
  }

  @Test("A mock transport returns trailers, and refuses answers that need a connection")
  func onATransport() async throws {
    let transport = MockTransport([
      Stub(.get, "/trailers", answers: .text("x").trailers(["X-Sum": "1"])),
      Stub(.get, "/raw", answers: .raw(.close)),
      Stub(.get, "/cut", answers: .text("x").cut(after: 1)),
    ])
    let agent = RequestAgent(baseURL: "http://h", transport: transport)
    let received = try await agent.response(for: .get("trailers", as: String.self))
    #expect(received.response.trailers == ["X-Sum": "1"])
    for path in ["raw", "cut"] {
      let error = await #expect(throws: RequestError.self) { try await agent.send(.get(path)) }
      #expect(error?.kind == .unsupported)
      #expect(
        error?.reason
          == "the answer describes a connection, and a mock transport has no connections: use a MockServer")
    }
  }
}
