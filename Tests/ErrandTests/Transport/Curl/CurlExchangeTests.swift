#if os(Linux)
import Foundation
import Testing

@testable import Errand

@Suite("Curl: requests and responses")
struct CurlExchangeTests {
  // 600 s, because the machine may be busy with all tests.
  let transport = CurlTransport(idleConnectionLifetime: .seconds(600))

  @Test("a GET sends exactly the given headers, and Host")
  func getHead() async throws {
    let server = RawServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: 1\r\n\r\nhello")
    let request = HTTPRequest(
      url: server.url("/a/../b?q=1"), headers: ["X-One": "1", "X-Empty": "", "x-two": "b c"])
    let response = try await transport.send(TransportRequest(request))
    #expect(response.head.status == 200)
    #expect(response.head.headers == ["Content-Length": "5", "X-A": "1"])
    #expect(response.head.url == request.url)
    #expect(try await response.body.all() == Data("hello".utf8))
    #expect(
      server.requests == [
        RawRequest(
          lines: [
            "GET /a/../b?q=1 HTTP/1.1", "Host: 127.0.0.1:\(server.port)", "X-One: 1", "X-Empty:",
            "x-two: b c",
          ], body: Data())
      ])
  }

  @Test(
    "a request abandoned before its start is not sent, for either order of the two messages")
  func givenUp() async throws {
    let server = RawServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    let loop = CurlLoop()
    let transport = CurlTransport(loop: loop)
    #expect(try await transport.whole(server.url()).text == "ok")
    for _ in 0..<20 {
      let request = TransportRequest(HTTPRequest(url: server.url("/never")))
      let upload = try await TransferUpload(
        request.request, unless: request.cancellation, timeout: request.timeout,
        suspension: request.suspension)
      let exchange = CurlExchange(request, upload: upload, loop: loop)
      exchange.abandon()
      loop.post(.start(exchange))
    }
    #expect(try await transport.whole(server.url("/last")).text == "ok")
    #expect(server.requests.map(\.line) == ["GET / HTTP/1.1", "GET /last HTTP/1.1"])
  }

  @Test("the metrics have bytes, version, address and reuse")
  func metrics() async throws {
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    let server = RawServer.answering(answer)
    for isReused in [false, true] {
      let response = try await transport.get(server.url())
      _ = try await response.body.all()
      let metrics = try #require(response.body.summary.metrics)
      #expect(metrics.isConnectionReused == isReused)
      #expect(metrics.bytesReceived == Int64(answer.utf8.count))
      #expect(
        metrics.bytesSent == Int64("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n".utf8.count))
      #expect(metrics.httpVersion == "HTTP/1.1")
      #expect(metrics.remoteAddress == "127.0.0.1:\(server.port)")
      #expect(metrics.total >= metrics.firstByte && metrics.firstByte > .zero)
      #expect(metrics.secureConnect == .zero)
    }
    #expect(server.connectionCount == 1)
  }

  @Test("a POST sends its bytes with their length, and no fields of libcurl")
  func post() async throws {
    let server = RawServer.answering("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
    let body = patternedBytes(300_000)
    let answer = try await transport.whole(
      server.url(), .post, headers: ["Content-Type": "a/b"], body: .data(body))
    #expect(answer == Whole(status: 201, body: Data(), trailers: [:]))
    #expect(
      server.requests == [
        RawRequest(
          lines: [
            "POST / HTTP/1.1", "Host: 127.0.0.1:\(server.port)", "Content-Type: a/b",
            "Content-Length: 300000",
          ], body: body)
      ])
  }

  @Test(
    "any method may have a body or no body", arguments: ["GET", "DELETE", "PUT", "PATCH", "PURGE", "HEAD"])
  func methods(_ token: String) async throws {
    let server = RawServer.answeringOnce("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    let url = server.url()
    _ = try await transport.whole(url, HTTPMethod(token), body: .data(Data("x".utf8)))
    _ = try await transport.whole(url, HTTPMethod(token))
    let host = "Host: 127.0.0.1:\(server.port)"
    let length = ["PUT", "PATCH"].contains(token) ? ["Content-Length: 0"] : []
    let line = "\(token) / HTTP/1.1"
    #expect(
      server.requests == [
        RawRequest(lines: [line, host, "Content-Length: 1"], body: Data("x".utf8)),
        RawRequest(lines: [line, host] + length, body: Data()),
      ])
  }

  @Test("a POST without a body sends Content-Length: 0 and no type")
  func emptyPost() async throws {
    let server = RawServer.answering("HTTP/1.1 204 No Content\r\n\r\n")
    #expect(try await transport.whole(server.url(), .post).status == 204)
    #expect(
      server.requests.map(\.lines) == [
        ["POST / HTTP/1.1", "Host: 127.0.0.1:\(server.port)", "Content-Length: 0"]
      ])
  }

  @Test("the response to HEAD has its length as a field and no body")
  func head() async throws {
    let server = RawServer.answering(
      "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nContent-Encoding: gzip\r\n\r\n")
    let answer = try await transport.whole(server.url(), .head)
    #expect(answer == Whole(status: 200, body: Data(), trailers: [:]))
    #expect(try await transport.whole(server.url(), .head) == answer)
    #expect(server.connectionCount == 1)
  }

  @Test("a redirect is returned unchanged, and a cookie is not kept")
  func noRedirect() async throws {
    let server = RawServer.answering(
      "HTTP/1.1 302 Found\r\nLocation: /b\r\nSet-Cookie: a=1\r\nContent-Length: 4\r\n\r\nmove")
    for _ in 0..<2 {
      #expect(
        try await transport.whole(server.url("/a"))
          == Whole(status: 302, body: Data("move".utf8), trailers: [:]))
    }
    let lines = ["GET /a HTTP/1.1", "Host: 127.0.0.1:\(server.port)"]
    #expect(server.requests.map(\.lines) == [lines, lines])
  }

  @Test("CurlTransport is the default transport")
  func isDefault() {
    #expect(DefaultTransport.make() is CurlTransport)
  }

  @Test("a kept connection is reused")
  func keepAlive() async throws {
    let server = RawServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    for _ in 0..<5 { #expect(try await transport.whole(server.url()).text == "ok") }
    #expect(server.connectionCount == 1)
    #expect(server.requests.count == 5)
  }

  @Test("URLs with other schemes or with credentials are refused")
  func refusedURLs() async {
    let file = await transport.failure(URL(string: "file:///etc/hostname")!)
    #expect(file == TransportError(.invalidURL, "only http and https URLs can be sent"))
    let user = await transport.failure(URL(string: "http://user:secret@127.0.0.1:9/")!)
    #expect(user == TransportError(.invalidURL, "the URL contains a user name or a password", code: 67))
  }

  @Test("a refused connection names host and port")
  func refused() async {
    let port = LoopbackSocket.refusingPort()
    let failure = await transport.failure(URL(string: "http://127.0.0.1:\(port)/")!)
    #expect(
      failure == TransportError(.connectionFailed, "the connection to 127.0.0.1:\(port) was refused", code: 7)
    )
  }

  @Test("300 concurrent transfers keep their bodies separate")
  func concurrent() async throws {
    let server = RawServer { connection in
      while let request = connection.readRequest() {
        let body = String(repeating: request.line + "\n", count: 200)
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n")
        connection.send(body)
      }
    }
    let (transport, base) = (transport, server.url())
    try await withThrowingTaskGroup(of: (Int, String).self) { group in
      for number in 0..<300 {
        group.addTask { (number, try await transport.whole(base.appending(path: "\(number)")).text) }
      }
      for try await (number, text) in group {
        #expect(text == String(repeating: "GET /\(number) HTTP/1.1\n", count: 200))
      }
    }
    #expect(server.requests.count == 300)
  }
}
#endif
