#if os(Linux)
import Foundation
import Testing

@testable import Errand

@Suite("Curl: missing trailers, and connections with trailers", .timeLimit(.minutes(5)))
struct CurlTrailerEndingTests {
  let transport = CurlTransport()

  /// Waits for the cancellation of the task.
  private static func waiting(_ isAsked: OneTime<Void>, _ wasCancelled: OneTime<Bool>) -> RequestTrailers {
    .computed {
      isAsked.set(())
      let (stream, giving) = AsyncStream<Void>.makeStream()
      for await _ in stream {}
      wasCancelled.set(Task.isCancelled)
      giving.finish()
      return ["X-A": "1"]
    }
  }

  private func request(
    _ url: URL, _ method: HTTPMethod = .post, _ body: RequestBody, _ trailers: RequestTrailers
  ) -> HTTPRequest {
    var request = HTTPRequest(url: url, method: method, body: body)
    request.trailers = trailers
    return request
  }

  @Test(
    "A cancellation during the computation ends the transfer and the computation", arguments: [true, false])
  func cancelled(_ hasBody: Bool) async throws {
    let server = RawServer { connection in
      _ = connection.readHead()
      connection.waitForClose()
      connection.note("closed")
    }
    let (isAsked, wasCancelled, signal) = (OneTime<Void>(), OneTime<Bool>(), CancellationSignal())
    let sent = request(
      server.url(), .post, hasBody ? .stream(Chunks(["abc"])) : .none, Self.waiting(isAsked, wasCancelled))
    let transport = transport
    let sending = Task {
      try await transport.send(TransportRequest(sent, timeout: .seconds(300), cancellation: signal))
    }
    try await isAsked.wait()
    signal.cancel()
    await #expect(throws: TransportError.cancelled) { _ = try await sending.value }
    #expect(try await wasCancelled.wait())
    await server.wait(for: "closed")
  }

  @Test("The timeout applies to the computation of trailers")
  func late() async throws {
    let server = RawServer { connection in
      _ = connection.readHead()
      connection.waitForClose()
    }
    let (isAsked, wasCancelled) = (OneTime<Void>(), OneTime<Bool>())
    let sent = request(server.url(), .post, .text("abc"), Self.waiting(isAsked, wasCancelled))
    await #expect(
      throws: TransportError(.timedOut, "the stream of the request's body produced no bytes for 0.3 s")
    ) {
      _ = try await transport.send(TransportRequest(sent, timeout: .milliseconds(300)))
    }
    // On a busy machine, the time limit may pass before the computation starts.
    if isAsked.value != nil { #expect(try await wasCancelled.wait()) }
  }

  @Test("A response before the trailers counts, and ends the computation")
  func earlyAnswer() async throws {
    let gate = DispatchSemaphore(value: 0)
    let server = RawServer { connection in
      _ = (connection.readHead(), connection.readLine(), connection.readLine())
      // An earlier response would prevent the computation.
      gate.wait()
      connection.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno")
      connection.waitForClose()
    }
    let (isAsked, wasCancelled) = (OneTime<Void>(), OneTime<Bool>())
    let sent = request(server.url(), .post, .stream(Chunks(["hello"])), Self.waiting(isAsked, wasCancelled))
    let transport = transport
    let sending = Task { try await transport.send(TransportRequest(sent, timeout: .seconds(300))) }
    try await isAsked.wait()
    gate.signal()
    let answer = try await sending.value
    #expect(answer.head.status == 413)
    #expect(try await answer.body.all() == Data("no".utf8))
    #expect(try await wasCancelled.wait())
  }

