import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Responses to ranges", .timeLimit(.minutes(5)))
struct RangeAnswerTests {
  /// The source of the responses: a transport in memory, or a socket.
  enum Depth: CaseIterable, Sendable {
    case transport, server

    static var here: [Depth] { Platform.name == "Linux" ? allCases : [.transport] }
  }

  /// An agent, and the recorded requests.
  private struct Side {
    let agent: RequestAgent
    let server: MockServer?
    let transport: MockTransport?

    init(_ depth: Depth, _ stub: Stub) throws {
      switch depth {
      case .transport:
        let transport = MockTransport([stub])
        (self.transport, server, agent) = (transport, nil, .mocked(by: transport))
      case .server:
        let server = try MockServer()
        server.add(stub)
        (transport, self.server, agent) = (nil, server, RequestAgent(baseURL: server.baseURL))
      }
    }

    var requests: [ReceivedRequest] { transport?.requests ?? server?.requests ?? [] }

    /// Returns the status, the range, the framing fields and the body of the response.
    func answer(_ headers: HTTPHeaders, method: HTTPMethod = .get) async throws -> String {
      let request = OneOffRequest<HTTPResponse>(
        "file", method: method, headers: headers, response: .response)
      let response = try await agent.send(request.with(\.validators, []))
      let fields = ["Content-Range", "Content-Length", "Transfer-Encoding"].compactMap {
        response.headers[$0]
      }
      return (["\(response.status.code)"] + fields + [String(decoding: response.body, as: UTF8.self)])
        .filter { !$0.isEmpty }.joined(separator: " ")
    }
  }

  private static let tagged = MockAnswer.text("0123456789").header("ETag", "\"v1\"").acceptingRanges()

  @Test(
    "A range gets the part, a range beyond the end a 416, and an invalid range the whole",
    arguments: Depth.here)
  func ranges(depth: Depth) async throws {
    let rows: [(String, String)] = [
      ("bytes=4-", "206 bytes 4-9/10 6 456789"), ("bytes=0-0", "206 bytes 0-0/10 1 0"),
      ("bytes=2-5", "206 bytes 2-5/10 4 2345"), ("bytes=0-9", "206 bytes 0-9/10 10 0123456789"),
      ("bytes=9-", "206 bytes 9-9/10 1 9"), ("bytes=8-99", "206 bytes 8-9/10 2 89"),
      ("bytes=8-99999999999999999999", "206 bytes 8-9/10 2 89"), ("bytes=-3", "206 bytes 7-9/10 3 789"),
      ("bytes=-99", "206 bytes 0-9/10 10 0123456789"), ("BYTES=1-1", "206 bytes 1-1/10 1 1"),
      ("bytes= 1-1 ", "206 bytes 1-1/10 1 1"),
      ("bytes=10-", "416 bytes */10 0"), ("bytes=10-20", "416 bytes */10 0"),
      ("bytes=-0", "416 bytes */10 0"),
      ("bytes=99999999999999999999-", "416 bytes */10 0"),
    ]
    let whole = [
      "bytes=", "bytes=-", "bytes=5-4", "bytes=a-", "bytes=1-b", "bytes=+1-", "bytes=1-2-3", "bytes=1",
      "bytes",
      "bytes:1-2", "bytes=1 -2", "items=1-2", "bytes=0-1,4-5", "bytes=0-1,", "", "bytes=١-",
    ]
    let side = try Side(depth, Stub(nil, "/file", answers: Self.tagged))
    for (range, answer) in rows { #expect(try await side.answer(["Range": range]) == answer, "\(range)") }
    for range in whole where depth == .transport || range.utf8.allSatisfy({ $0 < 0x80 }) {
      #expect(try await side.answer(["Range": range]) == "200 10 0123456789", "\(range)")
    }
    let twice = HTTPHeaders([
      .init(name: "Range", value: "bytes=1-1"), .init(name: "Range", value: "bytes=2-2"),
    ])
    #expect(try await side.answer(twice) == "200 10 0123456789")
  }

  @Test("Other methods and statuses, and answers without range support, are whole", arguments: Depth.here)
  func others(depth: Depth) async throws {
    let range: HTTPHeaders = ["Range": "bytes=1-2"]
    let side = try Side(depth, Stub(nil, "/file", answers: Self.tagged))
    #expect(try await side.answer(range, method: .post) == "200 10 0123456789")
    #expect(try await side.answer(range, method: .head) == "200 10")
    let plain = MockAnswer.text("0123456789").header("ETag", "\"v1\"")
    let missing = MockAnswer.text("0123456789", status: 404).acceptingRanges()
    #expect(try await Side(depth, Stub(nil, "/file", answers: plain)).answer(range) == "200 10 0123456789")
    #expect(try await Side(depth, Stub(nil, "/file", answers: missing)).answer(range) == "404 10 0123456789")
    let empty = try Side(depth, Stub(nil, "/file", answers: MockAnswer.status(200).acceptingRanges()))
    #expect(try await empty.answer(["Range": "bytes=0-"]) == "416 bytes */0 0")
    #expect(try await empty.answer(["Range": "bytes=-1"]) == "200 0")
  }

  @Test("If-Range compares the file by a strong validator")
  func conditions() async throws {
    let (old, sent) = ("Sun, 01 Nov 2026 10:00:00 GMT", "Sun, 22 Nov 2026 10:00:00 GMT")
    let dated = MockAnswer.text("0123456789").header("Last-Modified", old).acceptingRanges()
    let weak = MockAnswer.text("0123456789").header("ETag", "W/\"v1\"").acceptingRanges()
    let rows: [(MockAnswer, String, Bool)] = [
      (Self.tagged, "\"v1\"", true), (Self.tagged, "\"v2\"", false), (Self.tagged, "W/\"v1\"", false),
      (Self.tagged, "v1", false), (Self.tagged, "", false), (weak, "W/\"v1\"", false),
      (weak, "\"v1\"", false),
      (dated, old, true), (dated, sent, false), (dated, "\"v1\"", false), (Self.tagged, old, false),
      (dated.header("Date", sent), old, true), (dated.header("Date", old), old, false),
      (dated.header("Date", "Sun, 01 Nov 2026 10:00:01 GMT"), old, true),
    ]
    for (answer, condition, isPart) in rows {
      let side = try Side(.transport, Stub(.get, "/file", answers: answer))
      let got = try await side.answer(["Range": "bytes=2-", "If-Range": condition])
      #expect(got == (isPart ? "206 bytes 2-9/10 8 23456789" : "200 10 0123456789"), "\(condition)")
    }
    let side = try Side(.transport, Stub(.get, "/file", answers: Self.tagged))
    #expect(try await side.answer(["If-Range": "\"v1\""]) == "200 10 0123456789")
    let twice = ["\"v1\"", "\"v1\""].map { HTTPHeaders.Field(name: "If-Range", value: $0) }
    #expect(
      try await side.answer(HTTPHeaders([.init(name: "Range", value: "bytes=2-")] + twice))
        == "200 10 0123456789")
  }

