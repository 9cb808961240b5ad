#if os(Linux)
import Foundation
import Testing

@testable import Errand

@Suite("Curl: trailers of requests", .timeLimit(.minutes(5)))
struct CurlTrailerTests {
  struct Broken: Error, Equatable {}

  let transport = CurlTransport()
  private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

  /// Without `Host`.
  private let received = Locked([[String]]())
  private let server: RawServer

  init() {
    let received = received
    server = RawServer { connection in
      while let lines = Self.message(connection) {
        received.withLock { $0.append(lines) }
        connection.send(Self.ok)
      }
    }
  }

  private var messages: [[String]] { received.withLock { $0 } }

  /// Up to the empty line after the trailers of a chunked message.
  private static func message(_ connection: RawConnection) -> [String]? {
    guard var lines = connection.readHead()?.filter({ !$0.hasPrefix("Host: ") }) else { return nil }
    guard lines.contains("Transfer-Encoding: chunked") else { return lines }
    var isAtEnd = false
    while let line = connection.readLine() {
      if isAtEnd, line.isEmpty { return lines }
      lines.append(line)
      isAtEnd = isAtEnd || line == "0"
    }
    return nil
  }

  private func send(
    _ method: HTTPMethod = .post, _ body: RequestBody = .none, _ trailers: RequestTrailers, url: URL? = nil,
    headers: HTTPHeaders = [:], over other: CurlTransport? = nil, timeout: Duration = .seconds(300),
    cancellation: CancellationSignal = CancellationSignal()
  ) async throws -> HTTPResponse.Status {
    var request = HTTPRequest(url: url ?? server.url(), method: method, headers: headers, body: body)
    request.trailers = trailers
    let answer = try await (other ?? transport).send(
      TransportRequest(request, timeout: timeout, cancellation: cancellation))
    _ = try await answer.body.all()
    return answer.head.status
  }

  @Test("Trailers follow the last chunk exactly, and the next message follows the trailers")
  func bytes() async throws {
    let wire =
      "3\r\nabc\r\n2\r\nde\r\n0\r\nX-Sum: 5\r\nx-sum: 6\r\nX-Empty: \r\nX-Text: \u{E9}; \"q\"\r\n\r\n"
    let came = Locked("")
    let server = RawServer { connection in
      for _ in 1...2 {
        _ = connection.readHead()
        let bytes = connection.read(wire.utf8.count) ?? []
        came.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
        connection.send(Self.ok)
      }
      connection.waitForClose()
    }
    let trailers: RequestTrailers = ["X-Sum": "5", "x-sum": "6", "X-Empty": "", "X-Text": "\u{E9}; \"q\""]
    for _ in 1...2 {
      #expect(try await send(.post, .stream(Chunks(["abc", "", "de"])), trailers, url: server.url()) == 200)
    }
    #expect(came.withLock { $0 } == wire + wire && server.connectionCount == 1)
  }

