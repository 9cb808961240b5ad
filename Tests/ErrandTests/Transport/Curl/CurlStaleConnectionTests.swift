#if os(Linux)
import Foundation
import Testing

@testable import Errand

@Suite("Curl: stale connections", .timeLimit(.minutes(5)))
struct CurlStaleConnectionTests {
  let transport = CurlTransport()
  /// Closes the first connection after reading the second request, and answers on later connections.
  let server = RawServer { connection in
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    if connection.number == 1 {
      connection.readRequest()
      connection.send(answer)
      connection.readRequest()
    } else {
      while connection.readRequest() != nil { connection.send(answer) }
    }
  }

  private static func lost(_ method: String) -> TransportError {
    TransportError(
      .connectionLost,
      "the server closed a reused connection without an answer; the server may have received the \(method), so the"
        + " \(method) was not sent again")
  }

  @Test("a POST on a stale connection reaches the server once")
  func post() async throws {
    _ = try await transport.whole(server.url("/1"))
    let body = RequestBody.data(Data("once".utf8))
    #expect(await transport.failure(server.url("/2"), .post, body: body) == Self.lost("POST"))
    #expect(server.requests.map(\.line) == ["GET /1 HTTP/1.1", "POST /2 HTTP/1.1"])
    #expect(try await transport.whole(server.url("/3"), .post, body: body).text == "ok")
    #expect(server.requests.map(\.line) == ["GET /1 HTTP/1.1", "POST /2 HTTP/1.1", "POST /3 HTTP/1.1"])
  }

  @Test("a POST without a body on a stale connection reaches the server once")
  func emptyPost() async throws {
    _ = try await transport.whole(server.url("/1"))
    #expect(await transport.failure(server.url("/2"), .post) == Self.lost("POST"))
    #expect(server.requests.map(\.line) == ["GET /1 HTTP/1.1", "POST /2 HTTP/1.1"])
  }

  @Test("a GET on a stale connection is sent again")
  func get() async throws {
    _ = try await transport.whole(server.url("/1"))
    #expect(try await transport.whole(server.url("/2")).text == "ok")
    #expect(server.requests.map(\.line) == ["GET /1 HTTP/1.1", "GET /2 HTTP/1.1", "GET /2 HTTP/1.1"])
  }

  @Test("a request that requires a fresh connection gets a fresh connection, beside a good idle connection")
  func fresh() async throws {
    let server = RawServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    var isReused: [Bool?] = []
    for wantsFreshConnection in [false, false, true] {
      var request = TransportRequest(HTTPRequest(url: server.url()), timeout: .seconds(300))
      request.wantsFreshConnection = wantsFreshConnection
      let body = try await transport.send(request).body
      _ = try await body.all()
      isReused.append(body.summary.metrics?.isConnectionReused)
    }
    #expect(isReused == [false, true, false])
    #expect(server.connectionCount == 2)
  }

