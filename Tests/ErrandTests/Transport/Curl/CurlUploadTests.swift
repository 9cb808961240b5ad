#if os(Linux)
import Foundation
import Testing

@testable import Errand

@Suite("Curl: bodies of requests")
struct CurlUploadTests {
  let transport = CurlTransport()
  let server = RawServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

  @Test("a stream of known length is sent with its length")
  func knownLength() async throws {
    let body = RequestBody.stream(Chunks(["abc", "", "de"]), length: 5)
    #expect(try await transport.whole(server.url(), .post, body: body).text == "ok")
    #expect(
      server.requests == [
        RawRequest(
          lines: ["POST / HTTP/1.1", "Host: 127.0.0.1:\(server.port)", "Content-Length: 5"],
          body: Data("abcde".utf8))
      ])
  }

  @Test("a stream of unknown length is sent in chunks")
  func unknownLength() async throws {
    let body = RequestBody.stream(Chunks(["abc", "de"]))
    #expect(try await transport.whole(server.url(), .put, body: body).text == "ok")
    #expect(
      server.requests == [
        RawRequest(
          lines: ["PUT / HTTP/1.1", "Host: 127.0.0.1:\(server.port)", "Transfer-Encoding: chunked"],
          body: Data("abcde".utf8))
      ])
  }

  @Test("large chunks arrive as they were produced")
  func largeChunks() async throws {
    let body = patternedBytes(3_000_000)
    let chunks = stride(from: 0, to: body.count, by: 700_001).map { body[$0..<min($0 + 700_001, body.count)] }
    let stream = AsyncStream<Data> { continuation in
      for chunk in chunks { continuation.yield(Data(chunk)) }
      continuation.finish()
    }
    _ = try await transport.whole(server.url(), .post, body: .stream(stream, length: Int64(body.count)))
    #expect(server.requests.map(\.body) == [body])
  }

  @Test("nothing is pulled before libcurl has read the last chunk", .timeLimit(.minutes(5)))
  func backPressure() async throws {
    let pulled = Locked(0)
    let gate = DispatchSemaphore(value: 0)
    let server = RawServer { connection in
      _ = connection.readHead()
      connection.note("head")
      gate.wait()
      connection.waitForClose()
    }
    let chunk = Data(count: 1 << 20)
    let stream = AsyncStream<Data> {
      pulled.withLock { $0 += 1 }
      return chunk
    }
    let (transport, url) = (transport, server.url())
    async let failure = transport.failure(
      url, .post, body: .stream(stream), timeout: .seconds(1))
    // The socket's buffers are full and nothing moves: that is no progress.
    #expect(await failure?.kind == .timedOut)
    // Some MiB fit into the buffers between the two; without back-pressure there would be thousands.
    #expect((1...64).contains(pulled.withLock { $0 }))
    gate.signal()
  }

  @Test(
    "a stream that breaks its promise of length is an error",
    arguments: [
      (Int64(6), "the body stream ended after 5 of the 6 bytes it promised"),
      (Int64(4), "the body stream gave more than the 4 bytes it promised"),
      (Int64(3), "the body stream gave more than the 3 bytes it promised"),
      (Int64(0), "the body stream gave more than the 0 bytes it promised"),
      (Int64(-1), "a body cannot have -1 bytes"),
    ])
  func brokenPromise(_ length: Int64, _ text: String) async {
    let failure = await transport.failure(
      server.url(), .post, body: .stream(Chunks(["abc", "de"]), length: length))
    #expect(failure == TransportError(.encoding, text))
    #expect(server.requests == [])
  }

  @Test("what the stream throws ends the transfer as it is")
  func throwingStream() async {
    struct Broken: Error, Equatable {}
    await #expect(throws: Broken()) {
      try await transport.whole(
        server.url(), .post, body: .stream(Chunks(["abc"], failure: Broken()), length: 5))
    }
    #expect(server.requests == [])
  }

  @Test("a request that cannot connect pulls nothing")
  func refused() async {
    let pulled = Locked(0)
    let stream = AsyncStream<Data> {
      pulled.withLock { $0 += 1 }
      return nil
    }
    let url = URL(string: "http://127.0.0.1:\(LoopbackSocket.refusingPort())/")!
    #expect(await transport.failure(url, .post, body: .stream(stream))?.kind == .connectionFailed)
    #expect(pulled.withLock { $0 } == 0)
  }

  @Test("an answer that comes before the body is sent counts", .timeLimit(.minutes(5)))
  func earlyAnswer() async throws {
    let server = RawServer { connection in
      _ = connection.readHead()
      connection.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
      connection.waitForClose()
    }
    let endless = AsyncStream<Data> { nil as Data? ?? Data(count: 1000) }
    #expect(try await transport.whole(server.url(), .post, body: .stream(endless)).status == 413)
  }
}
#endif
