import ErrandJSON
import Foundation
import TestSupport
import Testing

@testable import Errand
@testable import ErrandHARFormat

#if os(Linux)
@Suite("Processes killed while logging", .timeLimit(.minutes(10)))
struct LogKillTests {
  private let folder = TemporaryDirectory()
  private var har: URL { folder.url.appendingPathComponent("session.har") }

  /// On a global queue, concurrently with other tests.
  private func run(killedAfter time: Int) async throws -> (Int32, String) {
    let probe = Compiler.products.appendingPathComponent("ExitProbe")
    let arguments = ["log", folder.url.path, "\(time)"]
    return try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(with: Result { try ChildProcess.run(probe, arguments) })
      }
    }
  }

  private func runs() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
      .filter { $0.hasPrefix("kill_log_2") }.sorted()
  }

  private func newest() throws -> URL {
    let text = try String(
      contentsOf: folder.url.appendingPathComponent("kill_log_newest.html"), encoding: .utf8)
    let path = try #require(text.components(separatedBy: "url=").dropFirst().first?.prefix { $0 != "\"" })
    return folder.url.appendingPathComponent(String(path))
  }

  /// Without a page with an incomplete head.
  private func pages(of run: String) throws -> [LoggedPage] {
    let place = folder.url.appendingPathComponent(run)
    return try FileManager.default.contentsOfDirectory(atPath: place.path).sorted().compactMap { name in
      let bytes = try Data(contentsOf: place.appendingPathComponent(name))
      return bytes.range(of: LoggedPage.opening) == nil ? nil : try LoggedPage(bytes)
    }
  }

  /// In an incomplete file, only the last line may be broken.
  private func entries() throws -> (count: Int, isWhole: Bool) {
    let bytes = try Data(contentsOf: har)
    if let file = try? JSONCoding().decode(HARFile.self, from: bytes) {
      return (file.log.entries.count, true)
    }
    guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")), end > bytes.startIndex else { return (0, false) }
    var text = String(decoding: bytes[..<end], as: UTF8.self)
    if text.last == "," { text.removeLast() }
    let file = try JSONCoding().decode(HARFile.self, from: Data((text + "\n]}}").utf8))
    return (file.log.entries.count, false)
  }

  @Test(
    "After a kill the newest page opens, is truncated at most at its end, and the next run starts normally"
  )
  func killed() async throws {
    let kills = ProcessInfo.processInfo.environment["ERRAND_LOG_KILLS"].flatMap { Int($0) } ?? 20
    var random = SeededGenerator(seed: 23)
    var (cutPages, cutFiles, blocks, count) = (0, 0, 0, 0)
    for _ in 0..<kills {
      let (status, text) = try await run(killedAfter: 1_000 + random.below(120_000))
      #expect(status == 9, "\(text)")
      let page = try newest()
      let run = page.deletingLastPathComponent().lastPathComponent
      let all = try runs()
      #expect(all.last == run && all.count <= 2)
      #expect(try LoggedPage(page).head.starts(with: Data("<!DOCTYPE html>".utf8)))
      #expect(try LoggedPage(page).events.first == "run")
      let pages = try pages(of: run)
      let cut = pages.filter { !$0.rest.isEmpty }
      // An incomplete block is the last block.
      #expect(cut.count <= 1 && !cut.contains { $0.rest.range(of: LoggedPage.closing) != nil })
      let (entries, isWhole) = try entries()
      cutPages += cut.count
      cutFiles += isWhole ? 0 : 1
      blocks += pages.reduce(0) { $0 + $1.blocks.count }
      count += entries
    }
    #expect(blocks > 4 * kills && count > kills)
    #expect(try await run(killedAfter: 0).0 == 0)
    let pages = try pages(of: try #require(runs().last))
    #expect(try runs().count == 2 && pages.count == 1 && pages[0].rest.isEmpty)
    #expect(pages[0].all("start").count == 41 && pages[0].all("stop").count == 41)
    #expect(try entries() == (41, true))
    if kills > 20 {
      print("\(kills) kills: \(cutPages) pages and \(cutFiles) HAR files were cut at their end")
    }
  }
}
#endif
