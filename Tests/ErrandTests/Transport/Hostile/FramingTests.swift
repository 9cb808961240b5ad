#if os(Linux)
import Foundation
import Testing

@testable import Errand

/// The end of a body must not depend on the reader of the head (RFC 9112 section 6).
@Suite("Odd framing", .timeLimit(.minutes(5)))
struct FramingTests {
  static let fields = [
    "a folded one": "Transfer-Encoding:\r\n chunked",
    "one with a blank": "Transfer-Encoding : chunked",
    "one that goes on": "Transfer-Encoding: chunked\r\n\t, gzip",
    "a list": "Transfer-Encoding: gzip, chunked",
    "chunked twice": "Transfer-Encoding: chunked, chunked",
    "identity": "Transfer-Encoding: identity",
    "an unknown one": "Transfer-Encoding: rot13",
    "two fields": "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
    "a length too": "Transfer-Encoding: chunked\r\nContent-Length: 5",
    "identity, and a length that is not kept": "Transfer-Encoding: identity\r\nContent-Length: 90",
    "a folded length": "Content-Length: 1\r\n 5",
    "a length with a blank": "Content-Length : 15",
    "two lengths in one": "Content-Length: 1 5",
    "one with a control character": "Transfer-Encoding\u{B}: chunked",
    "one behind a control character": "\u{B}Transfer-Encoding: chunked",
    "one with a carriage return": "Transfer-Encoding: chunked\r, identity",
    "a length with a carriage return": "Content-Length: 1\r5",
  ]

  /// Over HTTP/1.1.
  static let reasons = [
    "a folded one": "the response's Transfer-Encoding continues on a second line",
    "one with a blank": "the response's Transfer-Encoding has a space before its colon",
    "one that goes on": "the response's Transfer-Encoding continues on a second line",
    "a list": "the response's Transfer-Encoding is gzip, chunked, but only chunked is supported",
    "chunked twice": "the response's Transfer-Encoding is chunked, chunked, but only chunked is supported",
    "identity": "the response's Transfer-Encoding is identity, but only chunked is supported",
    "an unknown one": "the response's Transfer-Encoding is rot13, but only chunked is supported",
    "two fields": "the response has 2 Transfer-Encoding fields",
    "a length too": "the response has both Transfer-Encoding and Content-Length",
    "identity, and a length that is not kept":
      "the response has both Transfer-Encoding and Content-Length",
    "a folded length": "the response's Content-Length continues on a second line",
    "a length with a blank": "the response's Content-Length has a space before its colon",
    "two lengths in one": "the response's Content-Length is not a number: 1 5",
    "one with a control character": "the response's Transfer-Encoding has a space before its colon",
    "one behind a control character": "the response's Transfer-Encoding has a space before its colon",
    "one with a carriage return": "a line of the head of the response contains a carriage return",
    "a length with a carriage return": "a line of the head of the response contains a carriage return",
  ]

  static let kinds = OpenSSL.system == nil ? [false] : [false, true]

  private static func server(isSecure: Bool, _ bytes: String) throws -> RawServer {
    let script: RawServer.Script = { connection in
      guard connection.readRequest() != nil else { return }
      connection.send(bytes)
    }
    return try isSecure ? .secure(script) : RawServer(script)
  }

  @Test(
    "each framing is an error with its own text, in HTTP/1.0 and 1.1, plain and over TLS", arguments: kinds,
    ["1.0", "1.1"])
  func refused(isSecure: Bool, version: String) async throws {
    let transport = CurlTransport(certificateAuthorities: TLSIdentity.certificate)
    for (name, lines) in Self.fields {
      let server = try Self.server(
        isSecure: isSecure, "HTTP/\(version) 200 OK\r\n\(lines)\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
      var reason = try #require(Self.reasons[name])
      let isFault = reason.contains("second line") || reason.contains("space") || name.contains("lengths")
      if version == "1.0", !isFault, !reason.contains("carriage") {
        reason = "the response has a Transfer-Encoding, which HTTP/1.0 does not define"
      }
      let failure = await transport.failure(server.url())
      #expect(failure?.kind == .invalidResponse, "\(name)")
      #expect(failure?.message == reason, "\(name)")
    }
  }

  @Test(
    "a status line with HTTP/2 that was not negotiated is refused, because surplus bytes would pass otherwise",
    arguments: kinds, ["2", "2.0"])
  func claimedHTTP2(isSecure: Bool, version: String) async throws {
    let transport = CurlTransport(certificateAuthorities: TLSIdentity.certificate)
    let server = try Self.server(
      isSecure: isSecure, "HTTP/\(version) 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n\r\n")
    let failure = await transport.failure(server.url())
    #expect(
      failure
        == TransportError(
          .invalidResponse, "the response claims to be HTTP/2, but the connection did not negotiate HTTP/2"))
  }