  @Test("Every body is chunked if trailers exist: with a known length, in memory, a file, and no body")
  func framings() async throws {
    let folder = TemporaryDirectory()
    let file = try folder.file("file.txt", "file")
    let bodies: [(HTTPMethod, RequestBody)] = [
      (.post, .stream(Chunks(["abc", "de"]), length: 5)), (.put, .text("abc")),
      (.patch, try RequestBody.file(file).prepared { JSONCoding() }), (.post, .none), (.get, .none),
      (.delete, .text("x")),
      (.post, .stream(Chunks([]), length: 0)),
    ]
    for (method, body) in bodies { _ = try await send(method, body, ["X-A": "1"]) }
    let chunks = [["3", "abc", "2", "de"], ["3", "abc"], ["4", "file"], [], [], ["1", "x"], []]
    #expect(
      messages
        == zip(bodies, chunks).map { row, chunks in
          ["\(row.0) / HTTP/1.1", "Transfer-Encoding: chunked"] + chunks + ["0", "X-A: 1"]
        })
    #expect(server.connectionCount == 1)
  }

  @Test("Trailers are computed once per sending, from all bytes, after the last byte is read")
  func computed() async throws {
    let (stream, giving) = AsyncStream<Data>.makeStream()
    let calls = Locked(0)
    let trailers = RequestTrailers.computed(from: 0, adding: { $0 += $1.count }) { count in
      calls.withLock { $0 += 1 }
      return ["X-Length": "\(count)"]
    }
    async let status = send(.put, .stream(stream), trailers)
    giving.yield(Data("abc".utf8))
    giving.yield(Data("de".utf8))
    #expect(calls.withLock { $0 } == 0)
    giving.finish()
    #expect(try await status == 200 && calls.withLock { $0 } == 1)
    #expect(messages.first?.suffix(2) == ["0", "X-Length: 5"])
    // A large body, in the pieces that libcurl reads.
    let draining = RawServer.draining()
    #expect(try await send(.put, .data(patternedBytes(3_000_000)), trailers, url: draining.url()) == 200)
    #expect(calls.withLock { $0 } == 2 && draining.connectionCount == 1)
  }

  @Test("The next request on the handle has no trailers")
  func forgotten() async throws {
    _ = try await send(.post, .text("a"), ["X-A": "1"])
    #expect(try await transport.whole(server.url(), .post, body: .stream(Chunks(["b"]))).text == "ok")
    _ = try await send(.post, .text("c"), .computed { [:] })
    #expect(messages.map { $0.drop { $0 != "0" } } == [["0", "X-A: 1"], ["0"], ["0"]])
    #expect(server.connectionCount == 1)
  }

  @Test("An error of the computation ends the transfer unchanged, and the message stays incomplete")
  func throwing() async throws {
    let ending = Locked<[String]>([])
    let server = RawServer { connection in
      _ = connection.readHead()
      while let line = connection.readLine() { ending.withLock { $0.append(line) } }
      connection.note("closed")
    }
    await #expect(throws: Broken()) {
      _ = try await send(.post, .stream(Chunks(["abc"])), .computed { throw Broken() }, url: server.url())
    }
    await server.wait(for: "closed")
    #expect(ending.withLock { $0 } == ["3", "abc"])
  }

  @Test(
    "Invalid computed trailers end the transfer: forbidden fields, fields with line breaks, too many fields"
  )
  func refusedLate() async {
    let rows: [(HTTPHeaders, String)] = [
      (["Content-Length": "3"], "the field Content-Length cannot be a trailer: the field frames the message"),
      (["X-A": "1\r\n\r\nGET / HTTP/1.1"], "the value of the trailer X-A contains a line break or a NUL"),
      (
        ["X-A": String(repeating: "a", count: 70_000)],
        "the trailers of the request are longer than libcurl sends, 70007 bytes"
      ),
    ]
    for (fields, text) in rows {
      for body in [RequestBody.text("abc"), .none] {
        await #expect(throws: TransportError(.invalidRequest, text)) {
          _ = try await send(.post, body, .computed { fields })
        }
      }
    }
    #expect(messages == [])
  }

  @Test("Too many known trailers are refused before sending, and many trailers are sent")
  func size() async throws {
    let text = String(repeating: "b", count: 64_000)
    #expect(try await send(.post, .text("abc"), ["X-A": text]) == 200)
    #expect(messages.first?.last == "X-A: \(text)")
    let many = RequestTrailers(
      HTTPHeaders((0..<2000).map { HTTPHeaders.Field(name: "X-\($0)", value: "\($0)") }))
    #expect(try await send(.post, .text("abc"), many) == 200)
    #expect(messages.last?.suffix(2000) == many.fields.fields.map { "\($0.name): \($0.value)" }[...])
    let long = RequestTrailers(["X-A": text, "X-B": text])
    let connections = server.connectionCount
    await #expect(
      throws: TransportError(
        .invalidRequest, "the trailers of the request are longer than libcurl sends, 128014 bytes")
    ) { _ = try await send(.post, .text("abc"), long) }
    #expect(messages.count == 2 && server.connectionCount == connections)
  }
}
#endif
