import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Findings of attacks on the cache", .timeLimit(.minutes(5)))
struct CacheAttackTests {
  private static func part(_ text: String, _ range: String, _ more: HTTPHeaders = [:]) -> MockAnswer {
    var answer = MockAnswer.text(text, status: 206).header("Content-Range", "bytes \(range)")
      .header("ETag", "\"a\"").header("Cache-Control", "max-age=60")
    for field in more.fields { answer = answer.header(field.name, field.value) }
    return answer
  }

  private func get(
    _ bench: CacheBench, _ range: String? = nil, _ policy: CachePolicy = .inherited
  ) async throws -> String {
    let request = OneOffRequest<HTTPResponse>(
      "a", headers: range.map { ["Range": $0] } ?? [:], response: .response)
    let response = try await bench.agent.send(request.with(\.cachePolicy, policy))
    return "\(response.status.code) \(String(decoding: response.body, as: UTF8.self))"
  }

  @Test("A partial response is never served as the whole, under any policy")
  func partForWhole() async throws {
    for policy in [CachePolicy.cacheElseNetwork, .staleWhileRevalidate, .standard] {
      let bench = CacheBench { request in
        switch request.headers["Range"] {
        case "bytes=0-3": Self.part("0123", "0-3/10")
        case "bytes=4-": Self.part("456789", "4-9/10")
        default: .status(500)
        }
      }
      #expect(try await get(bench, "bytes=0-3") == "206 0123")
      #expect(try await bench.agent.cache.response(for: .get("a"))?.isUsable == false)
      await #expect(throws: RequestError.self) { try await get(bench, nil, .cacheOnly) }
      #expect(try await get(bench, nil, policy) == "200 0123456789")
      // A partial response does not replace a complete entry.
      #expect(try await get(bench, "bytes=0-3", .reload) == "206 0123")
      #expect(try await get(bench, nil, .cacheOnly) == "200 0123456789")
    }
  }

  @Test("The body of a range has the indices of any body")
  func slice() async throws {
    let bench = CacheBench { _ in .text("0123456789").header("Cache-Control", "max-age=60") }
    #expect(try await get(bench) == "200 0123456789")
    let request = OneOffRequest<HTTPResponse>("a", headers: ["Range": "bytes=4-6"], response: .response)
    let body = try await bench.agent.send(request).body
    #expect(body.startIndex == 0 && body[0] == UInt8(ascii: "4") && bench.count == 1)
    #expect(try CachedBody(Data("abc".utf8).dropFirst()).data().startIndex == 0)
  }

  @Test(
    "A remainder that is too short, coded or not storable does not complete the stored part",
    arguments: [
      ("45", [:], "corruptBody"), ("456789", ["Content-Encoding": "br"], "asked again"),
      ("456789", ["Cache-Control": "no-store"], "given"),
    ] as [(String, HTTPHeaders, String)])
  func rest(_ row: (rest: String, more: HTTPHeaders, outcome: String)) async throws {
    let bench = CacheBench { request in
      switch request.headers["Range"] {
      case "bytes=0-3": return Self.part("0123", "0-3/10")
      case "bytes=4-":
        var answer = Self.part(row.rest, "4-9/10")
        answer.headers.merge(row.more)
        return answer
      default: return .text("whole").header("Cache-Control", "no-store")
      }
    }
    #expect(try await get(bench, "bytes=0-3") == "206 0123")
    switch row.outcome {
    case "corruptBody":
      let error = try await #require(throws: RequestError.self) { try await get(bench) }
      #expect(error.reason == "the length of the rest of the body differs from the Content-Range")
    case "given": #expect(try await get(bench) == "200 0123456789")
    default: #expect(try await get(bench) == "200 whole")
    }
    let stored = try await bench.agent.cache.response(for: .get("a"))
    #expect(stored?.isUsable != true)
  }

