import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("MockServer, reading requests")
struct MockServerReadingTests {
  @Test("Requests are recorded byte for byte, with separate trailers")
  func recording() throws {
    let server = try MockServer()
    let bytes: [UInt8] = [0, 255, 13, 10, 13, 10]
    let client = try RawClient(port: server.port)
    client.write("POST /a%20b?x=1&x=2 HTTP/1.1\r\nhOsT:h:1\r\nX-B: \t two \r\nX-A:\r\nX-B: three\r\n")
    client.write(Array("Content-Length: 6\r\n\r\n".utf8) + bytes)
    _ = client.head()
    let request = try #require(server.requests.first)
    #expect(request.method == .post)
    #expect(request.target == "/a%20b?x=1&x=2")
    #expect(request.path == "/a%20b")
    #expect(request.query == "x=1&x=2")
    #expect(request.url == URL(string: "http://h:1/a%20b?x=1&x=2"))
    #expect(request.body == Data(bytes))
    let fields = request.headers.fields.map { "\($0.name)=\($0.value)" }
    #expect(fields == ["hOsT=h:1", "X-B=two", "X-A=", "X-B=three", "Content-Length=6"])
  }

  @Test("A chunked upload is assembled for any chunk sizes, with separate trailers")
  func chunkedUpload() async throws {
    let server = try MockServer()
    server.route(.post, "/up") { .data($0.body) }
    let client = try RawClient(port: server.port)
    let upload =
      "POST /up HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
      + "5;a=b\r\nhello\r\n1\r\n \r\nA\r\nwide world\r\n0\r\nX-Sum: 16\r\n\r\n"
    for byte in upload.utf8 { client.write([byte]) }
    #expect(client.readToEnd().hasSuffix("\r\n\r\nhello wide world"))
    #expect(server.requests.map(\.text) == ["hello wide world"])
    #expect(server.requests.map(\.trailers) == [["X-Sum": "16"]])
  }

  @Test("Pipelined requests are answered in order, each before the next request is read")
  func pipelining() throws {
    let server = try MockServer()
    server.route(.get, "/slow", answers: .text("slow").delayed(by: .milliseconds(30)))
    server.route(.post, "/echo") { .data($0.body) }
    let client = try RawClient(port: server.port)
    client.write(
      "GET /slow HTTP/1.1\r\nHost: h\r\n\r\nPOST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\none"
        + "\r\nPOST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nConnection: close\r\n\r\ntwo")
    #expect(
      client.readToEnd()
        == "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 4\r\n\r\nslow"
        + "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none"
        + "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\ntwo")
    #expect(server.requests.map(\.connection) == [1, 1, 1])
    #expect(server.maximumConcurrency == 1)
  }

  @Test("A client with Expect: 100-continue gets status 100 before sending the body")
  func expectContinue() throws {
    let server = try MockServer()
    server.route(.put, "/a", answers: .status(201))
    let client = try RawClient(port: server.port)
    client.write("PUT /a HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
    #expect(client.head() == ["HTTP/1.1 100 Continue"])
    #expect(server.requestCount == 0)
    client.write("ok")
    #expect(client.head() == ["HTTP/1.1 201 Created", "Content-Length: 0"])
    #expect(server.requests.map(\.text) == ["ok"])
  }
}