  @Test("With Expect the trailers wait for the server, and are not computed after a refusal")
  func expectation() async throws {
    let calls = Locked(0)
    let trailers = RequestTrailers.computed {
      calls.withLock { $0 += 1 }
      return ["X-A": "1"]
    }
    for (answer, status, count) in [
      ("HTTP/1.1 100 Continue\r\n\r\n", 200, 1),
      ("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n", 417, 1),
    ] {
      let server = RawServer { connection in
        _ = connection.readHead()
        connection.send(answer)
        while let line = connection.readLine(), line != "X-A: 1" {}
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      }
      var sent = request(server.url(), .put, .text("abc"), trailers)
      sent.headers.add("Expect", "100-continue")
      let head = try await transport.send(TransportRequest(sent, timeout: .seconds(300))).head
      #expect(head.status.code == status && calls.withLock { $0 } == count)
    }
  }

  @Test("libcurl does not repeat a request whose trailers may have been sent, idempotent or not")
  func stale() async throws {
    let server = RawServer { connection in
      _ = connection.readHead()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      guard connection.number == 1 else { return }
      while let line = connection.readLine(), line != "X-A: 1" {}
      connection.note("all")
    }
    #expect(try await transport.whole(server.url()).text == "ok")
    let calls = Locked(0)
    let trailers = RequestTrailers.computed {
      calls.withLock { $0 += 1 }
      return ["X-A": "1"]
    }
    let sent = request(server.url(), .put, .none, trailers)
    let error = await #expect(throws: TransportError.self) {
      _ = try await transport.send(TransportRequest(sent, timeout: .seconds(300)))
    }
    #expect(error?.kind == .connectionLost && calls.withLock { $0 } == 1)
    #expect(server.connectionCount <= 2)
  }

  @Test("Progress counts the bytes of the body, and knows their total")
  func progress() async throws {
    let meter = TransferMeter(AgentClock(ContinuousClock()))
    meter.begin(attempt: 1)
    let server = RawServer.draining()
    let sent = request(server.url(), .put, .data(Data(count: 100_000)), ["X-A": "1"])
    var transfer = TransportRequest(sent, timeout: .seconds(300))
    transfer.counter = meter.begin(sent.body)
    #expect(meter.progress.total == 100_000)
    _ = try await transport.send(transfer).body.all()
    #expect(meter.progress.completed == 100_000 && meter.progress.total == 100_000)
    #expect(server.connectionCount == 1)
  }

  @Test(
    "Trailers over https use HTTP/1.1 beside an HTTP/2 connection, which stays in use for others",
    .enabled(if: OpenSSL.system != nil && CurlTransport().capabilities.httpVersions.contains("HTTP/2")))
  func versions() async throws {
    let transport = CurlTransport(certificateAuthorities: TLSIdentity.certificate)
    let came = Locked([String]())
    let server = try RawServer.secure(offering: TLSChannel.Offer(alpn: "h2")) { connection in
      if connection.number == 1 {
        return connection.serveHTTP2 {
          connection.send(.answer(to: $0))
        } ended: { _ in
        }
      }
      while let lines = connection.readHead() {
        came.withLock { $0.append(lines[0]) }
        while let line = connection.readLine(), line != "X-A: 1" {}
        _ = connection.readLine()
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      }
    }
    func version(_ request: HTTPRequest) async throws -> String? {
      let answer = try await transport.send(TransportRequest(request, timeout: .seconds(60)))
      _ = try await answer.body.all()
      return answer.body.summary.metrics?.httpVersion
    }
    let plain = HTTPRequest(url: server.url())
    let trailed = request(server.url("/t"), .put, .text("abc"), ["X-A": "1"])
    #expect(try await version(plain) == "HTTP/2")
    for _ in 1...2 { #expect(try await version(trailed) == "HTTP/1.1") }
    #expect(came.withLock { $0 } == ["PUT /t HTTP/1.1", "PUT /t HTTP/1.1"] && server.connectionCount == 2)
  }
}

extension RawServer {
  /// Reads chunked requests including trailers.
  static func draining() -> RawServer {
    RawServer { connection in
      while connection.readHead() != nil {
        while let line = connection.readLine(), let size = Int(line, radix: 16), size > 0 {
          guard connection.discard(size + 2, taken: { _ in }) else { return }
        }
        while let line = connection.readLine(), !line.isEmpty {}
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      }
    }
  }
}
#endif
