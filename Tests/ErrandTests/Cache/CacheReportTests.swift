import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Reports and explanations of the cache", .timeLimit(.minutes(5)))
struct CacheReportTests {
  @Test("The table and the machine-readable report show the cache's verdict")
  func table() async throws {
    let bench = CacheBench(answer: CacheBench.counting("max-age=60"))
    _ = try await bench.get()
    await bench.advance(7)
    let report = try await bench.agent.response(for: .get("a", as: String.self)).report
    #expect(
      report.description == """
        Request 2: GET https://api.test/a
        Success at decode after 0.000 s, 1 attempt.

        #  begun    took     answer  bytes  connection
        1  0.000 s  0.000 s  200 OK  1      cached
           Cache: from the cache, 7 s old: the stored response is fresh for 53 s more.
        """)
    let written = try JSONEncoder().encode(report)
    let read = try JSONDecoder().decode(ExchangeReport.self, from: written)
    #expect(read.cache == report.cache && read.cache?.age == 7 && read.cache?.source == .cache)
    #expect(read.description == report.description)
  }

  @Test("An explanation shows the cache's decision without side effects")
  func explained() async throws {
    let bench = CacheBench(answer: CacheBench.counting("max-age=60", ["ETag": "\"a\""]))
    let request = OneOffRequest<String>.get("a", as: String.self)
    func told(_ request: some Request) async throws -> [String] {
      try await bench.agent.explain(request).settings.filter { $0.name.hasPrefix("cache") }
        .map { "\($0.name): \($0.value) (\($0.source))" }
    }
    #expect(
      try await told(request) == [
        "cache: standard (default)", "cached answer: not used, nothing is stored (default)",
      ])
    _ = try await bench.get()
    #expect(
      try await told(request) == [
        "cache: standard (default)",
        "cached answer: used, the stored response is fresh for 60 s more (default)",
      ])
    await bench.advance(61)
    #expect(
      try await told(request) == [
        "cache: standard (default)",
        "cached answer: revalidated, the stored response has been stale for 1 s (default)",
      ])
    #expect(
      try await told(request.with(\.cachePolicy, .reload)) == [
        "cache: reload (call)", "cached answer: not used, the policy reloads (default)",
      ])
    #expect(try await told(request.with(\.cachePolicy, .none)) == ["cache: none (call)"])
    #expect(bench.count == 1)
  }

  @Test("cachedResponse looks up without loading, and does not affect later dispatches (A6.8, T-CA6)")
  func lookup() async throws {
    let bench = CacheBench(answer: CacheBench.counting("max-age=60"))
    let request = OneOffRequest<String>.get("a", as: String.self)
    #expect(try await bench.agent.cache.response(for: request) == nil)
    _ = try await bench.get()
    await bench.advance(9)
    let lookup = try #require(try await bench.agent.cache.response(for: request))
    #expect(lookup.isUsable && lookup.reason == "the stored response is fresh for 51 s more")
    #expect(lookup.response.headers["Age"] == "9" && lookup.response.body == Data("1".utf8))
    await bench.advance(60)
    let stale = try #require(try await bench.agent.cache.response(for: request))
    #expect(!stale.isUsable && stale.response.body == Data("1".utf8))
    #expect(bench.count == 1 && bench.agent.liveCount == 0)
    let plain = RequestAgent(baseURL: "https://api.test", transport: bench.transport)
    #expect(try await plain.cache.response(for: request) == nil)
  }

  @Test("values yields the stored value and then the network's, each as a whole dispatch (A6.7)")
  func values() async throws {
    let bench = CacheBench(answer: CacheBench.counting("max-age=60"))
    let request = OneOffRequest<String>.get("a", as: String.self)
    func texts(_ policy: CachePolicy = .inherited) async throws -> [String] {
      var texts: [String] = []
      for try await received in bench.agent.values(for: request.with(\.cachePolicy, policy)) {
        texts.append("\(received.value) \(received.report.cache?.source.rawValue ?? "uncached")")
      }
      return texts
    }
    #expect(try await texts() == ["1 network"])
    #expect(try await texts() == ["1 cache", "2 network"])
    await bench.advance(100)
    #expect(try await texts() == ["2 stale", "3 network"])
    #expect(try await texts(.none) == ["4 uncached"])
    #expect(try await texts(.fixed(time: .seconds(5))) == ["5 network"])
    #expect(try await texts(.fixed(time: .seconds(5))) == ["5 cache", "6 network"])
    await bench.advance(6)
    #expect(try await texts(.fixed(time: .seconds(5))) == ["7 network"])
  }

  @Test(
    "A stored value that no longer decodes is skipped, and a network failure is thrown after the stored value"
  )
  func failingValues() async throws {
    let bench = CacheBench { request in
      switch request.number {
      case 1: .text("old").header("Cache-Control", "max-age=60")
      case 2: .text("7").header("Cache-Control", "max-age=60")
      default: .status(500)
      }
    }
    _ = try await bench.get()
    let request = OneOffRequest<Int>.get("a", as: Int.self)
    var values: [Int] = []
    for try await received in bench.agent.values(for: request) { values.append(received.value) }
    #expect(values == [7])
    let error = await #expect(throws: RequestError.self) {
      for try await received in bench.agent.values(for: request) { values.append(received.value) }
    }
    #expect(error?.status == 500 && values == [7, 7])
  }

  @Test("Entries are removed for a request, an origin, a tag, or all, for every user")
  func clearing() async throws {
    let bench = CacheBench(answer: CacheBench.counting("max-age=60"))
    func fill() async throws {
      _ = try await bench.get("a?y=1&x=2", .standard.tagged("t"))
      _ = try await bench.get("a?y=1&x=2", headers: ["Authorization": "Bearer 1234567"])
      for path in ["b", "https://else.test/c", "https://api.test.evil/d"] { _ = try await bench.get(path) }
    }
    func stored() async throws -> [String] {
      var paths: [String] = []
      for path in ["a?x=2&y=1", "b", "https://else.test/c", "https://api.test.evil/d"]
      where try await bench.agent.cache.response(for: .get(path)) != nil { paths.append(path) }
      return paths
    }
    try await fill()
    #expect(try await stored().count == 4)
    try await bench.agent.cache.remove(for: .get("a?x=2&y=1"))
    #expect(try await stored() == ["b", "https://else.test/c", "https://api.test.evil/d"])
    #expect(
      try await bench.agent.cache.response(
        for: .get("a?x=2&y=1", headers: ["Authorization": "Bearer 1234567"])) == nil)
    await bench.agent.cache.remove(origin: try #require(URL(string: "https://api.test")))
    #expect(try await stored() == ["https://else.test/c", "https://api.test.evil/d"])
    try await fill()
    await bench.agent.cache.remove(tag: "t")
    #expect(try await stored() == ["b", "https://else.test/c", "https://api.test.evil/d"])
    await bench.agent.cache.removeAll()
    #expect(try await stored() == [])
  }

  @Test("A removal under a policy with ignored query items also removes the whole URL")
  func clearingIgnoredItems() async throws {
    let bench = CacheBench(answer: CacheBench.counting("max-age=60"))
    let ignoring = CachePolicy.standard.ignoring(queryItems: "time")
    for path in ["a?time=1", "a?time=2"] { _ = try await bench.get(path) }
    _ = try await bench.get("a?time=3", ignoring)
    try await bench.agent.cache.remove(for: OneOffRequest.get("a?time=1").with(\.cachePolicy, ignoring))
    var stored: [String] = []
    for path in ["a", "a?time=1", "a?time=2"]
    where try await bench.agent.cache.response(for: .get(path)) != nil { stored.append(path) }
    #expect(stored == ["a?time=2"])
  }

  @Test("Printed values, disk keys and reports contain no secret of the request")
  func secrets() async throws {
    let bench = CacheBench(answer: CacheBench.counting("max-age=60"))
    let headers: HTTPHeaders = ["Authorization": "Bearer canary-1234567"]
    let request = OneOffRequest<String>.get("a?token=canary-7654321", headers: headers, as: String.self)
    let received = try await bench.agent.response(for: request)
    let lookup = try #require(try await bench.agent.cache.response(for: request))
    var told = "\(received.report)\(lookup)\(bench.cache)\(try await bench.agent.explain(request))"
    dump(lookup, to: &told)
    dump(received.report.cache, to: &told)
    await bench.cache.removeAll { key, response in
      #expect(!key.partition.contains("canary") && !"\(key)\(response)".contains("canary"))
      return false
    }
    #expect(!told.contains("canary"))
  }
}
