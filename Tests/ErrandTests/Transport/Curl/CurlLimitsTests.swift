#if os(Linux)
import Foundation
import Testing

@testable import Errand

@Suite("Curl: limits", .timeLimit(.minutes(5)))
struct CurlLimitsTests {
  let transport = CurlTransport()

  private func failure(_ url: URL, _ change: (inout TransferLimits) -> Void) async -> TransportError? {
    var limits = TransferLimits()
    change(&limits)
    let request = TransportRequest(HTTPRequest(url: url), timeout: .seconds(20), limits: limits)
    do {
      _ = try await transport.send(request).body.all()
      return nil
    } catch {
      return error as? TransportError
    }
  }

  @Test("A head may have its limit's length, and no more")
  func headSize() async {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    let server = RawServer.answering(head)
    #expect(await failure(server.url()) { $0.headSize = head.utf8.count } == nil)
    let expected = "the head of the response is longer than limits.headSize, \(head.utf8.count - 1) bytes"
    #expect(
      await failure(server.url()) { $0.headSize = head.utf8.count - 1 } == .init(.limitExceeded, expected))
  }

  @Test("Fields are counted in the head, the earlier heads and the trailers")
  func headerCount() async {
    let server = RawServer.answering(
      "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "0\r\nA: 1\r\nB: 2\r\n\r\n")
    #expect(await failure(server.url()) { $0.headerCount = 4 } == nil)
    for limit in [3, 1, 0, -1] {
      let expected = "the response has more header fields than limits.headerCount, \(limit)"
      #expect(await failure(server.url()) { $0.headerCount = limit } == .init(.limitExceeded, expected))
    }
  }

  @Test("Informational heads are counted")
  func informationalCount() async {
    let server = RawServer.answering(
      String(repeating: "HTTP/1.1 102 P\r\n\r\n", count: 2) + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    #expect(await failure(server.url()) { $0.informationalCount = 2 } == nil)
    let expected = "the server sent more informational responses than limits.informationalCount, 1"
    #expect(
      await failure(server.url()) { $0.informationalCount = 1 } == .init(.limitExceeded, expected))
  }

  /// 256 KiB of zeros compressed into a few hundred bytes.
  private static func bomb() -> RawServer {
    let body = CurlCodingTests.zeros
    let head = "HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\nContent-Encoding: gzip\r\n\r\n"
    return .answering(Data(head.utf8) + body)
  }

  @Test("A decompression bomb is stopped by its size")
  func decodedSize() async {
    let server = Self.bomb()
    #expect(await failure(server.url()) { $0.decodedSize = 262_144 } == nil)
    let expected = "the decoded body is longer than limits.decodedSize, 262143 bytes"
    #expect(await failure(server.url()) { $0.decodedSize = 262_143 } == .init(.limitExceeded, expected))
  }

  @Test("A decompression bomb is stopped by its ratio, beyond the allowance")
  func decodedRatio() async {
    let server = Self.bomb()
    #expect(await failure(server.url()) { _ in } == nil)
    #expect(await failure(server.url()) { $0.decodedRatioGrace = 262_144 } == nil)
    let expected = "decoding expands the body more than limits.decodedRatio, 200 times"
    #expect(await failure(server.url()) { $0.decodedRatioGrace = 100_000 } == .init(.limitExceeded, expected))
    let unbounded = await failure(server.url()) {
      $0.decodedRatioGrace = 0
      $0.decodedRatio = .max
    }
    #expect(unbounded == nil)
  }

  @Test("A body without a coding has no decoded size")
  func plainBody() async {
    let server = RawServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
    let plain = await failure(server.url()) {
      $0.decodedSize = 1
      $0.decodedRatioGrace = 0
      $0.decodedRatio = 0
    }
    #expect(plain == nil)
  }

  @Test("A connection that is never established is abandoned after the connect timeout, and not earlier")
  func connectTimeout() async throws {
    // The TLS handshake never ends.
    let silent = RawServer { $0.waitForClose() }
    let url = try #require(URL(string: "https://127.0.0.1:\(silent.port)/"))
    let start = ContinuousClock.now
    let failure = await failure(url) { $0.connectTimeout = .milliseconds(100) }
    #expect(failure?.kind == .timedOut && failure?.passedLimit == .connect)
    #expect(failure?.message == "no connection was established within limits.connectTimeout, 0.1 s")
    #expect(start.duration(to: .now) >= .milliseconds(95))
  }

  @Test("The connect timeout does not apply to an established connection, new or reused")
  func connected() async {
    let server = RawServer { connection in
      while connection.readRequest() != nil {
        Thread.sleep(forTimeInterval: 0.15)
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    }
    for _ in 0..<2 {
      #expect(await failure(server.url()) { $0.connectTimeout = .milliseconds(50) } == nil)
    }
    #expect(server.connectionCount == 1)
  }

  @Test("A slow server is abandoned after the timeout for the first byte")
  func firstByte() async {
    let silent = RawServer { connection in
      _ = connection.readRequest()
      connection.waitForClose()
    }
    let start = ContinuousClock.now
    let failure = await failure(silent.url()) { $0.firstByteTimeout = .milliseconds(100) }
    #expect(failure?.kind == .timedOut && failure?.passedLimit == .firstByte)
    #expect(failure?.message == "no byte of the response came within limits.firstByteTimeout, 0.1 s")
    #expect(start.duration(to: .now) >= .milliseconds(95))
  }

  @Test("After the first byte its timeout no longer applies")
  func afterFirstByte() async {
    let server = RawServer { connection in
      _ = connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
      Thread.sleep(forTimeInterval: 0.8)
      connection.send("ok")
    }
    #expect(await failure(server.url()) { $0.firstByteTimeout = .milliseconds(500) } == nil)
  }

  @Test("A response slower than the minimum is abandoned, although bytes arrive")
  func throughput() async {
    let server = RawServer { connection in
      _ = connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
      while connection.send(Data("x".utf8)) { Thread.sleep(forTimeInterval: 0.02) }
    }
    let failure = await failure(server.url()) {
      $0.minimumThroughput = .init(bytes: 5_000, per: .milliseconds(200))
    }
    let expected = "fewer bytes were received than limits.minimumThroughput, 5000 in 0.2 s"
    #expect(failure == .init(.timedOut, expected))
  }

  @Test("A timeout of zero ends a transfer, and a timeout of any length does not crash")
  func extremes() async {
    let server = RawServer { connection in
      while connection.readRequest() != nil {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    }
    let silent = RawServer { connection in
      _ = connection.readRequest()
      connection.waitForClose()
    }
    for time in [Duration.zero, .seconds(-1), .seconds(Int64.min) * 4] {
      let failure = await failure(silent.url()) { $0.firstByteTimeout = time }
      #expect(failure?.kind == .timedOut)
    }
    for time in [Duration.seconds(Int64.max), .seconds(Int64.max) * 4] {
      let failure = await failure(server.url()) {
        $0.connectTimeout = time
        $0.firstByteTimeout = time
        $0.minimumThroughput = .init(bytes: .max, per: time)
      }
      #expect(failure == nil)
    }
  }
}
#endif
