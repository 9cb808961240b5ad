import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Storage of responses", .timeLimit(.minutes(5)))
struct CacheStoreTests {
  final class Folder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "errand-cache-\(UUID().uuidString)")
    deinit { try? FileManager.default.removeItem(at: url) }

    var files: [String] {
      (FileManager.default.enumerator(atPath: url.path)?.allObjects as? [String] ?? []).filter {
        $0.utf8.count > 3
      }
    }
  }

  static func key(_ path: String, _ partition: String = "") -> CacheKey {
    CacheKey(url: "https://api.test/\(path)", partition: partition)
  }

  static func response(_ text: String, _ selector: String? = nil, tags: Set<String> = []) -> CachedResponse {
    response(Data(text.utf8), selector, tags: tags)
  }

  static func response(_ data: Data, _ selector: String? = nil, tags: Set<String> = []) -> CachedResponse {
    CachedResponse(
      status: 203, headers: ["X-A": "ä", "ETag": "\"1\""], requested: CacheBench.epoch,
      received: CacheBench.epoch + 0.25,
      tags: tags, body: CachedBody(data), selectors: selector.map { [.init(name: "X", value: $0)] } ?? [])
  }

  private static func text(_ cache: ResponseCache, _ key: CacheKey) async throws -> [String] {
    try await cache.responses(for: key).map { String(decoding: try $0.body.data(), as: UTF8.self) }.sorted()
  }

  private static func stores(_ folder: Folder) throws -> [ResponseCache] {
    [MemoryCache(capacity: 1 << 20), try DiskCache(directory: folder.url, capacity: 1 << 20)]
  }

  @Test("A stored response is found completely by key and variant, and replaced by the same key and variant")
  func kept() async throws {
    let folder = Folder()
    for cache in try Self.stores(folder) {
      #expect(await cache.store(Self.response("one", tags: ["t"]), for: Self.key("a")) == nil)
      #expect(await cache.store(Self.response("two", "x"), for: Self.key("a")) == nil)
      #expect(await cache.store(Self.response("three"), for: Self.key("a", "ann")) == nil)
      #expect(await cache.store(Self.response("four"), for: Self.key("a")) == nil)
      #expect(try await Self.text(cache, Self.key("a")) == ["four", "two"])
      #expect(try await Self.text(cache, Self.key("a", "ann")) == ["three"])
      let found = try #require(await cache.responses(for: Self.key("a", "ann")).first)
      #expect(found.status == 203 && found.headers["X-A"] == "ä" && found.received == CacheBench.epoch + 0.25)
      await cache.remove(Self.response("", "x").variant, of: Self.key("a"))
      #expect(try await Self.text(cache, Self.key("a")) == ["four"])
      await cache.removeAll(of: Self.key("a").url)
      #expect(try await Self.text(cache, Self.key("a")) + Self.text(cache, Self.key("a", "ann")) == [])
    }
  }

  @Test("A body is stored at its end, and not if dropped")
  func pieces() async throws {
    let folder = Folder()
    for cache in try Self.stores(folder) {
      do {
        let dropped = try #require(await cache.writer(for: Self.response(""), key: Self.key("b")))
        await dropped.append(Data("half".utf8))
      }
      #expect(try await Self.text(cache, Self.key("b")) == [])
      let writer = try #require(await cache.writer(for: Self.response(""), key: Self.key("b")))
      for piece in ["o", "", "ne and ", "two"] { await writer.append(Data(piece.utf8)) }
      #expect(try await Self.text(cache, Self.key("b")) == [])
      #expect(await writer.finish() == nil)
      #expect(try await Self.text(cache, Self.key("b")) == ["one and two"])
    }
    #expect(folder.files.count == 1)
  }

  @Test("A response larger than an eighth of the capacity is not stored, with a reason")
  func tooLarge() async throws {
    let folder = Folder()
    for cache in try Self.stores(folder) {
      let large = Self.response(Data(count: 140_000))
      #expect(await cache.store(large, for: Self.key("a")) == "the response is too large for the cache")
      let writer = try #require(await cache.writer(for: Self.response(""), key: Self.key("a")))
      for _ in 0..<3 { await writer.append(Data(count: 70_000)) }
      #expect(await writer.finish() == "the response is too large for the cache")
      #expect(await cache.responses(for: Self.key("a")).isEmpty)
    }
    #expect(folder.files.isEmpty)
  }

  @Test("A memory cache keeps the last used entries within its capacity")
  func leastRecentlyUsed() async throws {
    let cache = MemoryCache(capacity: 100_000)
    for number in 0..<8 {
      _ = await cache.store(Self.response(Data(count: 10_000)), for: Self.key("\(number)"))
    }
    for _ in 0..<500 { _ = await cache.responses(for: Self.key("0")) }
    for number in 8..<12 {
      _ = await cache.store(Self.response(Data(count: 10_000)), for: Self.key("\(number)"))
    }
    var there: [Int] = []
    for number in 0..<12 where !(await cache.responses(for: Self.key("\(number)"))).isEmpty {
      there.append(number)
    }
    #expect(there == [0, 4, 5, 6, 7, 8, 9, 10, 11])
    #expect(cache.size.bytes <= 100_000 && cache.size.count == 9)
    #expect("\(cache)" == "MemoryCache(9 answers, \(cache.size.bytes) of 100000 bytes)")
  }

  @Test(
    "A disk cache keeps its capacity, and removes the least recently used entries and leftovers of dead processes"
  )
  func diskBound() async throws {
    let folder = Folder()
    let cache = try DiskCache(directory: folder.url, capacity: 1_000_000)
    _ = await cache.store(Self.response(Data(count: 50_000)), for: Self.key("old"))
    let old = try #require(folder.files.first)
    let left = folder.url.appending(path: old).deletingLastPathComponent().appending(path: "new-1234")
    try Data("left".utf8).write(to: left)
    for path in [folder.url.appending(path: old).path, left.path] {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -9_000)], ofItemAtPath: path)
    }
    for number in 0..<60 {
      _ = await cache.store(Self.response(Data(count: 50_000)), for: Self.key("\(number)"))
    }
    let total = try folder.files.reduce(0) {
      try $0
        + (FileManager.default.attributesOfItem(atPath: folder.url.appending(path: $1).path)[.size] as? Int
          ?? 0)
    }
    #expect(total <= 1_062_500 + 60_000)
    #expect(await cache.responses(for: Self.key("old")).isEmpty)
    #expect(!(await cache.responses(for: Self.key("59"))).isEmpty)
    #expect(!FileManager.default.fileExists(atPath: left.path))
  }

  @Test("Any broken byte, and any wrong length, is a miss")
  func broken() async throws {
    let folder = Folder()
    let cache = try DiskCache(directory: folder.url, capacity: 1 << 20)
    _ = await cache.store(Self.response("a body of some length"), for: Self.key("a"))
    let file = folder.url.appending(path: try #require(folder.files.first))
    let whole = try Data(contentsOf: file)
    for place in whole.indices {
      var changed = whole
      changed[place] ^= 0x10
      try changed.write(to: file)
      #expect(await cache.responses(for: Self.key("a")).isEmpty, "byte \(place)")
      try whole.prefix(place).write(to: file)
      #expect(await cache.responses(for: Self.key("a")).isEmpty, "length \(place)")
    }
    try (whole + [0]).write(to: file)
    #expect(await cache.responses(for: Self.key("a")).isEmpty)
    try whole.write(to: file)
    #expect(try await Self.text(cache, Self.key("a")) == ["a body of some length"])
  }

  @Test("A long body is read from its file, even after its entry is replaced")
  func long() async throws {
    let folder = Folder()
    let cache = try DiskCache(directory: folder.url, capacity: 64 << 20)
    let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    #expect(await cache.store(Self.response(body), for: Self.key("a")) == nil)
    let found = try #require(await cache.responses(for: Self.key("a")).first)
    _ = await cache.store(Self.response("short"), for: Self.key("a"))
    var read = Data()
    for try await chunk in found.body.stream { read.append(chunk) }
    #expect(read == body)
    #expect(try found.body.bytes(1_000_000..<1_000_010).data() == body[1_000_000..<1_000_010])
    #expect(try await Self.text(cache, Self.key("a")) == ["short"])
  }

  @Test("Files are private to their owner, and a directory writable by others is refused")
  func rights() async throws {
    let folder = Folder()
    let cache = try DiskCache(directory: folder.url)
    _ = await cache.store(Self.response("x"), for: Self.key("a"))
    let file = folder.url.appending(path: try #require(folder.files.first)).path
    for (path, mode) in [(folder.url.path, 0o700), (file, 0o600)] {
      #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == mode)
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.url.path)
    let error = try #require(throws: RequestError.self) { try DiskCache(directory: folder.url) }
    #expect(error.kind == .file)
    #expect(
      error.reason.hasSuffix("is writable by other users: use a directory of your own with mode 700"))
    let other = try #require(throws: RequestError.self) {
      try DiskCache(directory: URL(fileURLWithPath: file))
    }
    #expect(other.kind == .file)
  }

  @Test("A full disk is a miss, not an error")
  func full() async throws {
    let folder = Folder()
    let cache = try DiskCache(directory: folder.url)
    let bench = CacheBench(cache, answer: CacheBench.counting("max-age=60"))
    _ = try await bench.get()
    // The cache cannot create files, as on a full disk.
    try FileManager.default.removeItem(at: folder.url)
    try Data().write(to: folder.url)
    #expect(
      try await bench.verdict()
        == "from the network: nothing is stored; not stored: the cache has no room for the response")
    #expect(try await bench.get() == "3 network")
  }

  @Test("Two agents over the same directory share stored responses")
  func shared() async throws {
    let folder = Folder()
    let first = CacheBench(try DiskCache(directory: folder.url), answer: CacheBench.counting("max-age=60"))
    let second = CacheBench(try DiskCache(directory: folder.url), answer: CacheBench.counting("max-age=60"))
    #expect(try await first.get() == "1 network")
    #expect(try await second.get() == "1 cache")
    try await second.agent.send(.post("a"))
    #expect(try await first.get() == "2 network")
    await second.agent.cache.removeAll()
    #expect(folder.files.isEmpty)
  }

  @Test("A head is read as written, and other bytes are no head")
  func heads() throws {
    let response = Self.response("x", "y", tags: ["b", "a"])
    let read = try #require(CachedResponse(head: response.head, body: response.body))
    #expect(read.head == response.head && read.variant == response.variant && read.tags == ["a", "b"])
    #expect(CachedResponse(head: Data("{}".utf8), body: CachedBody(Data())) == nil)
    #expect("\(read)" == "203 Non-Authoritative Information, 1 bytes, received Tue, 14 Nov 2023 22:13:20 GMT")
  }
}