  /// On one processor, the response often arrives before libcurl checks the socket.
  private static func onOneProcessor(
    _ script: @escaping RawServer.Script
  ) async throws -> (server: RawServer, transport: CurlTransport) {
    // The thread sanitizer does not see the order of a continuation resumed on a Foundation thread.
    let made = Locked<(server: RawServer, transport: CurlTransport)?>(nil)
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        // Threads started from this thread inherit the processor.
        typealias Call = @convention(c) (Int32, Int, UnsafePointer<UInt64>) -> Int32
        let call = dlsym(nil, "sched_setaffinity").map { unsafeBitCast($0, to: Call.self) }
        _ = call?(0, MemoryLayout<UInt64>.size, [1])
        let server = RawServer(script)
        let loop = CurlLoop()
        let request = TransportRequest(HTTPRequest(url: server.url()), timeout: .seconds(1))
        loop.post(.resumeReceiving(CurlExchange(request, upload: .none, loop: loop)))
        let transport = CurlTransport(loop: loop)
        made.withLock { $0 = (server, transport) }
        continuation.resume()
      }
    }
    return try #require(made.withLock { $0 })
  }

  @Test(
    "A body that pauses at once keeps the connection that was idle before",
    arguments: [false, true])
  func pausedAtOnce(_ isBulk: Bool) async throws {
    let content = patternedBytes(3_000_000)
    let (server, transport) = try await Self.onOneProcessor { connection in
      while let request = connection.readRequest() {
        let body = request.line.hasPrefix("GET /small") ? Data("ok".utf8) : content
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
        connection.send(body)
      }
    }
    for _ in 0..<20 {
      #expect(try await transport.whole(server.url("/small")).text == "ok")
      var request = TransportRequest(HTTPRequest(url: server.url("/large")), timeout: .seconds(300))
      request.isBulk = isBulk
      let body = try await transport.send(request).body
      // Delays the reading, so the body has to pause.
      for _ in 0..<20 { await Task.yield() }
      #expect(try await body.all() == content)
    }
    #expect(server.connectionCount == 1)
  }

  @Test(
    "over TLS a GET on a stale connection is sent again once, beside another stale connection",
    .enabled(if: OpenSSL.system != nil))
  func secureGet() async throws {
    let (arrived, areBothThere) = (Locked(0), DispatchSemaphore(value: 0))
    let server = try RawServer.secure(offering: TLSChannel.Offer(alpn: "http/1.1")) { connection in
      guard connection.readRequest() != nil else { return }
      let number = arrived.withLock { arrived in
        arrived += 1
        return arrived
      }
      if number == 1 { areBothThere.wait() } else { areBothThere.signal() }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      connection.readRequest()
    }
    let transport = CurlTransport(certificateAuthorities: TLSIdentity.certificate, eventLoops: 1)
    async let first = transport.whole(server.url("/1"))
    async let second = transport.whole(server.url("/1"))
    _ = try await (first, second)
    #expect(try await transport.whole(server.url("/2")).text == "ok")
    #expect(
      server.requests.map(\.line) == [
        "GET /1 HTTP/1.1", "GET /1 HTTP/1.1", "GET /2 HTTP/1.1", "GET /2 HTTP/1.1",
      ])
    #expect(server.connectionCount == 3)
  }

  @Test("a PUT on a stale connection is sent again completely")
  func put() async throws {
    let body = patternedBytes(500_000)
    _ = try await transport.whole(server.url("/1"))
    #expect(try await transport.whole(server.url("/2"), .put, body: .data(body)).text == "ok")
    #expect(server.requests.map(\.body) == [Data(), body, body])
  }

  @Test("a PUT of a stream on a stale connection is not sent again")
  func putStream() async throws {
    _ = try await transport.whole(server.url("/1"))
    let failure = await transport.failure(server.url("/2"), .put, body: .stream(Chunks(["once"]), length: 4))
    let expected =
      "127.0.0.1:\(server.port) closed a reused connection, and the body of the request cannot be sent again"
    #expect(failure == TransportError(.connectionLost, expected, code: 65))
    #expect(server.requests.map(\.line) == ["GET /1 HTTP/1.1", "PUT /2 HTTP/1.1"])
  }

  @Test("the error of a streamed POST on a stale connection names its method, not its body")
  func postStream() async throws {
    _ = try await transport.whole(server.url("/1"))
    let failure = await transport.failure(server.url("/2"), .post, body: .stream(Chunks(["once"]), length: 4))
    #expect(failure == Self.lost("POST"))
    #expect(server.requests.map(\.line) == ["GET /1 HTTP/1.1", "POST /2 HTTP/1.1"])
  }

  @Test("a POST after the server closed the idle connection gets a new connection")
  func closedWhileIdle() async throws {
    let server = RawServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      connection.close()
      connection.note("closed")
    }
    _ = try await transport.whole(server.url())
    await server.wait(for: "closed")
    #expect(try await transport.whole(server.url(), .post).text == "ok")
    #expect(server.connectionCount == 2)
  }
}
#endif
