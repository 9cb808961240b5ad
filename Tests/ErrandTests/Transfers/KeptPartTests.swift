import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite(
  "A partial download is only resumed with certainty", .timeLimit(.minutes(5)))
struct KeptPartTests {
  private let directory = TemporaryDirectory()
  private let content = Data(0..<100)
  private var destination: URL { directory.url.appendingPathComponent("file.bin") }

  private func get(
    _ answer: MockAnswer, from path: String = "file", in place: URL? = nil, tag: String? = "\"v1\""
  ) async throws -> String {
    let answer = tag.map { answer.header("ETag", $0) } ?? answer
    let transport = MockTransport { _ in answer }
    let agent = RequestAgent.mocked(by: transport)
    var end = ""
    do {
      let file = try await agent.download(.get(path), to: place ?? destination, resumes: true)
      end = "\(file.size) bytes"
      #expect(try Data(contentsOf: file.url) == content)
    } catch let error as RequestError {
      end = "\(error.kind)"
    }
    return "\(transport.requests.last?.headers["Range"] ?? "all"): \(end)"
  }

  private var whole: MockAnswer { .data(content) }
  private var rest: MockAnswer {
    .data(content.dropFirst(49), status: 206).header("Content-Range", "bytes 49-99/100")
  }

  private func breakOff(_ path: String = "file", _ fields: HTTPHeaders = ["ETag": "\"v1\""]) async throws {
    let answer = fields.fields.reduce(whole.fault(.truncated(after: 50))) { $0.header($1.name, $1.value) }
    #expect(try await get(answer, from: path, tag: nil) == "all: connectionLost")
    #expect(try kept.count == 2)
  }

  private var kept: [String] { get throws { try directory.files.filter { $0.hasPrefix(".errand-") } } }