  @Test("Fields that identify a user are in no variant and no file")
  func varyingSecrets() async throws {
    let folder = CacheStoreTests.Folder()
    let cache = try DiskCache(directory: folder.url)
    let bench = CacheBench(
      cache,
      answer: CacheBench.counting("max-age=60", ["Vary": "Authorization, Cookie, X-Session, Accept-Language"])
    )
    let secret: HTTPHeaders = [
      "Authorization": "Bearer S3CRET", "Cookie": "sid=S3CRET", "X-Session": "S3CRET",
      "Accept-Language": "de",
    ]
    #expect(try await bench.get("a", headers: secret) == "1 network")
    #expect(try await bench.get("a", headers: secret) == "1 cache")
    let file = folder.url.appending(path: try #require(folder.files.first))
    let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    #expect(!text.contains("S3CRET") && text.contains("\"de\""))
  }

  @Test("HEAD and 304 with a tag that the stored response lacks revalidate nothing")
  func newTag() async throws {
    let bench = CacheBench { request in
      if request.method == .head {
        return .status(200).header("ETag", "\"2\"").header("Cache-Control", "max-age=60")
      }
      return .text("\(request.number)").header("Cache-Control", "max-age=10")
    }
    #expect(try await bench.get() == "1 network")
    _ = try await bench.agent.response(
      for: OneOffRequest<HTTPResponse>("a", method: .head, response: .response).with(\.cachePolicy, .reload))
    #expect(try await bench.get() == "3 network")

    let dated = CacheBench { request in
      request.headers.contains("If-Modified-Since")
        ? .status(304).header("ETag", "\"2\"").header("Cache-Control", "max-age=60")
        : .text("\(request.number)").header("Cache-Control", "max-age=10")
          .header("Last-Modified", "Tue, 14 Nov 2023 00:00:00 GMT")
    }
    #expect(try await dated.get() == "1 network")
    await dated.advance(11)
    #expect(try await dated.get() == "3 network")

    let varied = CacheBench { request in
      request.headers.contains("If-None-Match")
        ? .status(304).header("ETag", "\"a\"").header("Vary", "X-Lang").header("Cache-Control", "max-age=60")
        : .text(request.headers["X-Lang"] ?? "-").header("ETag", "\"a\"").header(
          "Cache-Control", "max-age=10")
    }
    #expect(try await varied.get("a", headers: ["X-Lang": "en"]) == "en network")
    await varied.advance(11)
    #expect(
      try await varied.verdict("a", headers: ["X-Lang": "en"])
        == "from the network: the server has a newer response; stored")
  }

