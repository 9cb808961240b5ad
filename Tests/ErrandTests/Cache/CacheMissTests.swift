import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Reasons of cache misses", .timeLimit(.minutes(5)))
struct CacheMissTests {
  private static func miss(
    _ bench: CacheBench, _ policy: CachePolicy, headers: HTTPHeaders = [:], method: HTTPMethod = .get
  ) async throws -> (RequestError.CacheMiss?, String) {
    let request = OneOffRequest<Void>("a", method: method, headers: headers, response: .none)
    let error = try await #require(throws: RequestError.self) {
      try await bench.agent.send(request.with(\.cachePolicy, policy))
    }
    #expect(error.kind == .notCached)
    return (
      error.cacheMiss,
      error.reason.replacing("the cache has no answer, and the cache policy sends no request: ", with: "")
    )
  }

  private static func only(_ policy: CachePolicy) -> CachePolicy { policy.with(.cacheOnly) }

  @Test("Each reason is a case with a text")
  func reasons() async throws {
    let kept = CachePolicy.fixed(time: .seconds(60), version: 2, scope: "ann")
    let bench = CacheBench { request in
      request.headers.contains("Range")
        ? .data(Data("a".utf8), status: 206).header("Content-Range", "bytes 0-0/9").header("ETag", "\"v\"")
          .header("Cache-Control", "max-age=1000")
        : .text("1").header("Cache-Control", "max-age=1000").header("Vary", "Accept-Language")
    }
    func expect(
      _ expected: RequestError.CacheMiss, _ words: String, _ policy: CachePolicy, headers: HTTPHeaders = [:],
      method: HTTPMethod = .get
    ) async throws {
      let (miss, reason) = try await Self.miss(bench, policy, headers: headers, method: method)
      #expect(miss == expected && reason == words)
    }
    try await expect(.nothingStored, "nothing is stored", .cacheOnly)
    _ = try await bench.get("a", kept)
    try await expect(.otherLifetime, "the stored response has a fixed lifetime", .cacheOnly)
    let later = CachePolicy.fixed(time: .seconds(60), version: 3, scope: "ann")
    try await expect(.otherVersion, "the stored response has another version", Self.only(later))
    let bob = CachePolicy.fixed(time: .seconds(60), version: 2, scope: "bob")
    try await expect(.otherScope, "the stored response has another scope", Self.only(bob))
    await bench.advance(61)
    try await expect(
      .expired, "the stored response is older than its fixed lifetime of 60 s", Self.only(kept))
    _ = try await bench.get("a")
    try await expect(
      .otherFields, "the stored response is for other request headers (Vary)", .cacheOnly,
      headers: ["Accept-Language": "de"])
    try await expect(
      .ownConditions, "the request has its own conditions", .cacheOnly, headers: ["If-Match": "\"x\""])
    try await expect(.notAnswered, "the cache does not answer POST requests", .cacheOnly, method: .post)
  }

  @Test("A partial entry, a different part, and a future response have their reasons")
  func others() async throws {
    let bench = CacheBench { _ in
      .data(Data("ab".utf8), status: 206).header("Content-Range", "bytes 0-1/9").header("ETag", "\"v\"")
        .header("Cache-Control", "max-age=1000")
    }
    _ = try await bench.get("a", .standard, headers: ["Range": "bytes=0-1"])
    #expect(try await Self.miss(bench, .cacheOnly) == (.part, "only a part of the response is stored"))
    #expect(
      try await Self.miss(bench, .cacheOnly, headers: ["Range": "bytes=5-6"])
        == (.part, "another part of the response is stored"))
    let cache = MemoryCache()
    let kept = CachePolicy.fixed(time: .seconds(60))
    let early = CacheBench(cache, policy: kept) { _ in .text("1") }
    await early.advance(100)
    _ = try await early.get()
    let late = CacheBench(cache, policy: Self.only(kept)) { _ in .text("2") }
    #expect(try await Self.miss(late, .inherited) == (.clockWentBack, "the clock went back"))
  }

  @Test("A reload ignores a stored part, and requests the whole response")
  func reloadedPart() async throws {
    let bench = CacheBench { request in
      let whole = Data("123456789".utf8)
      let answer =
        request.headers.contains("Range")
        ? MockAnswer.data(whole.prefix(2), status: 206).header("Content-Range", "bytes 0-1/9")
        : .data(whole)
      return answer.header("ETag", "\"v\"").header("Cache-Control", "max-age=1000")
    }
    _ = try await bench.get("a", .standard, headers: ["Range": "bytes=0-1"])
    #expect(try await bench.verdict("a", .reload) == "from the network: the policy reloads; stored")
    #expect(bench.transport.requests.map { $0.headers["Range"] ?? "-" } == ["bytes=0-1", "-"])
    #expect(bench.transport.requests.map { $0.headers["If-Range"] ?? "-" } == ["-", "-"])
    #expect(try await bench.get() == "123456789 cache")
  }

  @Test(
    "A download and an unrelated failure have no reason, and an agent without a cache reports that nothing is stored"
  )
  func elsewhere() async throws {
    let bench = CacheBench { _ in .status(500) }
    let directory = TemporaryDirectory()
    let download = try await #require(throws: RequestError.self) {
      try await bench.agent.download(
        OneOffRequest<Void>.get("a").with(\.cachePolicy, .cacheOnly),
        to: directory.url.appendingPathComponent("f"))
    }
    #expect(download.cacheMiss == .notAnswered)
    let failed = try await #require(throws: RequestError.self) { try await bench.get() }
    #expect(failed.status == 500 && failed.cacheMiss == nil)
    let bare = RequestAgent(baseURL: "https://api.test", transport: bench.transport)
    let error = try await #require(throws: RequestError.self) {
      try await bare.send(OneOffRequest<Void>.get("a").with(\.cachePolicy, .cacheOnly))
    }
    #expect(error.cacheMiss == .nothingStored)
  }
}