  private func url(_ ending: String) throws -> URL {
    directory.url.appendingPathComponent(try #require(try kept.first { $0.hasSuffix(ending) }))
  }

  @Test("A newly signed URL is resumed if the tag matches, and its query is not on disk")
  func signed() async throws {
    try await breakOff("file?Expires=1&Signature=s3cret")
    let record = try String(contentsOf: url(".record"), encoding: .utf8)
    #expect(!record.contains("Signature") && !record.contains("s3cret") && !record.contains("file"))
    #expect(try await get(rest, from: "file?Expires=2&Signature=0ther") == "bytes=49-: 100 bytes")
    #expect(try directory.files == ["file.bin"])
  }

  @Test("With another query, the range must have the tag and the known length")
  func signedDoubts() async throws {
    let other = MockAnswer.data(content.dropFirst(49), status: 206)
    for (answer, tag) in [
      (rest, String?.none), (other.header("Content-Range", "bytes 49-99/*"), "\"v1\""),
    ] {
      try await breakOff("file?sig=1")
      #expect(try await get(answer, from: "file?sig=2", tag: tag) == "bytes=49-: invalidResponse")
      #expect(try directory.files == [])
    }
  }

  @Test("With only a date the URL must be the same, because two files may have the same date")
  func dated() async throws {
    let dates: HTTPHeaders = [
      "Last-Modified": "Sun, 01 Nov 2026 10:00:00 GMT", "Date": "Sun, 22 Nov 2026 10:00:00 GMT",
    ]
    try await breakOff("file?id=1", dates)
    #expect(try await get(whole, from: "file?id=2", tag: nil) == "all: 100 bytes")
    try await breakOff("file?id=1", dates)
    #expect(try await get(rest, from: "file?id=1", tag: nil) == "bytes=49-: 100 bytes")
  }

  @Test("Another path restarts, and replaces the partial file when its response arrives")
  func otherPath() async throws {
    try await breakOff("a")
    #expect(try await get(.status(503), from: "b") == "all: status")
    #expect(try await get(.status(503), from: "a") == "bytes=49-: status")
    #expect(try await get(whole, from: "b") == "all: 100 bytes")
    #expect(try directory.files == ["file.bin"])
  }

  @Test("A moved directory keeps its partial downloads")
  func moved() async throws {
    let (old, new) = (
      directory.url.appendingPathComponent("old"), directory.url.appendingPathComponent("new")
    )
    let cut = whole.fault(.truncated(after: 50))
    #expect(try await get(cut, in: old.appendingPathComponent("x")) == "all: connectionLost")
    try FileManager.default.moveItem(at: old, to: new)
    #expect(try await get(rest, in: new.appendingPathComponent("x")) == "bytes=49-: 100 bytes")
    #expect(try directory.files == ["new", "new/x"])
  }

  @Test("An incomplete record is invalid, for every point of interruption")
  func halfRecord() async throws {
    try await breakOff()
    let (part, record) = (try url(".part"), try url(".record"))
    let bytes = try Data(contentsOf: record)
    for count in 0..<bytes.count {
      try content.prefix(50).write(to: part)
      try bytes.prefix(count).write(to: record)
      #expect(try await get(whole) == "all: 100 bytes")
      #expect(try directory.files == ["file.bin"])
    }
  }

  enum Obstacle: CaseIterable {
    case symlink, directory, pipe, hardLink
  }

  @Test(
    "A special file in place of the bytes or of the record is neither read nor written",
    arguments: Obstacle.allCases, [".part", ".record"])
  func obstacles(_ obstacle: Obstacle, ending: String) async throws {
    try await breakOff()
    let (place, other) = (try url(ending), directory.url.appendingPathComponent("other"))
    // The moved file is valid, so a refusal is due to the kind of the replacement.
    try FileManager.default.moveItem(at: place, to: other)
    let bytes = try Data(contentsOf: other)
    switch obstacle {
    case .symlink: try FileManager.default.createSymbolicLink(at: place, withDestinationURL: other)
    case .directory: try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
    case .pipe: #expect(mkfifo(place.path, 0o600) == 0)
    case .hardLink: try FileManager.default.linkItem(at: other, to: place)
    }
    #expect(try await get(whole) == "all: 100 bytes")
    #expect(try Data(contentsOf: other) == bytes)
    #expect(try await get(whole) == "all: 100 bytes")
    #expect(try Data(contentsOf: other) == bytes)
  }

  @Test(
    "Another user's partial file is not resumed", .enabled(if: geteuid() == 0),
    arguments: [".part", ".record"])
  func foreign(ending: String) async throws {
    try await breakOff()
    #expect(chown(try url(ending).path, 65_534, 65_534) == 0)
    #expect(try await get(whole) == "all: 100 bytes")
  }

  @Test("Concurrent downloads to a destination give a complete file")
  func many() async throws {
    let large = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 7) })
    let server = try ResumedDownloadTests.FileServer(large)
    let agent = RequestAgent(baseURL: server.server.baseURL)
    let sizes = try await withThrowingTaskGroup(of: Int64.self) { [destination] group in
      for _ in 0..<20 {
        group.addTask { try await agent.download(.get("file"), to: destination, resumes: true).size }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(sizes == [Int64](repeating: 200_000, count: 20))
    #expect(try Data(contentsOf: destination) == large)
    #expect(try directory.files == ["file.bin"])
  }

  #if os(Linux)
  @Test("Another process downloads the whole separately while the partial file is in use")
  func otherProcess() async throws {
    let server = try MockServer()
    server.enqueue(whole.header("ETag", "\"v1\"").fault(.stalled(after: 50)))
    server.enqueue(whole.header("ETag", "\"v1\""))
    server.enqueue(rest.header("ETag", "\"v1\""))
    let agent = RequestAgent(baseURL: server.baseURL)
    let task = Task { [destination] in try await agent.download(.get("file"), to: destination, resumes: true)
    }
    while try kept.isEmpty || Data(contentsOf: url(".part")).count < 50 { await Task.yield() }
    let probe = Compiler.products.appendingPathComponent("ExitProbe").path
    let url = server.baseURL.appendingPathComponent("file").absoluteString
    #expect(try await Compiler.run(probe, ["download", url, destination.path, "-"]) == (0, "100\n"))
    #expect(try Data(contentsOf: destination) == content)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try kept.count == 2)
    #expect(try await agent.download(.get("file"), to: destination, resumes: true).size == 100)
    #expect(server.requests.map { $0.headers["Range"] ?? "all" } == ["all", "all", "bytes=49-"])
    #expect(try Data(contentsOf: destination) == content)
    #expect(try directory.files == ["file.bin"])
  }

  @Test("A download killed between the record and the first byte restarts")
  func killedBeforeFirstByte() async throws {
    let server = try ResumedDownloadTests.FileServer(content)
    let probe = Compiler.products.appendingPathComponent("ExitProbe").path
    let url = server.server.baseURL.appendingPathComponent("file").absoluteString
    #expect(try await Compiler.run(probe, ["download", url, destination.path, "0"]) == (9, ""))
    #expect(try kept.count == 2)
    #expect(try Data(contentsOf: self.url(".part")).isEmpty)
    let agent = RequestAgent(baseURL: server.server.baseURL)
    #expect(try await agent.download(.get("file"), to: destination, resumes: true).size == 100)
    #expect(server.asked == ["all identity", "all identity"])
    #expect(try directory.files == ["file.bin"])
  }
  #endif

  private struct GetFile: DownloadRequest {
    let path = "file"
    let destination: URL
    let resumes = true
    var checksum: FileChecksum?
  }

  @Test(
    "An explanation, the report and its curl command show the requested range, and explaining creates nothing"
  )
  func explained() async throws {
    let (transport, answer) = (MockTransport { _ in .status(503) }, whole.fault(.truncated(after: 50)))
    let agent = RequestAgent.mocked(by: transport)
    let below = GetFile(destination: directory.url.appendingPathComponent("new/file"))
    let empty = try await agent.explain(below)
    #expect(empty.settings.first { $0.name == "file" }?.value == below.destination.path)
    #expect(empty.request.headers["Accept-Encoding"] == "identity" && empty.request.headers["Range"] == nil)
    #expect(try directory.files == [])

    #expect(try await get(answer) == "all: connectionLost")
    let request = GetFile(destination: destination, checksum: .announced)
    let files = try directory.files
    let explained = try await agent.explain(request)
    let place = destination.path
    let setting = try #require(explained.settings.first { $0.name == "file" })
    #expect("\(setting.value) (\(setting.source))" == "\(place), 50 bytes already downloaded (request)")
    let fields = ["Accept-Encoding: identity", "Range: bytes=49-", "If-Range: \"v1\""]
    for field in fields + ["Want-Repr-Digest: sha-512=10, sha-256=5"] {
      #expect(explained.description.contains("\n  \(field)"))
      #expect(explained.curlCommand.contains("--header '\(field)'"))
    }
    #expect(try directory.files == files)

    let error = try await #require(throws: RequestError.self) { try await agent.send(request) }
    #expect(error.request?.headers == explained.request.headers)
    #expect(transport.requests.last?.headers == explained.request.headers)
    #expect(error.request?.curlCommand() == explained.curlCommand)
  }
}
