#if os(Linux)
import ErrandMocks
import Foundation
import Testing

@testable import Errand

/// In bytes.
private func peakMemory() throws -> Int {
  let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
  let count = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
  return try #require(count) * 1_024
}

@Suite("Curl: uploads of files and parts")
struct FileUploadTests {
  static let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })

  struct Upload: Request {
    typealias Response = String
    var body: RequestBody = .automatic
    var parameters: Parameters = [:]
    var method: HTTPMethod = .put
    let path = "a"
    let retryPolicy = RetryPolicy.upTo(1, backoff: .constant())
  }

  let folder: TemporaryDirectory
  let server: MockServer
  let file: URL

  init() throws {
    folder = TemporaryDirectory()
    server = try MockServer()
    file = try folder.file("a.bin", Self.bytes)
  }

  private var agent: RequestAgent {
    var configuration = AgentConfiguration()
    configuration.authenticator = BearerAuthenticator(BearerAuthenticator.Credential(accessToken: "old")) {
      _, _ in
      BearerAuthenticator.Credential(accessToken: "new")
    }
    return RequestAgent(baseURL: server.baseURL, configuration: configuration)
  }

  static let ways: [(String, [MockAnswer], [String])] = [
    ("once", [], ["/a"]),
    ("a retry", [.status(503)], ["/a", "/a"]),
    ("a retry on another connection", [.fault(.reset)], ["/a", "/a"]),
    ("a first 401", [.status(401)], ["/a", "/a"]),
    ("a 307", [.status(307).header("Location", "/b")], ["/a", "/b"]),
    ("a 308", [.status(308).header("Location", "/b")], ["/a", "/b"]),
  ]

  @Test("A file is sent completely each time, with its length", arguments: ways.indices)
  func file(_ index: Int) async throws {
    let (_, answers, paths) = Self.ways[index]
    server.add(Stub(.put, "/a", answers: .text("ok")))
    server.add(Stub(.put, "/b", answers: .text("ok")))
    if !answers.isEmpty { server.add(answers.map { Stub(.put, "/a", answers: $0).times(1) }) }
    #expect(try await agent.send(Upload(body: .file(file))) == "ok")
    #expect(server.requests.map(\.path) == paths)
    for request in server.requests {
      #expect(request.body == Self.bytes)
      #expect(request.headers["Content-Length"] == "300000")
      #expect(request.headers["Content-Type"] == "application/octet-stream")
    }
  }

  @Test("A multipart form is sent completely each time", arguments: ways.indices)
  func form(_ index: Int) async throws {
    let (_, answers, paths) = Self.ways[index]
    server.add(Stub(.put, "/a", answers: .text("ok")))
    server.add(Stub(.put, "/b", answers: .text("ok")))
    if !answers.isEmpty { server.add(answers.map { Stub(.put, "/a", answers: $0).times(1) }) }
    let upload = Upload(parameters: [
      "file": .file(file), "title": "x", "note": .file(data: Data("n".utf8), name: "n.txt"),
    ])
    #expect(try await agent.send(upload) == "ok")
    #expect(server.requests.map(\.path) == paths)
    for request in server.requests {
      #expect(request.parts.map(\.name) == ["title", "file", "note"])
      #expect(request.parts.map(\.filename) == [nil, "a.bin", "n.txt"])
      #expect(request.parts.map(\.data) == [Data("x".utf8), Self.bytes, Data("n".utf8)])
      #expect(request.headers["Content-Length"] == "\(request.body.count)")
      #expect(request.headers["Transfer-Encoding"] == nil)
    }
  }

  @Test("A file changed between two attempts is read anew by the second")
  func changedBetween() async throws {
    let file = file
    server.route(.put, "/a") { request in
      guard request.number == 1 else { return .text("ok") }
      try Data("other".utf8).write(to: file)
      return .status(503)
    }
    #expect(try await agent.send(Upload(body: .file(file))) == "ok")
    #expect(server.requests.map(\.body) == [Self.bytes, Data("other".utf8)])
  }

  @Test("A file changed before a redirect is an error, and no other bytes are sent")
  func changedBeforeRedirect() async throws {
    let file = file
    server.route(.put, "/a") { _ in
      try FileChange.cut(file, to: 5)
      return .status(308).header("Location", "/b")
    }
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(Upload(body: .file(file)))
    }
    #expect(error.kind == .encoding && error.stage == .transport)
    #expect(
      error.reason == "the file \(file.path) was cut from 300000 to 5 bytes before the whole file was sent")
    #expect(server.requests.map(\.path) == ["/a"])
  }

  @Test("A file truncated during sending ends the attempt, and the server never gets a whole request")
  func cutMeanwhile() async throws {
    let file = try folder.file("large", Data(count: 64 << 20))
    let server = RawServer { connection in
      _ = connection.readHead()
      try? FileChange.cut(file, to: 5)
      connection.note("cut")
      _ = connection.discard(64 << 20) { _ in }
    }
    let agent = RequestAgent(baseURL: server.url())
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(.put("a", body: .file(file)))
    }
    #expect(error.kind == .encoding)
    #expect(
      error.reason
        == "the file \(file.path) was cut from \(64 << 20) to 5 bytes before the whole file was sent")
  }

  @Test(
    "A form with a file of 256 MB needs no memory for the file",
    .disabled(if: Sanitizer.isThread || Sanitizer.isAddress))
  func memory() async throws {
    // Runs in a separate process, because other tests use memory.
    await #expect(processExitsWith: .success) {
      let length = 256 << 20
      let folder = TemporaryDirectory()
      let file = try folder.file("large", Data())
      let handle = try FileHandle(forWritingTo: file)
      try handle.truncate(atOffset: UInt64(length))
      let server = RawServer { connection in
        let lengths = connection.readHead()?.filter { $0.hasPrefix("Content-Length: ") } ?? []
        let count = lengths.first.flatMap { Int($0.dropFirst(16)) } ?? 0
        _ = connection.discard(count) { _ in }
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(String(count).count)\r\n\r\n\(count)")
      }
      let before = try peakMemory()
      let agent = RequestAgent(baseURL: server.url())
      let answer = try await agent.send(
        .post("a", parameters: ["title": "x", "file": .file(file)], as: String.self))
      #expect(Int(answer).map { (length + 1..<length + 1_000).contains($0) } == true)
      #expect(try peakMemory() - before < 24 << 20)
    }
  }

  @Test("A stream of known length is a form part with a length, and cannot be sent again")
  func stream() async throws {
    server.add(Stub(.put, "/a", answers: .status(503)))
    let chunks = AsyncStream<Data> { stream in
      for text in ["ab", "c"] { stream.yield(Data(text.utf8)) }
      stream.finish()
    }
    let upload = Upload(parameters: ["clip": .file(body: .stream(chunks, length: 3), name: "a.mp4")])
    let error = try await #require(throws: RequestError.self) { try await agent.send(upload) }
    #expect(error.status == 503)
    let request = try #require(server.requests.first)
    #expect(request.parts.map(\.text) == ["abc"] && server.requests.count == 1)
    #expect(request.parts.map { $0.headers["Content-Type"] } == ["video/mp4"])
    #expect(request.headers["Content-Length"] == "\(request.body.count)")
    #expect(error.report?.attempts.first?.noRetryReason == "the body can be produced only once")
  }

  @Test("A part of unknown length makes a chunked body")
  func unknownLength() async throws {
    server.add(Stub(.put, "/a", answers: .text("ok")))
    let body = RequestBody.stream(contentType: "x/y") {
      AsyncStream<Data> { stream in
        stream.yield(Data("abc".utf8))
        stream.finish()
      }
    }
    #expect(try await agent.send(Upload(parameters: ["clip": .file(body: body, name: "a")])) == "ok")
    let request = try #require(server.requests.first)
    #expect(request.headers["Transfer-Encoding"] == "chunked" && request.headers["Content-Length"] == nil)
    #expect(request.parts.map { "\($0.headers["Content-Type"] ?? "") \($0.text)" } == ["x/y abc"])
  }
}
#endif
