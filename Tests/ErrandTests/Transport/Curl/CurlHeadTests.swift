#if os(Linux)
import Foundation
import Testing

@testable import Errand

@Suite("Curl: heads")
struct CurlHeadTests {
  let transport = CurlTransport()

  @Test("a head that arrives byte by byte is read completely")
  func splitHead() async throws {
    let server = RawServer { connection in
      while connection.readRequest() != nil {
        for byte in "HTTP/1.1 200 OK\r\nX-Long: abcdef\r\nContent-Length: 2\r\n\r\nok".utf8 {
          connection.send(Data([byte]))
        }
      }
    }
    let response = try await transport.get(server.url())
    #expect(response.head.headers == ["X-Long": "abcdef", "Content-Length": "2"])
    #expect(try await response.body.all() == Data("ok".utf8))
  }

  @Test("odd but harmless heads are read")
  func oddHeads() async throws {
    var bytes = Data("HTTP/1.1 299\r\nA:1\r\nB:   \r\nC: one\r\n  two\r\nD: caf".utf8)
    bytes.append(0xE9)
    bytes.append(Data("\r\nE: é\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 0\r\n\r\n".utf8))
    let server = RawServer.answering(bytes)
    let head = try await transport.get(server.url()).head
    #expect(head.status == 299)
    #expect(
      head.headers == [
        "A": "1", "B": "", "C": "one two", "D": "café", "E": "é", "Set-Cookie": "a=1", "Set-Cookie": "b=2",
        "Content-Length": "0",
      ])
  }

  @Test("a field with an invalid name is dropped with its continuation, also in trailers")
  func namesThatAreNone() async throws {
    let server = RawServer.answering(
      "HTTP/1.1 200 OK\r\nA: 1\r\nX Y: 2\r\n folded\r\n: 3\r\nB : 4\r\n\tfolded\r\nC\u{1}: 5\r\n(D): 6\r\né: 7\r\n"
        + "Set-Cookie\u{B}: a=b\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "0\r\nE F: 8\r\nG: 9\r\n: 10\r\n\r\n")
    let response = try await transport.get(server.url())
    #expect(response.head.headers == ["A": "1", "B": "4 folded", "Transfer-Encoding": "chunked"])
    #expect(try await response.body.all() == Data())
    #expect(response.body.summary.trailers == ["G": "9"])
  }

  @Test("informational heads are dropped")
  func informational() async throws {
    let server = RawServer.answering(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
        + "HTTP/1.1 200 OK\r\nX: 1\r\nContent-Length: 2\r\n\r\nok")
    let response = try await transport.get(server.url())
    #expect(response.head.headers == ["X": "1", "Content-Length": "2"])
    #expect(try await response.body.all() == Data("ok".utf8))
  }

  @Test("endless informational heads are refused")
  func endlessInformational() async {
    let server = RawServer.answering(String(repeating: "HTTP/1.1 102 P\r\n\r\n", count: 21))
    let failure = await transport.failure(server.url())
    #expect(
      failure
        == TransportError(
          .limitExceeded,
          "the server sent more informational responses than limits.informationalCount, 20"))
  }

  @Test("an endless head is refused", .timeLimit(.minutes(5)))
  func endlessHead() async {
    let server = RawServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\n")
      while connection.send(Data("X-Filler: \(String(repeating: "x", count: 1000))\r\n".utf8)) {}
    }
    let failure = await transport.failure(server.url())
    #expect(
      failure
        == TransportError(
          .limitExceeded, "the head of the response is longer than limits.headSize, 262144 bytes"))
  }

  @Test("bytes other than HTTP are refused")
  func garbage() async {
    let server = RawServer.answeringOnce("220 welcome to the mail server\r\n")
    let failure = await transport.failure(server.url())
    var expected = TransportError(
      .invalidResponse, "127.0.0.1:\(server.port) did not answer in HTTP", code: 1)
    expected.advice = .securePort
    #expect(failure == expected)
  }

  @Test(
    "a head truncated anywhere is a lost connection",
    arguments: ["HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nA: 1\r\n"])
  func cutHead(_ bytes: String) async {
    let server = RawServer.answeringOnce(bytes)
    let failure = await transport.failure(server.url())
    #expect(
      failure
        == TransportError(.connectionLost, "the connection was closed inside the head of the response"))
  }

  @Test(
    "a connection closed without a response is lost",
    arguments: ["", "HTTP", "HTTP/1.1 200", "HTTP/1.1 100 C\r\n\r\n"])
  func noAnswer(_ bytes: String) async {
    let server = RawServer.answeringOnce(bytes)
    let failure = await transport.failure(server.url())
    let expected = "127.0.0.1:\(server.port) closed the connection without an answer"
    #expect(failure == TransportError(.connectionLost, expected, code: 52))
  }

  @Test("a reset connection is lost")
  func reset() async {
    let server = RawServer { connection in
      connection.readRequest()
      connection.reset()
    }
    let failure = await transport.failure(server.url())
    let expected =
      "the connection to 127.0.0.1:\(server.port) broke while the response was received"
    #expect(failure == TransportError(.connectionLost, expected, code: 56))
  }

  @Test("conflicting lengths are refused, and equal lengths are not")
  func conflictingLengths() async throws {
    let server = RawServer.answeringOnce(
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 5\r\n\r\nhello")
    #expect(
      await transport.failure(server.url())
        == TransportError(.invalidResponse, "the response has conflicting Content-Length values: 2, 5"))
    let equal = RawServer.answeringOnce(
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello")
    #expect(try await transport.whole(equal.url()).text == "hello")
  }
}
#endif