  @Test("an unrequested switch of protocols is refused", arguments: kinds)
  func switched(isSecure: Bool) async throws {
    let transport = CurlTransport(certificateAuthorities: TLSIdentity.certificate)
    let server = try Self.server(
      isSecure: isSecure, "HTTP/1.1 101 Switching Protocols\r\nContent-Length: 9\r\n\r\nhello")
    #expect(
      await transport.failure(server.url())
        == TransportError(
          .invalidResponse,
          "the server switches to another protocol (101), although the request did not ask for a switch"))
  }

  @Test(
    "a truncated head is not reported as a body, for any announced framing",
    arguments: ["Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", "Content-Length: 5\r\nX-A: b"])
  func cutHead(_ fields: String) async throws {
    let server = try Self.server(isSecure: false, "HTTP/1.1 200 OK\r\n\(fields)")
    #expect(
      await CurlTransport().failure(server.url())
        == TransportError(.connectionLost, "the connection was closed inside the head of the response"))
  }

  @Test("any framing is accepted in a head without a body", arguments: ["HEAD", "204", "304"])
  func noBody(_ kind: String) async throws {
    let server = try Self.server(
      isSecure: false,
      "HTTP/1.1 \(kind == "HEAD" ? "200" : kind) X\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n"
    )
    let whole = try await CurlTransport().whole(server.url(), kind == "HEAD" ? .head : .get)
    #expect(whole.body.isEmpty)
  }

  @Test("a blank before the colon of another field is ignored")
  func harmlessBlank() async throws {
    let server = try Self.server(
      isSecure: false, "HTTP/1.1 200 OK\r\nX-Odd : a\r\n b\r\nContent-Length: 2\r\n\r\nok")
    let response = try await CurlTransport().get(server.url())
    #expect(response.head.headers["X-Odd"] == "a b")
    #expect(try await response.body.all() == Data("ok".utf8))
  }

  @Test(
    "a body that ends with the connection is complete only with TLS's close_notify",
    .enabled(if: OpenSSL.system != nil),
    arguments: ["1.0", "1.1"], [true, false])
  func goodbye(version: String, isOrderly: Bool) async throws {
    let server = try RawServer.secure { connection in
      guard connection.readRequest() != nil else { return }
      connection.send("HTTP/\(version) 200 OK\r\n\r\nhello")
      if isOrderly { connection.close() } else { connection.cut() }
    }
    let transport = CurlTransport(certificateAuthorities: TLSIdentity.certificate)
    if isOrderly {
      #expect(try await transport.whole(server.url()).text == "hello")
    } else {
      let failure = await transport.failure(server.url())
      #expect(failure?.kind == .connectionLost)
      #expect(
        failure?.message
          == "the connection to 127.0.0.1:\(server.port) was closed without a TLS close_notify, so"
          + " the body without a length may be incomplete")
    }
  }

  @Test("a body with a length, or in chunks, needs no close_notify", .enabled(if: OpenSSL.system != nil))
  func framedWithoutGoodbye() async throws {
    let transport = CurlTransport(certificateAuthorities: TLSIdentity.certificate)
    for rest in [
      "Content-Length: 5\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    ] {
      let server = try RawServer.secure { connection in
        guard connection.readRequest() != nil else { return }
        connection.send("HTTP/1.1 200 OK\r\n\(rest)")
        connection.cut()
      }
      #expect(try await transport.whole(server.url()).text == "hello")
    }
  }
}
#endif
