import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Limits on a server's effects on a cache", .timeLimit(.minutes(5)))
struct CacheBoundTests {
  // MARK: Heads

  private static func names(_ count: Int) -> String {
    (0..<count).map { "X-\($0)" }.joined(separator: ",")
  }

  @Test("A response that varies by more than 64 fields is not stored, and a repeated name counts once")
  func manyNames() async throws {
    func verdict(_ vary: String) async throws -> String {
      try await CacheBench(answer: CacheBench.counting("max-age=60", ["Vary": vary])).verdict()
    }
    #expect(try await verdict(Self.names(64)) == "from the network: nothing is stored; stored")
    let refused = "from the network: nothing is stored; not stored: Vary names more than 64 fields"
    #expect(try await verdict(Self.names(65)) == refused)
    #expect(try await verdict(Self.names(43_000)) == refused)
    let repeated = Array(repeating: "X-A", count: 43_000).joined(separator: ",")
    #expect(try await verdict(repeated) == "from the network: nothing is stored; stored")
  }

  @Test("A 304 with 43,000 names in Vary revalidates nothing, and the whole response is requested")
  func manyNamesOfConfirmation() async throws {
    let bench = CacheBench { request in
      let answer =
        request.headers.contains("If-None-Match") ? MockAnswer.status(304) : .text("\(request.number)")
      let vary = request.headers.contains("If-None-Match") ? Self.names(43_000) : Self.names(64)
      return answer.header("ETag", "\"a\"").header("Cache-Control", "max-age=10").header("Vary", vary)
    }
    #expect(try await bench.get() == "1 network")
    await bench.advance(11)
    #expect(try await bench.verdict() == "from the network: the server has a newer response; stored")
    #expect(bench.count == 3)
  }

  /// A merge in quadratic time would exceed the time limit of the suite.
  @Test("Merging fields takes linear time")
  func merging() {
    func fields(_ prefix: String) -> HTTPHeaders {
      HTTPHeaders((0..<200_000).map { .init(name: "X-\(prefix)\(100_000 + $0)", value: "") })
    }
    var headers = fields("A")
    headers.add("x-b100000", "old")
    headers.merge(fields("B"))
    #expect(headers.fields.count == 400_000 && headers.values(for: "X-B100000") == [""])
    let repeated = HTTPHeaders(Array(repeating: .init(name: "ETag", value: "a"), count: 40_000))
    #expect(repeated["etag"]?.utf8.count == 3 * 40_000 - 2)
  }

