import Errand
import ErrandMocks
import Testing

@Suite("MockServer, invalid requests")
struct MockServerGarbageTests {
  struct Garbage: Sendable, CustomTestStringConvertible {
    let input: String
    let status: String
    let message: String
    var testDescription: String { message }
  }

  static let head = "POST / HTTP/1.1\r\nHost: h\r\n"
  static let rows = [
    Garbage(
      input: "\u{16}\u{3}\u{1}\r\n", status: "400 Bad Request",
      message: #"invalid request line: "\u{16}\u{03}\u{01}""#),
    Garbage(input: "GET /\r\n", status: "400 Bad Request", message: #"invalid request line: "GET /""#),
    Garbage(
      input: "GET / HTTP/2.0\r\n", status: "400 Bad Request",
      message: #"invalid request line: "GET / HTTP/2.0""#),
    Garbage(input: "GET / HTTP/1.1\n", status: "400 Bad Request", message: "a line does not end in CR LF"),
    Garbage(
      input: "GET / HTTP/1.1\r\n\r\n", status: "400 Bad Request",
      message: "the request must have exactly one Host header"),
    Garbage(
      input: "\(head)No colon\r\n", status: "400 Bad Request", message: #"invalid header line: "No colon""#),
    Garbage(
      input: "\(head)X: a\rB\r\n", status: "400 Bad Request", message: #"invalid header line: "X: a\rB""#),
    Garbage(input: "\(head)X : 1\r\n", status: "400 Bad Request", message: #"invalid header line: "X : 1""#),
    Garbage(
      input: "\(head)Content-Length: 1\r\nContent-Length: 2\r\n\r\n", status: "400 Bad Request",
      message: #"invalid content length: "1, 2""#),
    Garbage(
      input: "\(head)Content-Length: -1\r\n\r\n", status: "400 Bad Request",
      message: #"invalid content length: "-1""#),
    Garbage(
      input: "\(head)Content-Length: 9999999999\r\n\r\n", status: "413 Content Too Large",
      message: "the body is too long"),
    Garbage(
      input: "\(head)Transfer-Encoding: gzip\r\n\r\n", status: "400 Bad Request",
      message: #"invalid transfer coding: "gzip""#),
    Garbage(
      input: "\(head)Transfer-Encoding: chunked\r\n\r\n-5\r\n", status: "400 Bad Request",
      message: #"invalid chunk size: "-5""#),
    Garbage(
      input: "\(head)Transfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\n", status: "413 Content Too Large",
      message: "the body is too long"),
    Garbage(
      input: "\(head)Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", status: "400 Bad Request",
      message: "a chunk is longer than its size"),
    Garbage(
      input: String(repeating: "x", count: 200_000), status: "431 Request Header Fields Too Large",
      message: "the head is too long"),
  ]

  @Test("An invalid request gets an error with the reason, and the connection is closed", arguments: rows)
  func refusals(garbage: Garbage) throws {
    let server = try MockServer()
    let answer = try RawClient.answer(port: server.port, to: garbage.input)
    let text = "malformed request: \(garbage.message)"
    #expect(
      answer == "HTTP/1.1 \(garbage.status)\r\nContent-Type: text/plain; charset=utf-8\r\n"
        + "Content-Length: \(text.utf8.count)\r\nConnection: close\r\n\r\n\(text)")
    #expect(server.requestCount == 0)
  }

  @Test("Random bytes never stop the server")
  func randomBytes() throws {
    let server = try MockServer()
    server.route(.get, "/", answers: .text("alive"))
    var state: UInt64 = 42
    for _ in 0..<200 {
      let bytes = (0..<64).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 40)
      }
      let client = try RawClient(port: server.port)
      client.write(bytes)
    }
    #expect(try RawClient.get("/", port: server.port).hasSuffix("alive"))
  }
}
