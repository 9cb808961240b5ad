#if os(Linux)
import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Leftovers of killed downloads in a folder", .timeLimit(.minutes(5)))
struct LeftoverPartsTests {
  private let directory = TemporaryDirectory()

  @Test("The next process that downloads into the folder removes the files of killed processes")
  func killed() async throws {
    let server = try MockServer()
    server.route(.get, "/file", answers: .data(Data(count: 300_000)))
    let probe = Compiler.products.appendingPathComponent("ExitProbe").path
    let destination = directory.url.appendingPathComponent("file.bin")
    for _ in 0..<2 {
      let (status, _) = try await Compiler.run(
        probe,
        [
          "download-cut", server.baseURL.appendingPathComponent("file").absoluteString, destination.path,
          "100000",
        ])
      #expect(status == 9)
      // The partial file of the previous process is gone.
      #expect(try directory.files.count == 1 && directory.files[0].hasPrefix(".errand-"))
    }
    let agent = RequestAgent(baseURL: server.baseURL)
    #expect(try await agent.download(.get("file"), to: destination).size == 300_000)
    #expect(try directory.files == ["file.bin"])
  }

  @Test("Files in writing, and files with other names, stay")
  func others() async throws {
    let names = [
      ".errand-1-2.part.txt", ".errand-4f.part", ".errand-1.part", ".errand-1-x.part", ".errand-1-2-3.part",
      "errand-1-2.part", ".errand--2.part",
    ]
    for name in names { _ = try directory.file(name, "x") }
    let written = try directory.file(".errand-1-1.part", "half")
    let descriptor = open(written.path, O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    _ = try directory.file(".errand-1-2.part", "left")
    try FileManager.default.createSymbolicLink(
      atPath: directory.url.appendingPathComponent(".errand-1-3.part").path,
      withDestinationPath: "errand-1-2.part")
    let agent = RequestAgent.mocked(by: MockTransport { _ in .text("whole") })
    _ = try await agent.download(.get("file"), to: directory.url.appendingPathComponent("file.bin"))
    #expect(
      try directory.files == (names + [".errand-1-1.part", ".errand-1-3.part", "file.bin"]).sorted())
  }

  @Test("Concurrent downloads of a process into a folder do not remove each other's files")
  func together() async throws {
    let agent = RequestAgent.mocked(by: MockTransport { .text("\($0.path)") })
    let folder = directory.url
    try await withThrowingTaskGroup { group in
      for number in 0..<32 {
        group.addTask {
          let file = try await agent.download(
            .get("\(number)"), to: folder.appendingPathComponent("\(number)"))
          #expect(try String(contentsOf: file.url, encoding: .utf8) == "/\(number)")
        }
      }
      try await group.waitForAll()
    }
    #expect(try directory.files.count == 32)
  }
}
#endif
