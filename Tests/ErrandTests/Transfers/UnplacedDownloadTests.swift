import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Downloads that cannot be moved", .timeLimit(.minutes(5)))
struct UnplacedDownloadTests {
  private struct GetFile: DownloadRequest {
    let path = "file"
    let destination: URL
    var resumes = false
    /// Runs when the whole body has arrived, before the file is moved.
    var meanwhile: @Sendable () throws -> Void = {}

    func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {
      try meanwhile()
    }
  }

  private let directory = TemporaryDirectory()
  private let content = Data(0..<100)
  private var destination: URL { directory.url.appendingPathComponent("file.bin") }

  private func transport() -> MockTransport {
    MockTransport { [content] request in
      guard request.headers["Range"] != nil else { return .data(content).header("ETag", "\"v1\"") }
      return .data(content.suffix(1), status: 206).header("Content-Range", "bytes 99-99/100")
        .header("ETag", "\"v1\"")
    }
  }

  private func failure(_ request: GetFile, _ transport: MockTransport) async throws -> String {
    let agent = RequestAgent.mocked(by: transport)
    let error = try await #require(throws: RequestError.self) { try await agent.send(request) }
    return "\(error.kind): \(error.reason)"
  }

  @Test("A directory created meanwhile stays, and the bytes are deleted, or kept for the next request")
  func directoryMeanwhile() async throws {
    let (transport, destination) = (transport(), destination)
    var request = GetFile(destination: destination) {
      try FileManager.default.createDirectory(at: destination, withIntermediateDirectories: false)
    }
    let text = "file: \(destination.path) cannot be put in place: Is a directory"
    #expect(try await failure(request, transport) == text)
    #expect(try directory.files == ["file.bin"])
    try FileManager.default.removeItem(at: destination)

    request.resumes = true
    #expect(try await failure(request, transport) == text)
    #expect(try directory.files.map { $0.split(separator: ".").last } == ["part", "record", "bin"])
    try FileManager.default.removeItem(at: destination)

    let agent = RequestAgent.mocked(by: transport)
    #expect(try await agent.send(GetFile(destination: destination, resumes: true)).size == 100)
    #expect(transport.requests.map { $0.headers["Range"] ?? "all" } == ["all", "all", "bytes=99-"])
    #expect(try Data(contentsOf: destination) == content)
    #expect(try directory.files == ["file.bin"])
  }

  @Test(
    "A name too long for the directory is refused before the body, or before the request for a resuming download"
  )
  func longName() async throws {
    let name = String(repeating: "ä", count: 128)
    let place = directory.url.appendingPathComponent("a/\(name)")
    let text = "file: \(place.path) cannot be written: File name too long"
    let plain = transport()
    #expect(try await failure(GetFile(destination: place), plain) == text)
    let resuming = transport()
    #expect(try await failure(GetFile(destination: place, resumes: true), resuming) == text)
    #expect((plain.requests.count, resuming.requests.count) == (1, 0))
    #expect(try directory.files == ["a"])
  }

  @Test("A path that is too long creates no directories")
  func longPath() async throws {
    let parents = [String](repeating: String(repeating: "d", count: 250), count: 20).joined(separator: "/")
    let place = directory.url.appendingPathComponent("\(parents)/x")
    for resumes in [false, true] {
      let text = try await failure(GetFile(destination: place, resumes: resumes), transport())
      #expect(text == "file: \(place.deletingLastPathComponent().path) cannot be created: File name too long")
    }
    #expect(try directory.files == [])
  }

  @Test(
    "A server's name that is too long is truncated, also with an added number",
    arguments: [
      (
        String(repeating: "%C3%A4", count: 300) + ".csv", String(repeating: "ä", count: 125),
        String(repeating: "ä", count: 123)
      ),
      (
        String(repeating: "%F0%9F%98%80", count: 100) + ".csv", String(repeating: "😀", count: 62),
        String(repeating: "😀", count: 61)
      ),
      // A letter with many combining marks.
      (
        "e" + String(repeating: "%CC%81", count: 300) + ".csv",
        "e" + String(repeating: "\u{301}", count: 125),
        "e" + String(repeating: "\u{301}", count: 123)
      ),
    ])
  func longNameOfServer(encoded: String, first: String, second: String) async throws {
    let disposition = "attachment; filename*=UTF-8''" + encoded
    let agent = RequestAgent.mocked(
      by: MockTransport { _ in .text("abc").header("Content-Disposition", disposition) })
    for name in ["\(first).csv", "\(second) (2).csv"] {
      let file = try await agent.download(.get("x"), to: directory.url)
      #expect(file.url.lastPathComponent == name)
      #expect(name.utf8.count <= 255)
    }
    #expect(try directory.files.count == 2)
  }

  #if os(Linux)
  @Test(
    "A file system without file creation is an error, also for a resuming download",
    arguments: [false, true])
  func noFiles(resumes: Bool) async throws {
    let request = GetFile(destination: URL(fileURLWithPath: "/proc/x"), resumes: resumes)
    let text = try await failure(request, transport())
    #expect(text.hasPrefix("file: /proc cannot be written: "))
  }

  @Test("A full file system is an error, and the bytes are deleted, or kept for the next request")
  func full() async throws {
    let content = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 7) })
    let server = try ResumedDownloadTests.FileServer(content)
    let url = server.server.baseURL.appendingPathComponent("file").absoluteString
    let probe = Compiler.products.appendingPathComponent("ExitProbe").path
    let text = "file: \(destination.path) cannot be written: File too large\n"
    // The last argument is the probe's limit for the size of a file, in bytes.
    for mode in ["anew", "resumes"] {
      let arguments = ["limited-download", url, destination.path, mode, "60000"]
      #expect(try await Compiler.run(probe, arguments) == (0, text))
      #expect(try directory.files.count == (mode == "anew" ? 0 : 2))
    }
    let agent = RequestAgent(baseURL: server.server.baseURL)
    #expect(try await agent.download(.get("file"), to: destination, resumes: true).size == 100_000)
    #expect(server.asked.last == "bytes=59999- \"v1\" identity")
    #expect(try Data(contentsOf: destination) == content)
    #expect(try directory.files == ["file.bin"])
  }
  #endif
}
