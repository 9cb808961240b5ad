import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Resumed downloads", .timeLimit(.minutes(5)))
struct ResumedDownloadTests {
  /// RFC 9110 sections 13 and 14, for a single file.
  final class FileServer: Sendable {
    struct State {
      var content: Data
      var headers: HTTPHeaders
      /// The numbers of body bytes at which the next responses break off.
      var cuts: [Int] = []
      var honoursRanges = true
      var wrong: MockAnswer?
    }

    let state: Locked<State>
    let server: MockServer

    init(_ content: Data, _ headers: HTTPHeaders = ["ETag": "\"v1\""], cuts: [Int] = []) throws {
      state = Locked(State(content: content, headers: headers, cuts: cuts))
      server = try MockServer()
      server.route(.get, "/file") { [state] request in state.withLock { Self.answer(request, &$0) } }
    }

    deinit { server.stop() }

    var asked: [String] {
      server.requests.map { request in
        let headers = request.headers
        return [headers["Range"] ?? "all", headers["If-Range"], headers["Accept-Encoding"]]
          .compactMap(\.self).joined(separator: " ")
      }
    }

    private static func answer(_ request: ReceivedRequest, _ state: inout State) -> MockAnswer {
      if request.headers.contains("Range"), let wrong = state.wrong.take() { return wrong }
      var answer = MockAnswer.data(state.content)
      for field in state.headers.fields { answer = answer.header(field.name, field.value) }
      if state.honoursRanges { answer = answer.acceptingRanges() }
      if !state.cuts.isEmpty { answer = answer.fault(.truncated(after: state.cuts.removeFirst())) }
      return answer
    }
  }

