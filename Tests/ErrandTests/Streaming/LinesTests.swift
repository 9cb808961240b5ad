import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("A body as lines", .timeLimit(.minutes(2)))
struct LinesTests {
  private func lines(_ chunks: [String], type: String? = nil) async throws -> [String] {
    let agent = RequestAgent.answering(chunks.map { Data($0.utf8) }, type: type)
    let (lines, error) = await (try await agent.stream(.get("log"))).lines.drained()
    if let error { throw error }
    return lines
  }

  static let rows: [(chunks: [String], lines: [String])] = [
    ([], []),
    (["one"], ["one"]),
    (["one\n"], ["one"]),
    (["one\n\n"], ["one", ""]),
    (["\n"], [""]),
    (["one\ntwo\r\nthree\rfour"], ["one", "two", "three", "four"]),
    (["one\r", "\ntwo\r", "three"], ["one", "two", "three"]),
    (["one\r", "\n"], ["one"]),
    (["one\r", "\r\n", "\n"], ["one", "", ""]),
    (["on", "e\nt", "w", "o"], ["one", "two"]),
    (["\u{FEFF}one\n\u{FEFF}two"], ["one", "\u{FEFF}two"]),
    (["\u{FEFF}"], []),
    (["\u{FEFF}\n"], [""]),
    (["a\u{2028}b\u{85}c\u{0B}d\n"], ["a\u{2028}b\u{85}c\u{0B}d"]),
  ]

  @Test(
    "Lines end with LF, CR LF and CR at any chunk boundary, and the last line needs no end", arguments: rows)
  func ends(_ row: (chunks: [String], lines: [String])) async throws {
    #expect(try await lines(row.chunks) == row.lines)
  }

  @Test("With chunks of one byte, characters and byte order marks are complete")
  func bytes() async throws {
    let text = "\u{FEFF}é 😀\r\n中\rende\n"
    let agent = RequestAgent.answering(text.utf8.map { Data([$0]) })
    let (lines, error) = await (try await agent.stream(.get("log"))).lines.drained()
    #expect(lines == ["é 😀", "中", "ende"] && error == nil)
  }

  @Test("Invalid UTF-8 becomes replacement characters")
  func replacement() async throws {
    let agent = RequestAgent.answering([Data([0x61, 0xFF]), Data([0xC3, 0x0A, 0xA9, 0x62])])
    let (lines, error) = await (try await agent.stream(.get("log"))).lines.drained()
    #expect(lines == ["a\u{FFFD}\u{FFFD}", "\u{FFFD}b"] && error == nil)
  }

  @Test("A declared charset is applied line by line")
  func charset() async throws {
    let agent = RequestAgent.answering(
      [Data([0x63, 0x61, 0x66, 0xE9, 0x0A, 0x0A]), Data([0xFC])], type: "text/plain; charset=ISO-8859-1")
    let (lines, error) = await (try await agent.stream(.get("log"))).lines.drained()
    #expect(lines == ["café", "", "ü"] && error == nil)
  }

  @Test(
    "A charset that cannot be split, is unknown, or does not fit is an error",
    arguments: [
      ("utf-16", "the charset \"utf-16\" cannot be read line by line"),
      ("klingon", "the charset \"klingon\" is not known"),
      ("us-ascii", "a line is not valid in the declared charset"),
    ])
  func refused(_ charset: String, _ reason: String) async throws {
    let agent = RequestAgent.answering("é\n", type: "text/plain; charset=\(charset)")
    let (lines, thrown) = await (try await agent.stream(.get("log"))).lines.drained()
    let error = try #require(thrown as? RequestError)
    #expect(lines == [] && error.kind == .decoding && error.stage == .decode && error.reason == reason)
    #expect(error.request?.url.absoluteString == "http://example.com/log" && error.status == 200)
  }

  @Test("A line over the limit is an error at once, with or without an end")
  func limit() async throws {
    let body = CountedBody(["12345\n", "678", "901\n2", "\n", "3"])
    let agent = RequestAgent(baseURL: "http://example.com", transport: BodyTransport(body: body))
    let (lines, thrown) = await (try await agent.stream(.get("log"))).lines(limit: 5).drained()
    let error = try #require(thrown as? RequestError)
    #expect(lines == ["12345"])
    #expect(error.kind == .limitExceeded && error.reason == "a line is longer than its limit, 5 bytes")
    #expect(body.pulled == 3 && body.isCancelled)
    await until { agent.liveCount == 0 }

    let endless = CountedBody(["1", "2", "3", "4", "5", "6", "7"])
    let other = RequestAgent(baseURL: "http://example.com", transport: BodyTransport(body: endless))
    #expect(await (try await other.stream(.get("log"))).lines(limit: 5).drained().error is RequestError)
    #expect(endless.pulled == 6)
  }