  @Test("A response is not stored if its URL is invalidated, or the cache cleared, during the transfer")
  func races() async throws {
    let (begun, gate) = (OneTime<Void>(), OneTime<Void>())
    let transport = FunctionTransport { request, number in
      guard request.method == .get else { return HTTPResponse() }
      if number == 1 {
        begun.set(())
        _ = try await gate.wait()
      }
      return HTTPResponse(headers: ["Cache-Control": "max-age=60"], body: Data("\(number)".utf8))
    }
    for isChange in [true, false] {
      var configuration = AgentConfiguration()
      configuration.cache = MemoryCache()
      let agent = RequestAgent(
        baseURL: "https://api.test", transport: transport, configuration: configuration)
      let handle = agent.start(.get("a", as: String.self))
      if isChange {
        _ = try await begun.wait()
        try await agent.send(.put("a"))
        gate.set(())
        _ = try await handle.value
        #expect(
          handle.report?.cache?.storing
            == "not stored: the response was removed from the cache during the transfer")
      } else {
        _ = try await handle.value
        await agent.cache.removeAll()
      }
      #expect(try await agent.cache.response(for: .get("a")) == nil)
    }
  }

  @Test("A retry, and a request with renewed credentials, do not get the stored failure")
  func retries() async throws {
    let bench = CacheBench { request in
      let answer = request.number < 3 ? MockAnswer.status(503) : .text("in")
      return answer.header("Cache-Control", "max-age=60")
    }
    let request = OneOffRequest<String>.get("a", as: String.self).with(
      \.retryPolicy, .upTo(3, backoff: .constant(.zero)))
    #expect(try await bench.agent.send(request) == "in")
    #expect(bench.count == 3)

    let signed = CacheBench {
      $0.authenticator = BearerAuthenticator(
        BearerAuthenticator.Credential(accessToken: "old", refreshToken: "r"), identity: "ann"
      ) { _, _ in BearerAuthenticator.Credential(accessToken: "new") }
    } answer: { request in
      let isNew = request.headers["Authorization"] == "Bearer new"
      return (isNew ? MockAnswer.text("in") : .status(401)).header("Cache-Control", "max-age=60")
    }
    #expect(try await signed.get() == "in network")
    #expect(try await signed.get() == "in cache")
    #expect(signed.count == 2)
  }

  @Test("Bodies, their types, and printed fields distinguish requests")
  func keys() async throws {
    func key(_ method: HTTPMethod, _ type: String, _ body: String) -> CacheKey? {
      let body: RequestBody = body.isEmpty ? .none : .data(Data(body.utf8), contentType: type)
      let http = HTTPRequest(
        url: URL(string: "https://api.test/a")!, method: method, headers: ["Content-Type": type], body: body)
      return CacheKey(http, policy: .standard, partition: "")
    }
    #expect(key(.get, "a/a", "ann") != key(.get, "a/a", "bob"))
    #expect(key(.post, "a/a", "x") != key(.post, "a/b", "x"))
    #expect(key(.get, "a/a", "") == key(.head, "a/a", ""))
    let policy = CachePolicy.standard.ignoring(queryItems: "ts")
    let urls = ["https://api.test/a", "https://api.test/a?ts=1"].compactMap { URL(string: $0) }
    #expect(Set(urls.map { CacheKey.canonical($0, ignoring: policy.ignoredItems) }) == ["https://api.test/a"])

    let open = CacheBench {
      $0.redaction = .none
    } answer: { request in
      .text(request.headers["X-Api-Key"] ?? "-").header("Cache-Control", "max-age=60")
    }
    #expect(try await open.get("a", headers: ["X-Api-Key": "ann"]) == "ann network")
    #expect(try await open.get("a", headers: ["X-Api-Key": "bob"]) == "bob network")
  }

  @Test(
    "An unsafe request removes entries with ignored query items, and a too large response removes the older"
  )
  func changes() async throws {
    let policy = CachePolicy.standard.ignoring(queryItems: "ts")
    let bench = CacheBench(policy: policy) { request in
      let size = request.headers["X-Size"].flatMap { Int($0) } ?? 1
      return .data(Data(count: size)).header("Cache-Control", "max-age=60")
    }
    _ = try await bench.get("a?ts=1")
    #expect(try await bench.agent.cache.response(for: .get("a?ts=2"))?.isUsable == true)
    try await bench.agent.send(.put("a?ts=1"))
    #expect(try await bench.agent.cache.response(for: .get("a?ts=2")) == nil)

    _ = try await bench.get("a")
    _ = try await bench.get("a", .reload, headers: ["X-Size": "3000000"])
    #expect(try await bench.agent.cache.response(for: .get("a")) == nil)
  }

  @Test("A refresh with status 410 removes the entry, and an endless refresh is stopped")
  func refreshes() async throws {
    let bench = CacheBench { request in
      request.number == 1
        ? .text("1").header("Cache-Control", "max-age=1") : .status(410).header("Cache-Control", "no-store")
    }
    #expect(try await bench.get("a", .staleWhileRevalidate) == "1 network")
    await bench.advance(2)
    #expect(try await bench.get("a", .staleWhileRevalidate) == "1 stale")
    await bench.agent.cacheRefreshes.wait()
    #expect(try await bench.agent.cache.response(for: .get("a")) == nil)

    let endless = CacheBench { request in
      guard request.number > 1 else { return .text("1").header("Cache-Control", "max-age=1") }
      return .chunks([Data("2".utf8), Data("3".utf8)], gap: .seconds(100_000))
    }
    _ = try await endless.get("a", .staleWhileRevalidate)
    await endless.advance(2)
    _ = try await endless.get("a", .staleWhileRevalidate)
    await until { endless.count == 2 }
    await endless.clock.waitForSleepers()
    await endless.advance(300)
    await endless.agent.cacheRefreshes.wait()
    #expect(endless.count == 2)
  }

  @Test("A deleted directory is created again, and a URL that is not a file URL is refused")
  func directories() async throws {
    let folder = CacheStoreTests.Folder()
    let bench = CacheBench(
      try DiskCache(directory: folder.url), answer: CacheBench.counting("max-age=60"))
    #expect(try await bench.get() == "1 network")
    try FileManager.default.removeItem(at: folder.url)
    #expect(try await bench.get() == "2 network")
    #expect(try await bench.get() == "2 cache")
    let error = try #require(throws: RequestError.self) {
      try DiskCache(directory: try #require(URL(string: "https://h.test/cache")))
    }
    #expect(error.kind == .file && error.reason == "the cache directory is not a file URL")
  }

  @Test("A file URL of another host is refused, and names no local directory")
  func foreignHost() throws {
    let folder = CacheStoreTests.Folder()
    let path = folder.url.path
    for host in ["nas", "127.0.0.1", "localhost.test"] {
      let error = try #require(throws: RequestError.self) {
        try ResponseCache.disk(directory: try #require(URL(string: "file://\(host)\(path)/new")))
      }
      #expect(error.kind == .file)
      #expect(
        error.reason
          == "the cache directory is on the host \(host): a file URL must have no host, or localhost")
    }
    #expect(!FileManager.default.fileExists(atPath: path + "/new"))
    for host in ["", "localhost", "LOCALHOST"] {
      _ = try ResponseCache.disk(directory: try #require(URL(string: "file://\(host)\(path)/own")))
    }
    #expect(FileManager.default.fileExists(atPath: path + "/own"))
  }

  @Test("A file in the place of the cache directory is named, and so is the reason for a missing directory")
  func noFolder() throws {
    let directory = TemporaryDirectory()
    let file = try directory.file("file", Data())
    defer { withExtendedLifetime(directory) {} }
    let error = try #require(throws: RequestError.self) { try ResponseCache.disk(directory: file) }
    #expect(error.reason == "the cache directory \(file.path) is not a directory")
    let below = file.appendingPathComponent("below")
    let other = try #require(throws: RequestError.self) { try ResponseCache.disk(directory: below) }
    #expect(other.reason.hasPrefix("the cache directory \(below.path) cannot be created: "))
    #expect(!other.reason.hasSuffix("."))
  }

  @Test("The identity of a private authenticator is the same in every process")
  func privateAuthenticator() throws {
    let http = HTTPRequest(url: try #require(URL(string: "https://h.test/")), method: .get)
    let signed = IdentifiedRequest(http, by: Hidden.self, identity: "ann")
    let name = CredentialPartition(http, signed: signed, redaction: .standard).name
    #expect(name == "ErrandTests.CacheAttackTests.Hidden " + CacheKey.digest([Data("ann".utf8)]))
  }

  private struct Hidden: Authenticator {
    func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {}
  }

  @Test("A POST response is not stored if the cache is cleared before its head arrives")
  func postRace() async throws {
    let (begun, gate) = (OneTime<Void>(), OneTime<Void>())
    let transport = FunctionTransport { _, _ in
      begun.set(())
      _ = try await gate.wait()
      return HTTPResponse(
        headers: ["Cache-Control": "max-age=60", "Content-Location": "/a"], body: Data("made".utf8))
    }
    var configuration = AgentConfiguration()
    configuration.cache = MemoryCache()
    let agent = RequestAgent(
      baseURL: "https://api.test", transport: transport, configuration: configuration)
    let handle = agent.start(.post("a", as: String.self))
    _ = try await begun.wait()
    await agent.cache.removeAll()
    gate.set(())
    #expect(try await handle.value == "made")
    #expect(
      handle.report?.cache?.storing
        == "not stored: the response was removed from the cache during the transfer")
    #expect(try await agent.cache.response(for: .get("a")) == nil)
  }
}
