#if os(Linux)
import Foundation
import Testing

@testable import Errand

@Suite("Curl: the end of a transport", .timeLimit(.minutes(5)))
struct CurlLifetimeTests {
  /// The stream ends with the thread of the transport's loop.
  private func transport() -> (CurlTransport, ended: AsyncStream<Void>) {
    let (ended, continuation) = AsyncStream<Void>.makeStream()
    return (CurlTransport(loop: CurlLoop { continuation.finish() }), ended)
  }

  private func wait(for ended: AsyncStream<Void>) async {
    for await _ in ended {}
  }

  @Test("the thread ends with the release of the transport and its bodies")
  func ends() async throws {
    let server = RawServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    let (first, ended) = transport()
    var kept: CurlTransport? = first
    #expect(try await kept?.whole(server.url()).text == "ok")
    kept = nil
    _ = consume first
    await wait(for: ended)
  }

  @Test("a body can be read to its end after its transport's release")
  func bodyOutlivesTransport() async throws {
    let gate = DispatchSemaphore(value: 0)
    let server = RawServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc")
      gate.wait()
      connection.send("def")
    }
    let ended: AsyncStream<Void>
    do {
      let body: BodyStream
      (body, ended) = try await {
        let (transport, ended) = transport()
        return (try await transport.get(server.url()).body, ended)
      }()
      gate.signal()
      #expect(try await body.all() == Data("abcdef".utf8))
    }
    await wait(for: ended)
  }

  @Test("requests in flight get their outcome after the transport's release")
  func inFlight() async throws {
    let server = RawServer { connection in
      while let request = connection.readRequest() {
        connection.send(
          "HTTP/1.1 200 OK\r\nContent-Length: \(request.line.utf8.count)\r\n\r\n\(request.line)")
      }
    }
    let url = server.url("/a")
    let (tasks, ended) = {
      let (transport, ended) = transport()
      return ((0..<100).map { _ in Task { try await transport.whole(url).text } }, ended)
    }()
    for task in tasks { #expect(try await task.value == "GET /a HTTP/1.1") }
    await wait(for: ended)
  }

  @Test("a loop closed during its transfers ends the transfers with an error")
  func closed() async {
    let server = RawServer { connection in
      _ = connection.readRequest()
      connection.note("read")
      connection.waitForClose()
    }
    let (ended, continuation) = AsyncStream<Void>.makeStream()
    let loop = CurlLoop { continuation.finish() }
    let transport = CurlTransport(loop: loop)
    let url = server.url()
    async let failure = transport.failure(url)
    await server.wait(for: "read")
    loop.close()
    #expect(
      await failure
        == TransportError(.transport, "the transport was released before the transfer ended"))
    await wait(for: ended)
  }

  @Test("an unused transport has no thread")
  func unused() {
    let hasEnded = Locked(false)
    weak var loop: CurlLoop?
    do {
      let made = CurlLoop { hasEnded.withLock { $0 = true } }
      loop = made
      _ = CurlTransport(loop: made)
    }
    // A thread would retain the loop, or would have reported its end.
    #expect(loop == nil && !hasEnded.withLock { $0 })
  }

  @Test("transports start and end with their threads")
  func many() async throws {
    let server = RawServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    for _ in 0..<20 {
      let ended = try await {
        let (transport, ended) = transport()
        _ = try await transport.whole(server.url())
        return ended
      }()
      await wait(for: ended)
    }
  }
}
#endif
