import Errand
import ErrandMocks
import Foundation
import TestSupport
import Testing

/// Runs against a tus server of another project; `.ci/run` starts the server with `.ci/tus.py`.
@Suite(
  "Against a server of tus",
  .enabled(if: Server.tus != nil, "set ERRAND_TUS to the URL of a tus server with .ci/tus.py to run these"),
  .timeLimit(.minutes(10)))
struct TusTests {
  private let directory = TemporaryDirectory()

  // The server needs time to notice the closed connection.
  @Test("A file upload that is cut ten times at random bytes arrives complete")
  func cut() async throws {
    let megabytes = ProcessInfo.processInfo.environment["ERRAND_TUS_MEGABYTES"].flatMap { Int($0) } ?? 50
    let size = megabytes * 1_000_000
    var random = SeededGenerator(seed: 50)
    let piece = Data((0..<1_000_003).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    var content = Data()
    while content.count < size { content += piece.prefix(size - content.count) }
    let file = try directory.file("a.bin", content)
    content = Data()
    let cuts = CutUploads(DefaultTransport.make(), after: (0..<10).map { _ in random.below(size / 8) })
    let agent = RequestAgent(baseURL: Server.tus, transport: cuts)
    let receipt = try await agent.upload(
      .file(file), to: .post("files"),
      by: .tus(metadata: ["filename": "a.bin", "filetype": "application/octet-stream"]),
      maxFailures: 30)
    #expect(receipt.size == size && cuts.cutsLeft == 0)
    let back = directory.url.appendingPathComponent("back.bin")
    #expect(
      try await agent.download(.get("stored/\(receipt.url.lastPathComponent)"), to: back)
        == DownloadedFile(url: back, size: Int64(size)))
    #expect(FileManager.default.contentsEqual(atPath: back.path, andPath: file.path))
  }

  @Test("A stream of unknown length is uploaded, and an upload is abandoned")
  func others() async throws {
    let agent = RequestAgent(baseURL: Server.tus)
    let content = UploadBench.content(300_000)
    let receipt = try await agent.upload(
      .stream(UploadBench.pieces(content)), to: .post("files"), by: .tus(chunkSize: 70_000))
    #expect(try await agent.send(.get("stored/\(receipt.url.lastPathComponent)", as: Data.self)) == content)
    let state = Locked<UploadProtocol.State?>(nil)
    let task = Task {
      try await agent.upload(
        .data(content), to: .post("files"), by: .tus(chunkSize: 70_000),
        stateChanged: { new in
          state.withLock { $0 = new }
          if new.offset > 0 { withUnsafeCurrentTask { $0?.cancel() } }
        })
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    let left = try #require(state.withLock { $0 })
    try await agent.cancelUpload(left, to: .post("files"), by: .tus())
    let error = try await #require(throws: RequestError.self) {
      try await agent.upload(.data(content), to: .post("files"), by: .tus(), resuming: left, maxFailures: 0)
    }
    #expect(error.status == 404)
  }
}
