#if os(Linux)
import Foundation
import Testing

@testable import Errand

@Suite("Curl: cancellation", .timeLimit(.minutes(5)))
struct CurlCancellationTests {
  let transport = CurlTransport()
  let cancellation = CancellationSignal()

  @Test("a request cancelled before its start never reaches the server")
  func before() async throws {
    let server = RawServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    cancellation.cancel()
    let failure = await transport.failure(server.url("/cancelled"), cancellation: cancellation)
    #expect(failure == .cancelled)
    _ = try await transport.whole(server.url("/next"))
    #expect(server.requests.map(\.line) == ["GET /next HTTP/1.1"])
  }

  @Test("a request cancelled during the wait for the head ends and closes its connection")
  func inFlight() async {
    let server = RawServer { connection in
      _ = connection.readRequest()
      connection.note("read")
      connection.waitForClose()
      connection.note("closed")
    }
    let (transport, url, cancellation) = (transport, server.url(), cancellation)
    async let failure = transport.failure(url, cancellation: cancellation)
    await server.wait(for: "read")
    cancellation.cancel()
    #expect(await failure == .cancelled)
    await server.wait(for: "closed")
  }

  @Test("a request cancelled during its body ends and closes its connection")
  func receiving() async throws {
    let server = RawServer { connection in
      _ = connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
      connection.waitForClose()
      connection.note("closed")
    }
    let request = TransportRequest(HTTPRequest(url: server.url()), cancellation: cancellation)
    var body = try await transport.send(request).body.makeAsyncIterator()
    #expect(try await body.next() == Data("abc".utf8))
    cancellation.cancel()
    await #expect(throws: TransportError.cancelled) { try await body.next() }
    #expect(try await body.next() == nil)
    await server.wait(for: "closed")
  }

  @Test("a cancelled request delivers no received but unread chunk")
  func received() async throws {
    let server = RawServer { connection in
      _ = connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
      connection.waitForClose()
    }
    let request = TransportRequest(HTTPRequest(url: server.url()), cancellation: cancellation)
    var body = try await transport.send(request).body.makeAsyncIterator()
    cancellation.cancel()
    await #expect(throws: TransportError.cancelled) { try await body.next() }
  }

  @Test("a request cancelled while paused ends and closes its connection")
  func paused() async throws {
    let server = RawServer { connection in
      _ = connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\n\r\n")
      while connection.send(Data(count: 1 << 20)) {}
      connection.note("closed")
    }
    let request = TransportRequest(HTTPRequest(url: server.url()), cancellation: cancellation)
    let response = try await transport.send(request)
    cancellation.cancel()
    await server.wait(for: "closed")
    await #expect(throws: TransportError.cancelled) { try await response.body.all() }
  }

  @Test("a request cancelled while its body waits for the stream ends, and the stream is cancelled")
  func uploading() async {
    let server = RawServer { connection in
      _ = connection.readHead()
      _ = (connection.readLine(), connection.readLine())
      connection.note("first chunk")
      connection.waitForClose()
      connection.note("closed")
    }
    let told = Locked(false)
    let (stream, producer) = AsyncStream<Data>.makeStream()
    producer.onTermination = { _ in told.withLock { $0 = true } }
    producer.yield(Data("abc".utf8))
    let (transport, url, cancellation) = (transport, server.url(), cancellation)
    async let failure = transport.failure(
      url, .post, body: .stream(stream), cancellation: cancellation)
    await server.wait(for: "first chunk")
    cancellation.cancel()
    #expect(await failure == .cancelled)
    await server.wait(for: "closed")
    while !told.withLock({ $0 }) { await Task.yield() }
  }

  @Test("a dropped body ends the transfer", arguments: [true, false])
  func dropped(_ explicitly: Bool) async throws {
    let server = RawServer { connection in
      _ = connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
      connection.waitForClose()
      connection.note("closed")
    }
    var response: TransportResponse? = try await transport.get(server.url())
    if explicitly { response?.body.cancel() } else { response = nil }
    await server.wait(for: "closed")
    #expect((response != nil) == explicitly)
    if explicitly {
      let response = try #require(response)
      await #expect(throws: TransportError.cancelled) { try await response.body.all() }
    }
  }

  @Test("requests cancelled at random end once each, and the transport still works")
  func storm() async throws {
    let server = RawServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    let (transport, url) = (transport, server.url())
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<300 {
        let cancellation = CancellationSignal()
        group.addTask {
          let failure = await transport.failure(url, cancellation: cancellation)
          #expect(failure == nil || failure == .cancelled)
        }
        group.addTask {
          for _ in 0..<(number % 50) { await Task.yield() }
          cancellation.cancel()
        }
      }
    }
    #expect(try await transport.whole(url).text == "ok")
  }
}
#endif
