import Foundation
import TestSupport
import Testing

@testable import Errand

#if os(Linux)
@Suite("Leftovers of killed processes in a cache folder", .timeLimit(.minutes(5)))
struct CacheLeftoverTests {
  private static func unfinished(_ folder: CacheStoreTests.Folder) -> [String] {
    folder.files.filter { $0.contains("new-") }
  }

  private static func size(_ folder: CacheStoreTests.Folder) throws -> Int {
    try folder.files.reduce(0) { sum, file in
      let path = folder.url.appending(path: file).path
      return try sum + (FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0)
    }
  }

  @Test(
    "The next process that opens the folder removes leftovers of dead processes, and no files of live processes"
  )
  func removed() async throws {
    let folder = CacheStoreTests.Folder()
    let probe = Compiler.products.appendingPathComponent("ExitProbe")
    for number in 0..<3 {
      let (status, _) = try ChildProcess.run(probe, ["cache-cut", folder.url.path, "\(number)"])
      #expect(status == 9)
    }
    // Each process may have removed the unfinished file of the previous process.
    #expect((1...3).contains(Self.unfinished(folder).count))
    #expect(try Self.size(folder) > 1_000_000)

    let first = try DiskCache(directory: folder.url)
    let writer = try #require(
      await first.writer(for: CacheStoreTests.response(""), key: CacheStoreTests.key("live")))
    await writer.append(Data("half".utf8))
    let second = try DiskCache(directory: folder.url)
    var tries = 0
    while Self.unfinished(folder).count > 1, tries < 2_000 {
      tries += 1
      try await Task.sleep(for: .milliseconds(2))
    }
    #expect(Self.unfinished(folder).count == 1)
    await writer.append(Data(" whole".utf8))
    #expect(await writer.finish() == nil)
    let found = try #require(await second.responses(for: CacheStoreTests.key("live")).first)
    #expect(try found.body.data() == Data("half whole".utf8))
  }

  @Test("A link of the own user is resolved once, and the cache stays at the link's original target")
  func link() async throws {
    let directory = TemporaryDirectory()
    let link = directory.url.appendingPathComponent("link")
    let places = ["first", "second"].map { directory.url.appendingPathComponent($0) }
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "first")
    let cache = try DiskCache(directory: link)
    try FileManager.default.createDirectory(
      at: places[1], withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    try FileManager.default.removeItem(at: link)
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "second")
    let key = CacheStoreTests.key("a")
    #expect(await cache.store(CacheStoreTests.response("kept"), for: key) == nil)
    #expect(await cache.responses(for: key).count == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: places[0].path).count == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: places[1].path) == [])
    #expect(cache.directory == link)
  }

  @Test("Bytes in writing count towards the size of the folder")
  func counted() async throws {
    let folder = CacheStoreTests.Folder()
    let cache = try DiskCache(directory: folder.url, capacity: 1_000_000)
    var writers: [any CachedBodyWriter] = []
    for number in 0..<4 {
      let key = CacheStoreTests.key("slow \(number)")
      let writer = try #require(await cache.writer(for: CacheStoreTests.response(""), key: key))
      await writer.append(Data(count: 110_000))
      writers.append(writer)
    }
    for number in 0..<40 {
      _ = await cache.store(
        CacheStoreTests.response(Data(count: 50_000)), for: CacheStoreTests.key("\(number)"))
    }
    #expect(try Self.size(folder) <= 1_062_500 + 60_000)
    for writer in writers { #expect(await writer.finish() == nil) }
  }

  @Test("Concurrent writes take at most half of the folder's capacity")
  func manyAtOnce() async throws {
    let folder = CacheStoreTests.Folder()
    let cache = try DiskCache(directory: folder.url, capacity: 1_000_000)
    var writers: [any CachedBodyWriter] = []
    for number in 0..<20 {
      let key = CacheStoreTests.key("slow \(number)")
      guard let writer = await cache.writer(for: CacheStoreTests.response(""), key: key) else { continue }
      await writer.append(Data(count: 110_000))
      writers.append(writer)
    }
    #expect(try Self.size(folder) <= 520_000)
    var kept = 0
    for writer in writers where await writer.finish() == nil { kept += 1 }
    #expect(kept == 4)
  }
}
#endif