  private let directory = TemporaryDirectory()
  private let content = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 7) })
  private var destination: URL { directory.url.appendingPathComponent("file.bin") }

  private func download(_ server: FileServer, retries: Int = 0) async throws -> DownloadedFile {
    let agent = RequestAgent(baseURL: server.server.baseURL)
    let request = OneOffRequest<Void>.get("file").with(
      \.retryPolicy, .upTo(retries, backoff: .constant(.zero)))
    return try await agent.download(request, to: destination, resumes: true)
  }

  private func breakOff(_ server: FileServer) async throws {
    let error = try await #require(throws: RequestError.self) { _ = try await download(server) }
    #expect(error.kind == .connectionLost)
    #expect(!FileManager.default.fileExists(atPath: destination.path))
  }

  @Test("Each dispatch requests the remainder, and the last dispatch moves the complete file")
  func dispatches() async throws {
    let server = try FileServer(content, cuts: [40_000, 10_000])
    try await breakOff(server)
    #expect(try directory.files.count == 2)
    try await breakOff(server)
    #expect(try await download(server) == DownloadedFile(url: destination, size: 100_000))
    #expect(
      server.asked == [
        "all identity", "bytes=39999- \"v1\" identity", "bytes=49998- \"v1\" identity",
      ])
    #expect(try Data(contentsOf: destination) == content)
    #expect(try directory.files == ["file.bin"])
  }

  @Test("The retries of a dispatch request the remainder")
  func retries() async throws {
    let server = try FileServer(content, cuts: [1, 60_000])
    #expect(try await download(server, retries: 2).size == 100_000)
    #expect(
      server.asked == ["all identity", "bytes=0- \"v1\" identity", "bytes=59999- \"v1\" identity"])
    #expect(try Data(contentsOf: destination) == content)
    #expect(try directory.files == ["file.bin"])
  }

  @Test("For a complete file that was not moved, the last byte is requested")
  func whole() async throws {
    let server = try FileServer(content)
    let url = server.server.baseURL.appendingPathComponent("file")
    let part = KeptPart(of: destination)
    try content.write(to: URL(fileURLWithPath: part.path))
    #expect(part.writeRecord(PartRecord(validator: "\"v1\"", length: nil, url: url)))
    #expect(try await download(server).size == 100_000)
    #expect(server.asked == ["bytes=99999- \"v1\" identity"])
    #expect(try Data(contentsOf: destination) == content)
  }

  @Test("A range that differs in the last kept byte is an error, and the next download is whole")
  func differing() async throws {
    let server = try FileServer(content)
    let url = server.server.baseURL.appendingPathComponent("file")
    let part = KeptPart(of: destination)
    let kept = Data(content.prefix(49_999)) + [content[49_999] ^ 1]
    try kept.write(to: URL(fileURLWithPath: part.path))
    #expect(part.writeRecord(PartRecord(validator: "\"v1\"", length: nil, url: url)))
    let error = await #expect(throws: RequestError.self) { try await download(server) }
    #expect(
      error?.reason
        == "the received range differs from the bytes already downloaded; the next request starts from the beginning"
    )
    #expect(try await download(server).size == 100_000)
    #expect(server.asked == ["bytes=49999- \"v1\" identity", "all identity"])
    #expect(try Data(contentsOf: destination) == content)
  }

  @Test("A changed file is sent completely", arguments: [false, true])
  func changed(byDate: Bool) async throws {
    let old: HTTPHeaders =
      byDate
      ? ["Last-Modified": "Sun, 01 Nov 2026 10:00:00 GMT", "Date": "Sun, 22 Nov 2026 10:00:00 GMT"]
      : ["ETag": "\"v1\""]
    let server = try FileServer(content, old, cuts: [50_000])
    try await breakOff(server)
    let other = Data(content.reversed())
    server.state.withLock { state in
      state.content = other
      state.headers = ["ETag": "\"v2\""]
    }
    #expect(try await download(server).size == 100_000)
    #expect(server.asked.last?.hasPrefix("bytes=49999- ") == true)
    #expect(try Data(contentsOf: destination) == other)
    #expect(try directory.files == ["file.bin"])
  }

  @Test("A server without ranges sends the whole file")
  func withoutRanges() async throws {
    let server = try FileServer(content, cuts: [50_000])
    try await breakOff(server)
    server.state.withLock { $0.honoursRanges = false }
    #expect(try await download(server).size == 100_000)
    #expect(try Data(contentsOf: destination) == content)
  }

  @Test(
    "Without a strong validator nothing is kept",
    arguments: [
      [:], ["ETag": "W/\"v1\""], ["ETag": "\"v1\"", "Accept-Ranges": "none"],
      ["Last-Modified": "Sun, 22 Nov 2026 10:00:00 GMT", "Date": "Sun, 22 Nov 2026 10:00:00 GMT"],
    ] as [HTTPHeaders])
  func weak(headers: HTTPHeaders) async throws {
    let server = try FileServer(content, headers, cuts: [50_000])
    try await breakOff(server)
    #expect(try directory.files == [])
    #expect(try await download(server).size == 100_000)
    #expect(server.asked == ["all identity", "all identity"])
  }

  @Test(
    "If the first response had no length, another query restarts without a failure, and the same URL resumes",
    arguments: [true, false])
  func chunkedFirst(isSameURL: Bool) async throws {
    let server = try FileServer(content)
    let agent = RequestAgent(baseURL: server.server.baseURL)
    let part = KeptPart(of: destination)
    try content.prefix(40_000).write(to: URL(fileURLWithPath: part.path))
    let first = server.server.baseURL.appendingPathComponent("file").absoluteString + "?signed=1"
    let url = try #require(URL(string: first))
    let chunked = HTTPResponse(headers: ["ETag": "\"v1\"", "Transfer-Encoding": "chunked"], url: url)
    #expect(part.writeRecord(try #require(PartRecord(of: chunked, from: url))))
    let request = OneOffRequest<Void>.get("file", query: ["signed": isSameURL ? "1" : "2"])
    let file = try await agent.download(request.with(\.retryPolicy, .none), to: destination, resumes: true)
    #expect(file.size == 100_000)
    #expect(server.asked == [isSameURL ? "bytes=39999- \"v1\" identity" : "all identity"])
    #expect(try Data(contentsOf: destination) == content)
  }

  @Test(
    "A resumption with another query is only tried if a tag and the total length identify the file"
  )
  func unknownWhole() throws {
    let url = try #require(URL(string: "https://a.example/file?signed=1"))
    let other = try #require(URL(string: "https://a.example/file?signed=2"))
    let record = PartRecord(validator: "\"v1\"", length: 1_000, url: url)
    #expect(record.belongs(to: url) && record.belongs(to: other))
    let unmeasured = PartRecord(validator: "\"v1\"", length: nil, url: url)
    #expect(unmeasured.belongs(to: url) && !unmeasured.belongs(to: other))
  }

  @Test("Another range, a range of another file, and a 416 are errors that discard the partial file")
  func refused() async throws {
    func range(from first: Int, tag: String) -> MockAnswer {
      .data(content.dropFirst(first), status: 206).header("ETag", tag)
        .header("Content-Range", "bytes \(first)-99999/100000")
    }
    let answers: [(String, MockAnswer)] = [
      (
        "the received range, bytes 50009-99999/100000, does not continue the 50000 bytes already downloaded; the next "
          + "request starts from the beginning", range(from: 50_009, tag: "\"v1\"")
      ),
      (
        "the received range, bytes 49999-99999/100000, does not continue the 50000 bytes already downloaded; the next "
          + "request starts from the beginning", range(from: 49_999, tag: "\"v2\"")
      ),
      ("status 416 Range Not Satisfiable is not in 200..<300", .status(416)),
    ]
    for (reason, answer) in answers {
      let server = try FileServer(content, cuts: [50_000])
      try await breakOff(server)
      server.state.withLock { $0.wrong = answer }
      let error = try await #require(throws: RequestError.self) { _ = try await download(server) }
      #expect(error.reason == reason)
      #expect(try directory.files == [])
      #expect(try await download(server).size == 100_000)
      try FileManager.default.removeItem(at: destination)
    }
  }

  @Test("A 416 to a request without a range keeps the bytes of another URL")
  func unaskedRange() async throws {
    let server = try FileServer(content, cuts: [50_000])
    try await breakOff(server)
    server.server.route(.get, "/other") { _ in .status(416) }
    let agent = RequestAgent(baseURL: server.server.baseURL)
    let error = try await #require(throws: RequestError.self) {
      try await agent.download(.get("other"), to: destination, resumes: true)
    }
    #expect(error.status == 416)
    #expect(try await download(server).size == 100_000)
    #expect(server.asked == ["all identity", "all identity", "bytes=49999- \"v1\" identity"])
  }

  @Test(
    "A range in another unit is refused, and the next request restarts",
    arguments: [
      ["Content-Range": ""], ["Content-Range": "bytes 49999-99999/99999"],
      ["Content-Encoding": "gzip", "Content-Range": "bytes 49999-99999/100000"],
      ["Content-Type": "multipart/byteranges; boundary=x"],
    ] as [[String: String]])
  func otherRanges(_ fields: [String: String]) async throws {
    let cut = [UInt8](repeating: 7, count: 50_001)
    let answers: [MockAnswer] = [
      .data(content).header("ETag", "\"v1\"").fault(.truncated(after: 50_000)),
      fields.reduce(MockAnswer.data(Data(cut), status: 206)) { $0.header($1.key, $1.value) },
      .data(content).header("ETag", "\"v1\""),
    ]
    let agent = RequestAgent.mocked(
      by: MockTransport([Stub(nil, "*", answers: answers[0], answers[1], answers[2])]))
    for _ in 0..<2 {
      await #expect(throws: RequestError.self) {
        try await agent.download(.get("file"), to: destination, resumes: true)
      }
    }
    #expect(try directory.files == [])
    #expect(try await agent.download(.get("file"), to: destination, resumes: true).size == 100_000)
    #expect(try Data(contentsOf: destination) == content)
  }

  @Test(
    "A checksum includes the partial file, and a partial file changed on disk is detected and discarded"
  )
  func checksum() async throws {
    let digest = FileChecksum.sha256(ChecksumTests.sha256(content))
    let server = try FileServer(content, cuts: [50_000])
    try await breakOff(server)
    let agent = RequestAgent(baseURL: server.server.baseURL)
    let file = try await agent.download(.get("file"), to: destination, resumes: true, checksum: digest)
    #expect(file.size == 100_000)
    #expect(server.asked.last == "bytes=49999- \"v1\" identity")
    try FileManager.default.removeItem(at: destination)

    server.state.withLock { $0.cuts = [50_000] }
    try await breakOff(server)
    let part = try #require(try directory.files.first { $0.hasSuffix(".part") })
    try FileChange.overwrite(directory.url.appendingPathComponent(part), with: Data("xx".utf8))
    let error = try await #require(throws: RequestError.self) {
      _ = try await agent.download(.get("file"), to: destination, resumes: true, checksum: digest)
    }
    #expect(error.kind == .invalidResponse)
    #expect(try directory.files == [])
  }

  @Test("The partial file counts in the progress")
  func progress() async throws {
    let server = try FileServer(content, cuts: [50_000])
    try await breakOff(server)
    let agent = RequestAgent(baseURL: server.server.baseURL)
    let handle = agent.start(GetFile(destination: destination))
    _ = try await handle.value
    #expect(handle.progress.current.description == "receiving 100000 of 100000 bytes, 100 %")
  }

  private struct ProgressNotes: Accessory {
    let recorder = Recorder()

    func transferDidProgress(_ progress: TransferProgress, context: RequestContext) {
      recorder.add("\(progress.completed >= 40_000) of \(progress.total.map { "\($0)" } ?? "-")")
    }
  }

  @Test("From the first event on, the partial file counts in both numbers of the progress")
  func wholeProgress() async throws {
    let server = try FileServer(content, cuts: [40_000])
    try await breakOff(server)
    let notes = ProgressNotes()
    let agent = RequestAgent(baseURL: server.server.baseURL, accessories: [notes])
    _ = try await agent.download(.get("file"), to: destination, resumes: true)
    #expect(Set(notes.recorder.events.drop { $0 == "false of -" }) == ["true of 100000"])
  }

  private struct GetFile: DownloadRequest {
    let path = "file"
    let destination: URL
    let resumes = true
  }

  #if os(Linux)
  @Test("Killed at any byte a download resumes, and the destination never has a partial file")
  func killed() async throws {
    let kills = ProcessInfo.processInfo.environment["ERRAND_DOWNLOAD_KILLS"].flatMap { Int($0) } ?? 20
    let server = try FileServer(content)
    var random = SeededGenerator(seed: 16)
    var (there, asked) = (0, [String]())
    try Data("old".utf8).write(to: destination)
    for _ in 0..<kills {
      asked.append(there > 0 ? "bytes=\(there - 1)- \"v1\" identity" : "all identity")
      let start = max(there - 1, 0)
      // Includes the case that all bytes are present, and the file is not yet moved.
      let count = min(random.below(10_000), content.count - start)
      there = start + count
      #expect(try await run(server, killedAfter: count) == (9, ""))
      #expect(try Data(contentsOf: destination) == Data("old".utf8))
    }
    asked.append(there > 0 ? "bytes=\(there - 1)- \"v1\" identity" : "all identity")
    #expect(try await run(server) == (0, "100000\n"))
    #expect(server.asked == asked)
    #expect(try Data(contentsOf: destination) == content)
    #expect(try directory.files == ["file.bin"])
  }

  private func run(_ server: FileServer, killedAfter count: Int? = nil) async throws -> (Int32, String) {
    let probe = Compiler.products.appendingPathComponent("ExitProbe")
    let url = server.server.baseURL.appendingPathComponent("file").absoluteString
    return try await Compiler.run(
      probe.path, ["download", url, destination.path, count.map { "\($0)" } ?? "-"])
  }
  #endif

  @Test("Two concurrent downloads do not share a partial file")
  func twice() async throws {
    let server = try FileServer(content)
    let held = try #require(KeptPart(of: destination).open())
    #expect(try await download(server).size == 100_000)
    close(held)
    #expect(server.asked.count == 1)
    #expect(try Data(contentsOf: destination) == content)
  }

  #if os(Linux)
  @Test(
    "A partial file is free at the end of its attempt, even while a starting process has inherited the descriptor"
  )
  func inherited() throws {
    let request = HTTPRequest(url: try #require(URL(string: "https://a.example/file")))
    let part = KeptPart(of: destination)
    try content.write(to: URL(fileURLWithPath: part.path))
    #expect(part.writeRecord(PartRecord(validator: "\"v1\"", length: nil, url: request.url)))
    let file = try #require(try PartialFile(resuming: destination, for: request))
    // A duplicate descriptor, as in a forked process before `exec`.
    let number = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").first {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == part.path
    }
    let inherited = dup(try #require(number.flatMap { Int32($0) }))
    defer { close(inherited) }
    file.cancel()
    #expect(try PartialFile(resuming: destination, for: request) != nil)
  }
  #endif

  @Test("Hashing the partial file stops after the step of the cancellation, and the partial file is kept")
  func sumIsCancelled() async throws {
    let request = HTTPRequest(url: try #require(URL(string: "https://a.example/file")))
    let part = KeptPart(of: destination)
    // 5 steps of 256 KiB.
    let (there, length) = (Data(count: 5 << 18), 5 << 18 + 1)
    try there.write(to: URL(fileURLWithPath: part.path))
    #expect(part.writeRecord(PartRecord(validator: "\"v1\"", length: Int64(length), url: request.url)))
    let head = HTTPResponse(
      status: 206,
      headers: ["ETag": "\"v1\"", "Content-Range": "bytes \(there.count)-\(length - 1)/\(length)"])
    let checksum = FileChecksum.sha256(String(repeating: "0", count: 64))
    let file = try #require(try PartialFile(resuming: destination, for: request))
    var steps = 0
    await #expect(throws: CancellationError.self) {
      try await file.begin(head, checksum: checksum) {
        steps += 1
        if steps == 3 { throw CancellationError() }
      }
    }
    #expect(steps == 3)
    file.cancel()
    let again = try #require(try PartialFile(resuming: destination, for: request))
    #expect(again.size == Int64(there.count))
    try await again.begin(head, checksum: checksum) { steps += 1 }
    #expect(steps == 8)
  }

  @Test("A request with its own range, another method and a directory restart")
  func others() async throws {
    let server = try FileServer(content)
    let agent = RequestAgent(baseURL: server.server.baseURL)
    let ranged = OneOffRequest<Void>.get("file", headers: ["Range": "bytes=99990-"])
    #expect(try await agent.download(ranged, to: destination, resumes: true).size == 10)
    let named = try await agent.download(.get("file"), to: directory.url, resumes: true)
    #expect(named.url.lastPathComponent == "file")
    #expect(try directory.files == ["file", "file.bin"])
  }

  @Test(
    "Content-Range is parsed according to the standard",
    arguments: [
      ("bytes 0-9/10", "0 9 10"), ("bytes 5-9/*", "5 9 -"), ("BYTES 5-9/10", "5 9 10"),
      ("bytes */10", "none"),
      ("bytes 5-10/10", "none"), ("bytes 5-9/x", "none"), ("bytes 5-9/", "none"), ("bytes 5-9/+10", "none"),
      ("bytes 0-9223372036854775807/*", "none"),
      ("bytes 9-5/10", "none"), ("bytes 5-/10", "none"), ("items 0-9/10", "none"), ("bytes 0-9", "none"),
      ("bytes -1-9/10", "none"), ("bytes 99999999999999999999-9/10", "none"), ("", "none"),
    ])
  func contentRange(field: String, read: String) {
    let range = ContentRange(of: HTTPResponse(headers: ["Content-Range": field]))
    #expect(range.map { "\($0.first) \($0.last) \($0.length.map { "\($0)" } ?? "-")" } ?? "none" == read)
  }
}
