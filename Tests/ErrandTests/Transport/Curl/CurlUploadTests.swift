#if os(Linux)
import Foundation
import Testing

@testable import Errand

/// The reader ignores cancellation.
private struct DeafStream: AsyncSequence, Sendable {
  let stream: AsyncStream<Data>
  let isAsked = OneTime<Bool>()

  init(_ stream: AsyncStream<Data>) { self.stream = stream }

  func makeAsyncIterator() -> Iterator { Iterator(stream: stream, isAsked: isAsked) }

  struct Iterator: AsyncIteratorProtocol {
    let stream: AsyncStream<Data>
    let isAsked: OneTime<Bool>

    mutating func next() async -> Data? {
      isAsked.set(true)
      let stream = stream
      return await Task.detached { await stream.first { _ in true } }.value
    }
  }
}

@Suite("Curl: bodies of requests")
struct CurlUploadTests {
  let transport = CurlTransport()
  let server = RawServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

  @Test("A stream without taken chunks can be sent again from its start, and data from any position")
  func rewind() async throws {
    let url = try #require(URL(string: "http://127.0.0.1/"))
    func body(_ body: RequestBody) async throws -> CurlTransferBody {
      let request = HTTPRequest(url: url, method: .post, body: body)
      let upload = try await TransferUpload(
        request, unless: CancellationSignal(), timeout: .seconds(60), suspension: nil)
      return CurlTransferBody(
        CurlExchange(TransportRequest(request, timeout: .seconds(1)), upload: upload, loop: CurlLoop()))
    }
    var stream = try await body(.stream(Chunks(["ab"])))
    let starts = [-1, 0, 1].map { stream.rewind(to: $0) }
    #expect(starts == [false, true, false])
    var data = try await body(.data(Data("ab".utf8)))
    let places = [-1, 0, 1, 2, 3].map { data.rewind(to: $0) }
    #expect(places == [false, true, true, true, false])
  }

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