  @Test("Chunks are pulled on demand only, as many as a line needs")
  func backPressure() async throws {
    let body = CountedBody(["a\nb\n", "c", "d\n", "e\n"])
    let agent = RequestAgent(baseURL: "http://example.com", transport: BodyTransport(body: body))
    let response = try await agent.stream(.get("log"))
    var lines = response.lines.makeAsyncIterator()
    #expect(body.pulled == 0)
    #expect(try await lines.next() == "a" && body.pulled == 1)
    #expect(try await lines.next() == "b" && body.pulled == 1)
    #expect(try await lines.next() == "cd" && body.pulled == 3)
    #expect(agent.liveCount == 1)
    #expect(try await lines.next() == "e" && body.pulled == 4)
    #expect(try await lines.next() == nil)
    #expect(try await lines.next() == nil)
    #expect(agent.liveCount == 0 && response.report?.attempts.map(\.bodyLength) == [9])
  }

  @Test("A break abandons the remaining body while the response still exists")
  func breaking() async throws {
    let body = CountedBody(["a\nb\n", "c\n"])
    let agent = RequestAgent(baseURL: "http://example.com", transport: BodyTransport(body: body))
    let response = try await agent.stream(.get("log"))
    for try await line in response.lines {
      #expect(line == "a")
      break
    }
    await until { agent.liveCount == 0 }
    #expect(body.isCancelled && body.pulled == 1 && response.report?.outcome.isCancelled == true)
  }

  @Test("A task cancelled during the wait for a line gets CancellationError")
  func cancelled() async throws {
    let recorder = Recorder()
    let agent = RequestAgent.probing(recorder, [.halfBody])
    let task = Task {
      for try await _ in try await agent.stream(StreamProbe(recorder: recorder)).lines {}
    }
    recorder.on("silence") { task.cancel() }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(agent.liveCount == 0)
  }

  @Test("Lines are read once, like the body")
  func once() async throws {
    let response = try await RequestAgent.answering("a\nb\n").stream(.get("log"))
    var first = response.lines.makeAsyncIterator()
    #expect(try await first.next() == "a")
    let error = await response.lines.drained().error as? RequestError
    #expect(error?.reason == "the body of the response can be read once, and was read before")
    #expect(try await first.next() == "b")
  }

  @Test("A body that breaks off delivers its complete lines, and no partial line")
  func brokenOff() async throws {
    let transport = MockTransport { _ in .text("one\ntwo\nthree").fault(.truncated(after: 10)) }
    let agent = RequestAgent(baseURL: "http://example.com", transport: transport)
    let (lines, error) = await (try await agent.stream(.get("log"))).lines.drained()
    #expect(lines == ["one", "two"] && (error as? RequestError)?.kind == .connectionLost)
  }

  @Test("The body of a hook's made-up response has lines")
  func madeUp() async throws {
    struct Failing: Request {
      typealias Response = HTTPResponse
      var path = "log"
      func filter(_ outcome: Outcome<HTTPResponse>, context: RequestContext) async -> Outcome<HTTPResponse> {
        .success(HTTPResponse(body: Data("a\nbcd".utf8)))
      }
    }
    let transport = MockTransport { _ in .fault(.reset) }
    let agent = RequestAgent(baseURL: "http://example.com", transport: transport)
    let (lines, thrown) = await (try await agent.stream(Failing())).lines(limit: 2).drained()
    let error = try #require(thrown as? RequestError)
    #expect(lines == ["a"] && error.kind == .limitExceeded && error.status == 200)
  }

  @Test("Lines of random chunks equal the lines of the whole text")
  func generated() throws {
    var generator = SeededGenerator(seed: 16)
    for _ in 0..<500 {
      var bytes: [UInt8] = []
      for _ in 0..<generator.below(8) {
        bytes +=
          Array(generator.text(upTo: 5).utf8) + generator.pick([[0x0A], [0x0D], [0x0D, 0x0A], [0xFF], []])
      }
      var splitter = LineSplitter(.any, limit: .max)
      var lines: [[UInt8]] = []
      for chunk in bytes.cut(upTo: 4, by: &generator) {
        splitter.feed(chunk)
        while let line = try splitter.next() { lines.append(Array(line)) }
      }
      if let line = try splitter.last() { lines.append(Array(line)) }
      #expect(lines == Self.lines(of: bytes))
    }
  }

  /// With a different algorithm.
  private static func lines(of bytes: [UInt8]) -> [[UInt8]] {
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    var ends = text
    for index in text.indices.dropLast().reversed() where text[index] == 0x0D && text[index + 1] == 0x0A {
      ends.remove(at: index)
    }
    var lines = ends.split(omittingEmptySubsequences: false) { $0 == 0x0A || $0 == 0x0D }.map { Array($0) }
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }
}
