#if os(Linux)
import Foundation
import Testing

@testable import Errand

@Suite("Curl: idle timeouts")
struct CurlTimeoutTests {
  let transport = CurlTransport()
  let silent = RawServer { connection in
    _ = connection.readRequest()
    connection.waitForClose()
  }

  @Test("a server that never answers is abandoned after the timeout, and not earlier")
  func inHead() async {
    let start = ContinuousClock.now
    let failure = await transport.failure(silent.url(), timeout: .milliseconds(200))
    #expect(failure == TransportError(.timedOut, "no byte was sent or received for 0.2 s"))
    #expect(start.duration(to: .now) >= .milliseconds(195))
  }

  @Test("a server that stops inside the body is abandoned, with the received bytes")
  func inBody() async throws {
    let server = RawServer { connection in
      _ = connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
      connection.waitForClose()
      connection.note("closed")
    }
    let request = TransportRequest(HTTPRequest(url: server.url()), timeout: .milliseconds(500))
    var body = try await transport.send(request).body.makeAsyncIterator()
    #expect(try await body.next() == Data("abc".utf8))
    await #expect(throws: TransportError(.timedOut, "no byte was sent or received for 0.5 s")) {
      try await body.next()
    }
    await server.wait(for: "closed")
  }

  @Test(
    "a request with a body times out like a request without, counted from the end of sending",
    arguments: [10, 100_000])
  func afterBody(_ count: Int) async {
    let order = Recorder()
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        let failure = await transport.failure(
          silent.url(), .post, body: .data(patternedBytes(count)), timeout: .milliseconds(500))
        order.add(failure?.clause ?? "none")
      }
      group.addTask {
        order.add(await transport.failure(silent.url(), timeout: .milliseconds(900))?.clause ?? "none")
      }
    }
    #expect(
      order.events == ["no byte was sent or received for 0.5 s", "no byte was sent or received for 0.9 s"])
  }

  @Test("the first byte of the response is not the first byte of the request's body")
  func firstByteAfterBody() async throws {
    let server = RawServer { connection in
      _ = connection.readRequest()
      Thread.sleep(forTimeInterval: 0.2)
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      connection.waitForClose()
    }
    let request = HTTPRequest(url: server.url(), method: .post, body: .text("hello"))
    let response = try await transport.send(TransportRequest(request, timeout: .seconds(300)))
    _ = try await response.body.all()
    let metrics = try #require(response.body.summary.metrics)
    #expect(metrics.firstByte >= .milliseconds(195) && metrics.firstByte <= metrics.total)
  }

  @Test("each byte restarts the timeout")
  func progress() async throws {
    let server = RawServer { connection in
      _ = connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n")
      for byte in "progress".utf8 {
        Thread.sleep(forTimeInterval: 0.1)
        connection.send(Data([byte]))
      }
    }
    // 0.8 s in total. The total is longer than the timeout, but each single gap is much shorter.
    #expect(try await transport.whole(server.url(), timeout: .milliseconds(700)).text == "progress")
  }

  @Test(
    "any positive timeout works",
    arguments: [
      .seconds(Int64.max), .seconds(1e18), .seconds(Int64.max / 1_000_000_000), .seconds(86_400 * 365 * 200),
    ] as [Duration])
  func huge(_ timeout: Duration) async throws {
    let server = RawServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    #expect(try await transport.whole(server.url(), timeout: timeout).text == "ok")
  }

  @Test(
    "a tiny timeout is kept",
    arguments: [(Duration.milliseconds(1), "0.001 s"), (.nanoseconds(1), "0.000000001 s")])
  func tiny(_ timeout: Duration, _ text: String) async {
    let failure = await transport.failure(silent.url(), timeout: timeout)
    #expect(failure == TransportError(.timedOut, "no byte was sent or received for \(text)"))
  }

  @Test("a timeout of zero is an error before sending", arguments: [(0.0, "0 s"), (-1.5, "-1.5 s")])
  func none(_ seconds: Double, _ text: String) async {
    let failure = await transport.failure(silent.url(), timeout: .seconds(seconds))
    #expect(
      failure == TransportError(.timedOut, "the timeout of \(text) leaves no time to send anything"))
    #expect(silent.connectionCount == 0)
  }
}
#endif