  @Test(
    "a stream without a chunk for the timeout fails with its own error, at its start and later",
    arguments: [0, 1])
  func stalledStream(after count: Int) async {
    let server = RawServer { connection in
      _ = connection.readHead()
      connection.waitForClose()
    }
    let (stream, giving) = AsyncStream<Data>.makeStream()
    for _ in 0..<count { giving.yield(Data("abc".utf8)) }
    let failure = await transport.failure(
      server.url(), .put, body: .stream(stream, length: 100), timeout: .milliseconds(200))
    #expect(
      failure == TransportError(.timedOut, "the stream of the request's body produced no bytes for 0.2 s"))
  }

  @Test("the timeout of a stream counts from each request for a chunk")
  func askedAgain() async {
    // Runs in a separate process, because other tests occupy the necessary threads.
    await #expect(processExitsWith: .success) {
      let server = RawServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      let isAsked = Locked(false)
      // The only chunk has the promised length, so the end is requested before the chunk is sent.
      let stream = AsyncStream<Data> {
        try? await Task.sleep(for: .seconds(6))
        let isFirst = isAsked.withLock { isAsked in
          defer { isAsked = true }
          return !isAsked
        }
        return isFirst ? Data("abc".utf8) : nil
      }
      let body = RequestBody.stream(stream, length: 3)
      let whole = try await CurlTransport().whole(server.url(), .put, body: body, timeout: .seconds(10))
      #expect(whole.text == "ok")
    }
  }

  @Test("the limit for the first byte counts from the end of a slow stream")
  func slowStream() async throws {
    var limits = TransferLimits()
    limits.firstByteTimeout = .milliseconds(500)
    let (stream, giving) = AsyncStream<Data>.makeStream()
    let request = HTTPRequest(
      url: server.url(), method: .put, body: .stream(stream, length: 6))
    async let response = transport.send(TransportRequest(request, timeout: .seconds(300), limits: limits))
    for part in ["abc", "def"] {
      // Longer than the limit.
      try await Task.sleep(for: .milliseconds(700))
      giving.yield(Data(part.utf8))
    }
    giving.finish()
    #expect(try await response.body.all() == Data("ok".utf8))
  }

  @Test("an endless stream of empty chunks that ignores cancellation blocks nothing")
  func deafEmptyStream() async throws {
    let (stream, giving) = AsyncStream<Data>.makeStream()
    let deaf = DeafStream(stream)
    let signal = CancellationSignal()
    async let failure = transport.failure(
      server.url(), .put, body: .stream(deaf, length: 0), cancellation: signal)
    _ = try await deaf.isAsked.wait()
    signal.cancel()
    #expect(await failure == .cancelled)
    #expect(server.requests == [])
    giving.finish()
  }

  @Test("large chunks arrive unchanged")
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

  @Test("no chunk is pulled before libcurl has read the last chunk", .timeLimit(.minutes(5)))
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
    // All socket buffers are full, and no byte moves. A full buffer does not count as progress.
    #expect(await failure?.kind == .timedOut)
    // Some MiB fit into the buffers between client and server. Without back-pressure, there would be
    // thousands.
    #expect((1...64).contains(pulled.withLock { $0 }))
    gate.signal()
  }

  @Test(
    "a stream with a wrong length is an error",
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

  @Test("an error of the stream ends the transfer unchanged")
  func throwingStream() async {
    struct Broken: Error, Equatable {}
    await #expect(throws: Broken()) {
      try await transport.whole(
        server.url(), .post, body: .stream(Chunks(["abc"], failure: Broken()), length: 5))
    }
    #expect(server.requests == [])
  }

  @Test("a request that cannot connect pulls no chunk")
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

  @Test("a response before the end of the body counts", .timeLimit(.minutes(5)))
  func earlyAnswer() async throws {
    let server = RawServer { connection in
      _ = connection.readHead()
      connection.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
      connection.waitForClose()
    }
    let endless = AsyncStream<Data> { nil as Data? ?? Data(count: 1000) }
    #expect(try await transport.whole(server.url(), .post, body: .stream(endless)).status == 413)
  }

  /// If the status is `nil`, the request fails with a lost connection and the text.
  static let early: [(answer: String, status: HTTPResponse.Status?, text: String)] = [
    ("HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno", 413, "no"),
    ("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n|", 413, ""),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", 200, "ok"),
    ("HTTP/1.1 403 Forbidden\r\n\r\nno|", 403, "no"),
    ("|", nil, "the connection was closed before the whole body was sent, without an answer"),
    (
      "HTTP/1.1 413 Content Too Large\r\nContent-Length: 9\r\n\r\nno|", nil,
      "the connection was closed after 2 of the 9 bytes of the body"
    ),
    (
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n|", nil,
      "the connection was closed inside the body, after 2 bytes"
    ),
  ]

  @Test(
    "a response during the wait for more of the body counts, and so does the end of the connection",
    .timeLimit(.minutes(5)), arguments: early)
  func earlyAnswerInPause(_ row: (answer: String, status: HTTPResponse.Status?, text: String)) async throws {
    let server = RawServer { connection in
      // Reads all bytes, because closing with unread bytes causes a reset. A `|` closes the connection.
      _ = (connection.readHead(), connection.readLine(), connection.readLine())
      connection.send(row.answer.replacing("|", with: ""))
      if !row.answer.hasSuffix("|") { connection.waitForClose() }
    }
    let (stream, chunks) = AsyncStream.makeStream(of: Data.self)
    chunks.yield(Data("hello".utf8))
    defer { chunks.finish() }
    let body = RequestBody.stream(stream)
    do {
      let whole = try await transport.whole(server.url(), .post, body: body)
      #expect(whole.status == row.status && whole.text == row.text)
    } catch let error as TransportError {
      #expect(row.status == nil && error.kind == .connectionLost && error.message == row.text)
    }
  }

  @Test("an endless stream of empty chunks is abandoned by a cancellation", .timeLimit(.minutes(5)))
  func endlessNothing() async {
    let (stream, chunks) = AsyncStream.makeStream(of: Data.self)
    let signal = CancellationSignal()
    let pulled = OneTime<Void>()
    let body = RequestBody.stream(
      AsyncStream<Data> {
        pulled.set(())
        var iterator = stream.makeAsyncIterator()
        return await iterator.next()
      }, length: 0)
    async let failure = transport.failure(server.url(), .post, body: body, cancellation: signal)
    _ = try? await pulled.wait()
    signal.cancel()
    #expect(await failure == .cancelled)
    chunks.finish()
  }

  @Test(
    "an endless stream of empty chunks, or a silent stream, fails after the timeout and frees its slot",
    .timeLimit(.minutes(5)))
  func endlessNothingTimesOut() async throws {
    var configuration = AgentConfiguration()
    configuration.maxRequestsPerOrigin = 2
    let agent = RequestAgent(baseURL: server.url(), transport: transport, configuration: configuration)
    let (silent, giving) = AsyncStream.makeStream(of: Data.self)
    let isReleased = OneTime<Void>()
    let bodies = [
      RequestBody.stream(silent, length: 0),
      // The closure creates the stream, so the body does not retain the stream.
      .stream(length: 0) { EmptyChunks(isReleased: isReleased) },
    ]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for body in bodies {
        group.addTask {
          let request = OneOffRequest<Void>.post("a", body: body).with(\.timeout, .milliseconds(200))
          let error = await #expect(throws: RequestError.self) { try await agent.send(request) }
          #expect(error?.kind == .timedOut)
          #expect(error?.reason == "the stream of the request's body produced no bytes for 0.2 s")
        }
      }
      try await group.waitForAll()
    }
    #expect(try await agent.send(.get("b", as: String.self)) == "ok")
    #expect(server.requests.map(\.line) == ["GET /b HTTP/1.1"])
    _ = try await isReleased.wait()
    giving.finish()
  }

  @Test("a request with its own Expect that gets 417 is sent once, and ends with that head")
  func refusedExpectation() async throws {
    let heads = Locked(0)
    let server = RawServer { connection in
      while connection.readHead() != nil {
        heads.withLock { $0 += 1 }
        connection.send("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 5\r\nX-A: 1\r\n\r\nnope!")
      }
    }
    for method in [HTTPMethod.put, .post] {
      let whole = try await transport.whole(
        server.url(), method, headers: ["Expect": "100-continue"], body: .text("body"))
      #expect(whole == Whole(status: 417, body: Data(), trailers: [:]))
    }
    #expect(heads.withLock { $0 } == 2)
  }
}

/// Without an end and without waits.
private struct EmptyChunks: AsyncSequence, Sendable {
  let isReleased: OneTime<Void>

  final class Iterator: AsyncIteratorProtocol {
    private let isReleased: OneTime<Void>

    init(_ isReleased: OneTime<Void>) { self.isReleased = isReleased }

    deinit { isReleased.set(()) }

    func next() async -> Data? {
      await Task.yield()
      return Data()
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(isReleased) }
}
#endif
