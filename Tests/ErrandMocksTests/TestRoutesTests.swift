import Errand
import ErrandMocks
import Foundation
import TestSupport
import Testing

@Suite("The shared routes of the tests")
struct TestRoutesTests {
  @Test("Each route answers as in the table")
  func table() throws {
    let server = try MockServer.withTestRoutes()
    let rows = [
      "/status/503": #"503 {"code":503}"#,
      "/status/502?type=html": "502 <html><body>502 Bad Gateway</body></html>",
      "/delay/10": #"200 {"delayed":10}"#,
      "/drip?chunks=2&gap=5": "200 8\r\nchunk 0\n\r\n8\r\nchunk 1\n\r\n0\r\n\r\n",
      "/basic?u=me&p=pw": "401 ",
      "/text": "200 Grüße",
      "/empty": "200 ", "/space": "200  ", "/null": #"200 {"value":null,"list":[null]}"#,
    ]
    for (target, expected) in rows {
      #expect(try status(and: RawClient.get(target, port: server.port)) == expected)
    }
  }

  @Test("/echo returns the request, and /basic only accepts the right credentials")
  func echoAndBasic() throws {
    let server = try MockServer.withTestRoutes()
    let answer = try RawClient.answer(
      port: server.port,
      to: "POST /echo?a=1 HTTP/1.1\r\nHost: h\r\nX-B: 2\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi")
    let json = Data(status(and: answer).dropFirst(4).utf8)
    let echo = try JSONDecoder().decode(Echo.self, from: json)
    #expect([echo.method, echo.path, echo.query, echo.text] == ["POST", "/echo", "a=1", "hi"])
    #expect(echo.headers.map(\.name) == ["Host", "X-B", "Connection", "Content-Length"])
    let head = "GET /basic?u=me&p=pw HTTP/1.1\r\nHost: h\r\nConnection: close\r\nAuthorization: Basic"
    let right = try RawClient.answer(port: server.port, to: "\(head) bWU6cHc=\r\n\r\n")
    #expect(status(and: right) == #"200 {"authenticated":true}"#)
  }

  @Test("/seq returns its statuses by id, and counts requests")
  func sequences() throws {
    let server = try MockServer.withTestRoutes()
    let answers = try ["/seq/a", "/seq/b", "/seq/a", "/seq/a"].map {
      status(and: try RawClient.get("\($0)?s=503,200", port: server.port))
    }
    #expect(
      answers == [
        #"503 {"code":503,"hit":1}"#, #"503 {"code":503,"hit":1}"#, #"200 {"code":200,"hit":2}"#,
        #"200 {"code":200,"hit":3}"#,
      ])
    #expect(try RawClient.get("/seq/a/count", port: server.port).contains(#""hits":3"#))
  }

  @Test("/bytes honours ranges and their condition")
  func ranges() throws {
    let server = try MockServer.withTestRoutes()
    let rows: [(fields: String, expected: String)] = [
      ("", "200 OK 10"), ("Range: bytes=4-", "206 Partial Content 6"),
      ("Range: bytes=0-0", "206 Partial Content 1"), ("Range: bytes=-3", "206 Partial Content 3"),
      ("Range: bytes=10-", "416 Range Not Satisfiable 0"),
      ("Range: bytes=4-\r\nIf-Range: \"bytes-10\"", "206 Partial Content 6"),
      ("Range: bytes=4-\r\nIf-Range: \"other\"", "200 OK 10"),
    ]
    for (fields, expected) in rows {
      let client = try RawClient(port: server.port)
      let lines = fields.isEmpty ? "" : "\(fields)\r\n"
      client.write("GET /bytes/10 HTTP/1.1\r\nHost: h\r\n\(lines)\r\n")
      let head = client.head()
      let length = head.first { $0.hasPrefix("Content-Length: ") }?.dropFirst(16) ?? ""
      #expect("\(head[0].dropFirst(9)) \(length)" == expected)
    }
  }

  private func status(and answer: String) -> String {
    let body = answer.range(of: "\r\n\r\n").map { answer[$0.upperBound...] } ?? ""
    return "\(answer.dropFirst(9).prefix(3)) \(body)"
  }
}