  @Test("A partial response keeps the other fields, and a 416 keeps fields that do not describe content")
  func fields() async throws {
    let answer = MockAnswer.text("0123456789").header("ETag", "\"v1\"").header("Content-Length", "10")
      .header("Content-Language", "en").acceptingRanges()
    let transport = MockTransport([Stub(.get, "/file", answers: answer)])
    let part = try await transport.exchange(.get, "http://h/file", headers: ["Range": "bytes=0-3"])
    #expect(
      part.head.headers.fields.map { "\($0.name): \($0.value)" } == [
        "Content-Type: text/plain; charset=utf-8", "ETag: \"v1\"", "Content-Language: en",
        "Accept-Ranges: bytes",
        "Content-Range: bytes 0-3/10", "Content-Length: 4",
      ])
    let none = try await transport.exchange(.get, "http://h/file", headers: ["Range": "bytes=10-"])
    #expect(
      none.head.headers.fields.map { "\($0.name): \($0.value)" } == [
        "ETag: \"v1\"", "Accept-Ranges: bytes", "Content-Range: bytes */10", "Content-Length: 0",
      ])
    #expect(
      MockAnswer.status(200).header("Accept-Ranges", "none").acceptingRanges().headers.fields.count == 1)
  }

  @Test("A chunked body is cut at the start and end of the range", arguments: Depth.here)
  func chunks(depth: Depth) async throws {
    let chunks = MockAnswer.chunks(["012", "345", "6789"].map { Data($0.utf8) }).acceptingRanges()
    let side = try Side(depth, Stub(.get, "/file", answers: chunks))
    for (range, part) in [
      ("0-9", "0123456789"), ("2-3", "23"), ("3-5", "345"), ("4-", "456789"), ("9-", "9"), ("0-0", "0"),
    ] {
      let answer = try await side.answer(["Range": "bytes=\(range)"])
      #expect(answer.hasPrefix("206 bytes \(range)") && answer.hasSuffix(" chunked \(part)"), "\(answer)")
    }
    #expect(try await side.answer(["Range": "bytes=10-"]) == "416 bytes */10 0")
  }

  @Test("A fault counts the bytes of the partial response", arguments: Depth.here)
  func fault(depth: Depth) async throws {
    let side = try Side(depth, Stub(.get, "/file", answers: Self.tagged.fault(.truncated(after: 3))))
    let error = try await #require(throws: RequestError.self) {
      _ = try await side.answer(["Range": "bytes=4-"])
    }
    #expect(error.kind == .connectionLost)
    #expect(error.response.map { String(decoding: $0.body, as: UTF8.self) } == "456")
    #expect(try await side.answer(["Range": "bytes=7-"]) == "206 bytes 7-9/10 3 789")
  }
}

extension RangeAnswerTests {
  @Test(
    "The next dispatch or a retry resumes an interrupted download", arguments: Depth.here)
  func resumes(depth: Depth) async throws {
    let content = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 7) })
    let image = MockAnswer.data(content).header("ETag", "\"v1\"").acceptingRanges()
    let stub = Stub(.get, "/file", answers: image.fault(.truncated(after: 40_000)), image)
    for isRetry in [false, true] {
      let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      defer { try? FileManager.default.removeItem(at: directory) }
      let destination = directory.appendingPathComponent("image.iso")
      let side = try Side(depth, stub)
      let request = OneOffRequest<Void>.get("file").with(
        \.retryPolicy, .upTo(isRetry ? 1 : 0, backoff: .constant(.zero)))
      if !isRetry {
        let error = try await #require(throws: RequestError.self) {
          _ = try await side.agent.download(request, to: destination, resumes: true)
        }
        #expect(error.kind == .connectionLost)
        #expect(!FileManager.default.fileExists(atPath: destination.path))
      }
      let file = try await side.agent.download(request, to: destination, resumes: true)
      #expect(file.size == 100_000)
      #expect(try Data(contentsOf: destination) == content)
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["image.iso"])
      #expect(
        side.requests.map { [$0.headers["Range"], $0.headers["If-Range"]] } == [
          [nil, nil], ["bytes=39999-", "\"v1\""],
        ])
    }
  }
}
