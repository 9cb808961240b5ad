#if os(Linux)
import Foundation
import Testing

@testable import Errand

@Suite("Curl: bodies of responses")
struct CurlBodyTests {
  // 600 s, because the machine may be busy with all tests.
  let transport = CurlTransport(idleConnectionLifetime: .seconds(600))

  @Test("chunks are joined, trailers are separate, and the connection is reused")
  func chunkedWithTrailers() async throws {
    let server = RawServer.answering(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX: head\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n"
        + "X: trailer\r\nChecksum:5\r\n\r\n")
    let expected = Whole(
      status: 200, body: Data("abcde".utf8), trailers: ["X": "trailer", "Checksum": "5"])
    #expect(try await transport.whole(server.url()) == expected)
    #expect(try await transport.whole(server.url()) == expected)
    #expect(server.connectionCount == 1)
  }

  @Test("a body without a length ends with the connection")
  func untilClose() async throws {
    let server = RawServer.answeringOnce("HTTP/1.1 200 OK\r\n\r\nall there is")
    #expect(try await transport.whole(server.url()).text == "all there is")
  }

  @Test("bytes beyond the length are ignored")
  func extraBytes() async throws {
    let server = RawServer.answeringOnce("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello and more")
    #expect(try await transport.whole(server.url()).text == "hello")
    #expect(try await transport.whole(server.url()).text == "hello")
    #expect(server.connectionCount == 2)
  }

  @Test("a truncated body delivers the received bytes, then the error")
  func shortBody() async throws {
    let server = RawServer.answeringOnce("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
    var body = try await transport.get(server.url()).body.makeAsyncIterator()
    #expect(try await body.next() == Data("abc".utf8))
    await #expect(
      throws: TransportError(
        .connectionLost, "the connection was closed after 3 of the 10 bytes of the body", code: 18)
    ) { try await body.next() }
    #expect(try await body.next() == nil)
  }

  private static func inTwoParts(
    _ body: Data, status: Int = 200, mayGoOn: @escaping @Sendable () -> Void = {}
  ) -> RawServer {
    RawServer { connection in
      while connection.readRequest() != nil {
        connection.send("HTTP/1.1 \(status) OK\r\nContent-Length: \(body.count)\r\n\r\n")
        connection.send(body.prefix(body.count / 2))
        mayGoOn()
        connection.send(body.dropFirst(body.count / 2))
      }
    }
  }

  @Test(
    "a body of known length from 16 KiB to 128 KiB arrives as a single chunk",
    arguments: [16_384, 100_000, 1 << 17])
  func singleChunk(_ size: Int) async throws {
    let body = patternedBytes(size)
    let server = Self.inTwoParts(body)
    for _ in 1...3 {
      var chunks: [Data] = []
      for try await chunk in try await transport.get(server.url()).body { chunks.append(chunk) }
      #expect(chunks == [body])
    }
    #expect(server.connectionCount == 1)
  }

  @Test(
    "the body of a failure, of a stream, or above the limit arrives in parts",
    arguments: [(status: 500, isBulk: false, limit: nil), (200, true, nil), (200, false, 60_000)]
      as [(Int, Bool, Int?)])
  func parts(_ status: Int, _ isBulk: Bool, _ limit: Int?) async throws {
    let body = patternedBytes(100_000)
    let isHalfRead = DispatchSemaphore(value: 0)
    let server = Self.inTwoParts(body, status: status) { isHalfRead.wait() }
    var limits = TransferLimits()
    if let limit { limits.bodySize = limit }
    var request = TransportRequest(HTTPRequest(url: server.url()), timeout: .seconds(300), limits: limits)
    request.isBulk = isBulk
    var (received, iterator) = (Data(), try await transport.send(request).body.makeAsyncIterator())
    while received.count < 50_000, let chunk = try await iterator.next() { received.append(chunk) }
    #expect(received == body.prefix(50_000))
    isHalfRead.signal()
    while let chunk = try await iterator.next() { received.append(chunk) }
    #expect(received == body)
  }

  @Test("a large body that is cut off delivers the received bytes, then the error")
  func cutLargeBody() async throws {
    let body = patternedBytes(60_000)
    let server = RawServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
      connection.send(body)
    }
    var iterator = try await transport.get(server.url()).body.makeAsyncIterator()
    #expect(try await iterator.next() == body)
    await #expect(
      throws: TransportError(
        .connectionLost, "the connection was closed after 60000 of the 100000 bytes of the body", code: 18)
    ) { try await iterator.next() }
  }

  @Test("sizes of bodies change on one connection, so the receive buffer changes too")
  func changingSizes() async throws {
    let server = RawServer { connection in
      while let request = connection.readRequest() {
        let size = Int(request.line.split(separator: " ")[1].dropFirst()) ?? 0
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
        connection.send(patternedBytes(size))
      }
    }
    for size in [10, 100_000, 100_000, 3_000_000, 10, 20_000, 40_000, 2_000, 0, 100_000] {
      #expect(try await transport.whole(server.url("/\(size)")).body == patternedBytes(size))
    }
    #expect(server.connectionCount == 1)
  }

  @Test("truncated chunks are an error")
  func shortChunks() async {
    let server = RawServer.answeringOnce("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc")
    #expect(
      await transport.failure(server.url())
        == TransportError(
          .connectionLost, "the connection was closed inside the body, after 3 bytes", code: 18))
  }

  @Test("malformed chunks are an error")
  func malformedChunks() async {
    let server = RawServer.answeringOnce("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc")
    let failure = await transport.failure(server.url())
    #expect(
      failure == TransportError(.invalidResponse, "the chunks of the body are malformed", code: 56))
  }

  @Test("a large body arrives unchanged for a slow reader")
  func backPressure() async throws {
    let body = patternedBytes(8 << 20)
    let server = RawServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
      connection.send(body)
      connection.note("sent")
    }
    let response = try await transport.get(server.url())
    var received = Data()
    for try await chunk in response.body {
      received.append(chunk)
      for _ in 0..<20 { await Task.yield() }
    }
    #expect(received == body)
  }

  @Test("a body without a reader blocks the server and does not time out", .timeLimit(.minutes(5)))
  func paused() async throws {
    // More bytes than all buffers between server and client can hold.
    let body = patternedBytes(64 << 20)
    let server = RawServer { connection in
      if connection.readRequest()?.line == "GET /big HTTP/1.1" {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
        connection.send(body)
      } else {
        connection.waitForClose()
      }
    }
    let request = TransportRequest(HTTPRequest(url: server.url("/big")), timeout: .milliseconds(500))
    let response = try await transport.send(request)
    // A second transfer times out later, which proves that the paused transfer would have timed out.
    let failure = await transport.failure(server.url("/silent"), timeout: .milliseconds(1500))
    #expect(failure?.kind == .timedOut)
    #expect(try await response.body.all() == body)
  }
}
#endif