  @Test("The size of an entry includes its fields and its selecting request fields")
  func costs() async throws {
    let cache = MemoryCache()
    func size(_ headers: HTTPHeaders, _ selectors: [CachedResponse.Selector]) async -> Int {
      await cache.removeAll { _, _ in true }
      let response = CachedResponse(
        status: 200, headers: headers, requested: CacheBench.epoch, received: CacheBench.epoch,
        selectors: selectors)
      #expect(await cache.store(response, for: CacheStoreTests.key("a")) == nil)
      return cache.size.bytes
    }
    let selectors = (0..<64).map {
      CachedResponse.Selector(name: "X-\($0)", value: String(repeating: "v", count: 1_000))
    }
    #expect(await size([:], selectors) > 64_000)
    // Each field has an overhead in memory.
    #expect(
      await size(HTTPHeaders(Array(repeating: .init(name: "A", value: ""), count: 20_000)), []) > 640_000)
    #expect(await size(["Cache-Control": "no-cache=\"\(Self.names(10_000))\""], []) < 100_000)
  }

  // MARK: Variants

  /// Many values of the field in `Vary`; one fixed value is requested repeatedly.
  private func fill(_ cache: ResponseCache, count: Int) async throws -> CacheBench {
    let bench = CacheBench(cache, answer: CacheBench.counting("max-age=60", ["Vary": "X-Request-Id"]))
    for number in 0..<count {
      _ = try await bench.get("a", headers: ["X-Request-Id": "\(number)"])
      if number % 8 == 0 { _ = try await bench.get("a", headers: ["X-Request-Id": "home"]) }
    }
    return bench
  }

  private static let key = CacheKey(url: "https://api.test/a", partition: "")

  @Test("Of many variants of a URL, a memory cache keeps the 16 last used")
  func variantsInMemory() async throws {
    let cache = MemoryCache()
    let bench = try await fill(cache, count: 4_000)
    #expect(await cache.responses(for: Self.key).count == 16)
    #expect(cache.size.count == 16)
    #expect(try await bench.get("a", headers: ["X-Request-Id": "home"]) == "2 cache")
    #expect(try await bench.get("a", headers: ["X-Request-Id": "3999"]) == "4001 cache")
    #expect(try await bench.get("a", headers: ["X-Request-Id": "3000"]) == "4002 network")
  }

  @Test("Of many variants of a URL, a disk cache keeps the 16 last used")
  func variantsOnDisk() async throws {
    let folder = CacheStoreTests.Folder()
    let cache = try DiskCache(directory: folder.url)
    let bench = try await fill(cache, count: 200)
    #expect(await cache.responses(for: Self.key).count == 16)
    #expect(folder.files.count == 16)
    #expect(try await bench.get("a", headers: ["X-Request-Id": "home"]) == "2 cache")
    #expect(try await bench.get("a", headers: ["X-Request-Id": "199"]) == "201 cache")
    #expect(try await bench.get("a", headers: ["X-Request-Id": "100"]) == "202 network")
  }

  @Test("A lookup among many variants reads at most twice as many files as a single variant")
  func costOfLookup() async throws {
    let folder = CacheStoreTests.Folder()
    let cache = try DiskCache(directory: folder.url)
    func reads(of value: String) async -> (count: Int, found: [String?]) {
      let before = cache.folder.reads.withLock { $0 }
      let found = await cache.responses(for: Self.key, VariantQuestion(["X-Request-Id": value], pin: nil))
      return (cache.folder.reads.withLock { $0 } - before, found.map { $0.selectors.first?.value })
    }
    let bench = try await fill(cache, count: 1)
    let digest = CacheRules.selector("X-Request-Id", in: ["X-Request-Id": "home"]).value
    await cache.remove("x-request-id:=\(CacheKey.digest([Data("0".utf8)]))", of: Self.key)
    var lookup = await reads(of: "home")
    #expect(lookup.count == 1 && lookup.found == [digest])
    for number in 0..<64 { _ = try await bench.get("a", headers: ["X-Request-Id": "more \(number)"]) }
    _ = try await bench.get("a", headers: ["X-Request-Id": "home"])
    lookup = await reads(of: "home")
    #expect(lookup.count <= 2 && lookup.found == [digest])
    lookup = await reads(of: "new")
    #expect(lookup.count == 1 && lookup.found.count == 1)
  }

  @Test("Different field names in Vary make no more variants than different values")
  func everNewNames() async throws {
    let folder = CacheStoreTests.Folder()
    for cache in [MemoryCache(), try DiskCache(directory: folder.url)] as [ResponseCache] {
      for number in 0..<40 {
        let response = CachedResponse(
          status: 200, headers: [:], requested: CacheBench.epoch, received: CacheBench.epoch,
          selectors: [
            .init(name: "odd \(number):name", value: "a:b"), .init(name: "X-\(number)", value: nil),
          ])
        #expect(await cache.store(response, for: Self.key) == nil)
      }
      #expect(await cache.responses(for: Self.key).count == 16)
    }
  }

  @Test("A directory that does not respond delays a dispatch no longer than its cancellation or deadline")
  func stalledFolder() async throws {
    let folder = CacheStoreTests.Folder()
    let cache = try DiskCache(directory: folder.url)
    let bench = CacheBench(cache, answer: CacheBench.counting("max-age=60"))
    let (stalled, gate) = (OneTime<Void>(), DispatchSemaphore(value: 0))
    let stall = Task {
      await cache.folder.run(CacheFileName(Self.key)) {
        stalled.set(())
        gate.wait()
      }
    }
    try await stalled.wait()
    let request = OneOffRequest<String>.get("a", as: String.self)
    let cancelled = bench.agent.start(request)
    cancelled.cancel()
    let ended = try await #require(throws: RequestError.self) { try await cancelled.value }
    #expect(ended.reason == "the request was cancelled")
    let late = bench.agent.start(request.with(\.deadline, .seconds(5)))
    await bench.clock.waitForSleepers(1)
    await bench.advance(6)
    let error = try await #require(throws: RequestError.self) { try await late.value }
    #expect(error.kind == .deadlineExceeded)
    gate.signal()
    await stall.value
    #expect(bench.count == 0)
  }

  @Test("A memory cache evicts single variants, not all variants of a key")
  func roomByVariants() async throws {
    let cache = MemoryCache(capacity: 100_000)
    for number in 0..<12 {
      let response = CacheStoreTests.response(Data(count: 10_000), "\(number)")
      #expect(await cache.store(response, for: Self.key) == nil)
    }
    let kept = await cache.responses(for: Self.key).compactMap { $0.selectors.first?.value }
    #expect(kept == ["3", "4", "5", "6", "7", "8", "9", "10", "11"])
  }

  @Test("Versions and scopes belong to the app, and the limit of variants evicts neither")
  func scopes() async throws {
    let folder = CacheStoreTests.Folder()
    for cache in [MemoryCache(), try DiskCache(directory: folder.url)] as [ResponseCache] {
      let bench = CacheBench(cache, answer: CacheBench.counting("no-store"))
      func get(_ scope: Int) async throws -> String {
        try await bench.get("a", .fixed(time: .seconds(60), scope: "account:=\(scope)"))
      }
      for scope in 0..<40 { #expect(try await get(scope) == "\(scope + 1) network") }
      for scope in 0..<40 { #expect(try await get(scope) == "\(scope + 1) cache") }
      #expect(
        try await bench.verdict("a", .fixed(time: .seconds(60), scope: "none"))
          == "from the network: the stored response has another scope; stored")
    }
  }
}
