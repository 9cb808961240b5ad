import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("The cache policies", .timeLimit(.minutes(5)))
struct CachePolicyTests {
  @Test("Nothing is cached without a cache, and the policy none has no verdict")
  func off() async throws {
    let bench = CacheBench(answer: CacheBench.counting("max-age=60"))
    #expect(try await bench.get("a", .none) == "1 uncached")
    #expect(try await bench.get("a", .none) == "2 uncached")
    let plain = RequestAgent(baseURL: "https://api.test", transport: bench.transport)
    for number in [3, 4] {
      let kept = CachePolicy.fixed(time: .seconds(9))
      let received = try await plain.response(for: .get("a", as: String.self).with(\.cachePolicy, kept))
      #expect(received.value == "\(number)" && received.report.cache == nil)
    }
    let settings = try await plain.explain(.get("a").with(\.cachePolicy, .reload)).settings
    #expect(settings.first { $0.name == "cache" }?.value == "reload, but the agent has no cache")
  }

  @Test("standard: a fresh response comes from the cache, and is then revalidated, with reported verdicts")
  func standard() async throws {
    let bench = CacheBench(answer: CacheBench.counting("max-age=60"))
    #expect(try await bench.verdict() == "from the network: nothing is stored; stored")
    await bench.advance(59)
    #expect(
      try await bench.verdict() == "from the cache, 59 s old: the stored response is fresh for 1 s more")
    await bench.advance(1)
    #expect(
      try await bench.verdict() == "from the network: the stored response has been stale for 0 s; stored")
    #expect(bench.count == 2)
  }

  @Test("A hit has its Age, and passes validators, filterResponse and decoding")
  func hit() async throws {
    struct Odd: ResponseValidator {
      func validate(_ response: HTTPResponse, context: RequestContext) throws {
        if response.headers["Age"] == "5" { throw RequestError(.validation, "it is five seconds old") }
      }
    }
    struct Numbered: Request {
      typealias Response = Int
      let path = "a"
      let validators: [any ResponseValidator] = [Odd()]
      let responseSerializer: any ResponseSerializer<Int> = .json()
      func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {
        response.body = Data("\(String(decoding: response.body, as: UTF8.self))7".utf8)
      }
    }
    let bench = CacheBench(answer: CacheBench.counting("max-age=60"))
    #expect(try await bench.agent.send(Numbered()) == 17)
    #expect(try await bench.agent.send(Numbered()) == 17)
    await bench.advance(5)
    let error = try await #require(throws: RequestError.self) { try await bench.agent.send(Numbered()) }
    #expect(error.kind == .validation && error.report?.cache?.source == .cache)
    // A cached success that the validators refused is requested again.
    #expect(try await bench.agent.send(Numbered()) == 27)
    await bench.advance(6)
    #expect(try await bench.agent.response(for: Numbered()).response.headers["Age"] == "6")
    #expect(bench.count == 2)
  }

  @Test("Under cacheOnly nothing is sent: no POST, no download, no token, and nothing without a cache")
  func nothingSent() async throws {
    let bench = CacheBench {
      $0.authenticator = BearerAuthenticator(nil) { _, context in
        BearerAuthenticator.Credential(accessToken: try await context.send(RenewToken()))
      }
    } answer: {
      CacheBench.counting("max-age=60")($0)
    }
    var plain = AgentConfiguration()
    plain.cachePolicy = .cacheOnly
    let bare = RequestAgent(
      baseURL: "https://api.test", transport: bench.transport, configuration: plain)
    func reason(_ send: () async throws -> Void) async throws -> String {
      let error = try await #require(throws: RequestError.self) { try await send() }
      #expect(error.kind == .notCached)
      return error.reason.replacing(
        "the cache has no answer, and the cache policy sends no request: ", with: "")
    }
    let agent = bench.agent
    #expect(
      try await reason { try await agent.send(.post("a").with(\.cachePolicy, .cacheOnly)) }
        == "the cache does not answer POST requests")
    #expect(
      try await reason { try await agent.send(.get("a").with(\.cachePolicy, .cacheOnly)) }
        == "nothing is stored")
    let place = FileManager.default.temporaryDirectory.appending(path: "nothing-\(UUID())")
    #expect(
      try await reason { _ = try await agent.download(.get("a").with(\.cachePolicy, .cacheOnly), to: place) }
        == "the cache does not answer downloads")
    #expect(
      try await reason { try await bare.send(.get("a")) } == "nothing is stored")
    #expect(
      try await reason {
        try await RequestAgent(transport: bench.transport).send(
          .get("https://h.test/").with(\.cachePolicy, .cacheOnly))
      }
        == "nothing is stored")
    let values = agent.values(for: .get("a", as: String.self).with(\.cachePolicy, .cacheOnly))
    #expect(try await reason { for try await _ in values {} } == "nothing is stored")
    #expect(bench.count == 0)
  }

  @Test("A mode instead of a policy keeps the storage settings: fixed time, items, methods and tags")
  func completed() async throws {
    let own = CachePolicy.fixed(time: .seconds(300), version: 2).alsoCaching(.post).tagged("t")
    for mode in [
      CachePolicy.reload, .cacheElseNetwork, .cacheOnly, .networkElseCache, .staleWhileRevalidate,
    ] {
      #expect(mode.completed(by: own) == own.with(mode.mode))
      #expect(mode.tagged("u").completed(by: own) == mode.tagged("u"))
    }
    #expect(
      CachePolicy.standard.completed(by: own) == .standard && CachePolicy.none.completed(by: own) == .none)
    #expect(CachePolicy.inherited.tagged("u").completed(by: own) == own.tagged("u"))

    let bench = CacheBench(policy: .fixed(time: .seconds(300)), answer: CacheBench.counting("no-store"))
    #expect(try await bench.get() == "1 network")
    #expect(try await bench.get("a", .reload) == "2 network")
    #expect(try await bench.get() == "2 cache")
    await bench.advance(300)
    #expect(try await bench.get("a", .cacheElseNetwork) == "2 stale")
    #expect(try await bench.agent.cache.response(for: .get("a"))?.isUsable == false)
    #expect(try await bench.get() == "3 network")
  }

  @Test("A fixed response is served offline at any age")
  func fixedOffline() async throws {
    let bench = CacheBench(policy: .fixed(time: .seconds(10))) { request in
      guard request.number == 1 else { throw TransportError(.connectionFailed, "no network") }
      return .text("1")
    }
    #expect(try await bench.get() == "1 network")
    await bench.advance(60)
    #expect(
      try await bench.verdict("a", .networkElseCache) == "from the cache, stale, 60 s old: no network")
  }

  @Test("reload always requests, and stores")
  func reload() async throws {
    let bench = CacheBench(answer: CacheBench.counting("max-age=60"))
    #expect(try await bench.get() == "1 network")
    #expect(try await bench.get("a", .reload) == "2 network")
    #expect(try await bench.get() == "2 cache")
  }

  @Test("cacheElseNetwork serves a stored response of any age and directive")
  func cacheElseNetwork() async throws {
    let bench = CacheBench(answer: CacheBench.counting("max-age=1, must-revalidate"))
    #expect(try await bench.get("a", .cacheElseNetwork) == "1 network")
    await bench.advance(100_000)
    #expect(try await bench.get("a", .cacheElseNetwork) == "1 stale")
    #expect(try await bench.get("b", .cacheElseNetwork) == "2 network")
  }

  @Test("cacheOnly sends nothing, and reports misses")
  func cacheOnly() async throws {
    let bench = CacheBench(answer: CacheBench.counting("max-age=1"))
    let error = try await #require(throws: RequestError.self) { try await bench.get("a", .cacheOnly) }
    #expect(error.kind == .notCached && bench.count == 0)
    #expect(
      error.reason == "the cache has no answer, and the cache policy sends no request: nothing is stored")
    _ = try await bench.get()
    await bench.advance(50)
    #expect(try await bench.get("a", .cacheOnly) == "1 stale")
  }

  @Test("networkElseCache requests, and serves the stored response if the network or the server fails")
  func networkElseCache() async throws {
    let failure = Locked<MockAnswer?>(nil)
    let bench = CacheBench(policy: .networkElseCache) { request in
      failure.withLock { $0 } ?? CacheBench.counting("max-age=60")(request)
    }
    #expect(try await bench.get() == "1 network")
    #expect(try await bench.get() == "2 network")
    failure.withLock { $0 = .failure(TransportError(.connectionFailed, "the connection was refused")) }
    #expect(try await bench.verdict() == "from the cache, stale, 0 s old: the connection was refused")
    await bench.advance(10_000)
    failure.withLock { $0 = .status(503) }
    #expect(
      try await bench.verdict()
        == "from the cache, stale, 10000 s old: the server answered 503 Service Unavailable")
    failure.withLock { $0 = .status(404) }
    let error = try await #require(throws: RequestError.self) { try await bench.get() }
    #expect(error.status == 404)
    failure.withLock { $0 = .failure(TransportError(.connectionFailed, "the connection was refused")) }
    let none = try await #require(throws: RequestError.self) { try await bench.get("b") }
    #expect(none.kind == .connectionFailed)
  }

  @Test(
    "A response without directives is stored by every mode that serves stored responses, and not by standard",
    arguments: [CachePolicy.networkElseCache, .cacheElseNetwork, .staleWhileRevalidate, .reload, .standard])
  func silentService(_ policy: CachePolicy) async throws {
    let failure = Locked<MockAnswer?>(nil)
    let bench = CacheBench(policy: policy) { failure.withLock { $0 } ?? .text("\($0.number)") }
    #expect(try await bench.get() == "1 network")
    failure.withLock { $0 = .failure(TransportError(.connectionFailed, "the connection was refused")) }
    if policy == .standard {
      let error = try await #require(throws: RequestError.self) { try await bench.get("a", .cacheOnly) }
      #expect(error.kind == .notCached)
    } else {
      #expect(try await bench.get("a", .networkElseCache) == "1 stale")
      #expect(try await bench.get("a", .cacheOnly) == "1 stale")
    }
  }

  private struct Rates: Request {
    typealias Response = [String: Int]
    let path = "rates"
    var method = HTTPMethod.get
    var validators: [any ResponseValidator] { [.status(200..<300), .contentType("application/json")] }
  }

  /// Sign-in pages, the number of requests of a dispatch, and the refusal.
  private static let signIns: [(MockAnswer, Int, RequestError.Kind, String)] = [
    (
      .data(Data("<html>".utf8), contentType: "text/html"), 1, .contentType,
      "not stored: the response was rejected at validate"
    ),
    (
      .data(Data("<html>".utf8), contentType: "text/html").header("Cache-Control", "no-store"), 1,
      .contentType, "not stored: the response was rejected at validate"
    ),
    (
      .data(Data("<html>".utf8), contentType: "application/json"), 1, .decoding,
      "not stored: the response was rejected at decode"
    ),
    (
      .status(301).header("Location", "https://login.test/"), 2, .contentType,
      "not stored: the response was rejected at validate"
    ),
  ]

  @Test(
    "networkElseCache keeps the stored response if a success is refused, such as a network's sign-in page",
    arguments: [true, false], 0..<4)
  func refusedSuccess(inMemory: Bool, _ index: Int) async throws {
    let (signIn, requests, kind, storing) = Self.signIns[index]
    let folder = CacheStoreTests.Folder()
    let state = Locked("online")
    let bench = CacheBench(
      inMemory ? MemoryCache() : try DiskCache(directory: folder.url), policy: .networkElseCache
    ) {
      request in
      switch state.withLock({ $0 }) {
      case "sign-in" where request.url?.host == "login.test":
        return .data(Data("<html>".utf8), contentType: "text/html")
      case "sign-in": return signIn
      case "offline": throw TransportError(.connectionFailed, "no network")
      default: return .json(#"{"eur":1}"#).header("ETag", "\"1\"")
      }
    }
    #expect(try await bench.agent.response(for: Rates()).report.cache?.storing == "stored")
    state.withLock { $0 = "sign-in" }
    for round in 1...2 {
      let error = try await #require(throws: RequestError.self) { try await bench.agent.send(Rates()) }
      #expect(error.kind == kind && error.report?.cache?.storing == storing)
      #expect(bench.count == 1 + round * requests)
    }
    state.withLock { $0 = "offline" }
    await bench.advance(60)
    let received = try await bench.agent.response(for: Rates())
    #expect(received.value == ["eur": 1])
    #expect(received.report.cache?.description == "from the cache, stale, 60 s old: no network")
  }

  @Test("networkElseCache keeps the stored response if the head of a HEAD request is refused")
  func refusedHead() async throws {
    let state = Locked("online")
    let bench = CacheBench(policy: .networkElseCache) { _ in
      switch state.withLock({ $0 }) {
      case "sign-in": return .data(Data("<html>".utf8), contentType: "text/html").header("ETag", "\"2\"")
      case "offline": throw TransportError(.connectionFailed, "no network")
      default: return .json(#"{"eur":1}"#).header("ETag", "\"1\"")
      }
    }
    _ = try await bench.agent.send(Rates())
    state.withLock { $0 = "sign-in" }
    let error = try await #require(throws: RequestError.self) {
      try await bench.agent.send(Rates(method: .head))
    }
    #expect(error.kind == .decoding)
    state.withLock { $0 = "offline" }
    #expect(try await bench.agent.send(Rates()) == ["eur": 1])
  }

  @Test("networkElseCache stores an accepted success in place of the stored response, also from a stream")
  func acceptedSuccess() async throws {
    let failure = Locked<MockAnswer?>(nil)
    let bench = CacheBench(policy: .networkElseCache) { failure.withLock { $0 } ?? .text("\($0.number)") }
    #expect(try await bench.verdict() == "from the network: nothing is stored; stored")
    let stream = try await bench.agent.stream(.get("a", as: String.self))
    var bytes = Data()
    for try await chunk in stream.body { bytes.append(chunk) }
    #expect(bytes == Data("2".utf8))
    failure.withLock { $0 = .failure(TransportError(.connectionFailed, "no network")) }
    #expect(try await bench.get() == "2 stale")
  }

  @Test("networkElseCache stores no failure, and a failure leaves the stored response in place")
  func keptByFailure() async throws {
    let answer = Locked(MockAnswer.text("rates"))
    let bench = CacheBench(policy: .networkElseCache) { _ in answer.withLock { $0 } }
    #expect(try await bench.agent.send(.get("a", as: String.self)) == "rates")
    for status in [404, 410, 400, 500] {
      answer.withLock { $0 = .status(.init(status)) }
      if status == 500 {
        #expect(try await bench.agent.send(.get("a", as: String.self)) == "rates")
      } else {
        let error = try await #require(throws: RequestError.self) {
          try await bench.agent.send(.get("a", as: String.self))
        }
        #expect(error.status?.code == status)
        #expect(error.report?.cache?.storing == "not stored: network else cache stores no failure")
      }
    }
    answer.withLock { $0 = .failure(TransportError(.connectionFailed, "no network")) }
    #expect(try await bench.agent.send(.get("a", as: String.self)) == "rates")
  }

  @Test("networkElseCache stores the body of a stream that is read to its end")
  func acceptedStream() async throws {
    let answer = Locked(MockAnswer.text("rates"))
    let bench = CacheBench(policy: .networkElseCache) { _ in answer.withLock { $0 } }
    let stream = try await bench.agent.stream(.get("a"))
    var bytes = Data()
    for try await chunk in stream.body { bytes += chunk }
    #expect(bytes == Data("rates".utf8))
    answer.withLock { $0 = .failure(TransportError(.connectionFailed, "no network")) }
    #expect(try await bench.agent.send(.get("a", as: String.self)) == "rates")
  }

  @Test("networkElseCache replaces no failure by a stored failure")
  func storedFailure() async throws {
    let answer = Locked(MockAnswer.status(404))
    let bench = CacheBench(policy: .networkElseCache) { _ in answer.withLock { $0 } }
    let gone = try await #require(throws: RequestError.self) { try await bench.get() }
    #expect(gone.status == 404)
    #expect(gone.report?.cache?.storing == "not stored: network else cache stores no failure")
    answer.withLock { $0 = .failure(TransportError(.connectionFailed, "no network")) }
    let error = try await #require(throws: RequestError.self) { try await bench.get() }
    #expect(error.kind == .connectionFailed && error.reason == "no network")
    answer.withLock { $0 = .status(503) }
    let failed = try await #require(throws: RequestError.self) { try await bench.get() }
    #expect(failed.status == 503)
  }

  @Test("networkElseCache does not request fresh immutable responses")
  func immutable() async throws {
    let bench = CacheBench(policy: .networkElseCache, answer: CacheBench.counting("max-age=60, immutable"))
    #expect(try await bench.get() == "1 network")
    #expect(try await bench.get() == "1 cache")
    await bench.advance(60)
    #expect(try await bench.get() == "2 network")
  }

  @Test("staleWhileRevalidate serves the stored response, and refreshes once for all requests")
  func staleWhileRevalidate() async throws {
    let bench = CacheBench(policy: .staleWhileRevalidate, answer: CacheBench.counting("max-age=10"))
    #expect(try await bench.get() == "1 network")
    #expect(try await bench.get() == "1 cache")
    await bench.advance(1_000)
    #expect(try await bench.get() == "1 stale")
    await bench.agent.cacheRefreshes.wait()
    #expect(bench.count == 2)
    #expect(try await bench.get() == "2 cache")
  }

  // MARK: A fixed time

  @Test("fixed stores for its time regardless of the server, and no longer (A6.1)")
  func fixed() async throws {
    let bench = CacheBench(answer: CacheBench.counting("no-store"))
    let policy = CachePolicy.fixed(time: .seconds(5))
    #expect(try await bench.verdict("a", policy) == "from the network: nothing is stored; stored")
    await bench.advance(4)
    #expect(
      try await bench.verdict("a", policy)
        == "from the cache, 4 s old: the stored response is kept for 1 s more")
    await bench.advance(1)
    #expect(
      try await bench.verdict("a", policy)
        == "from the network: the stored response is older than its fixed lifetime of 5 s; stored")
    #expect(try await bench.get("a", .fixed(time: .zero)) == "3 network")
    // Without the `fixed` policy, entries of that policy are not used, because RFC 9111 does not allow their
    // storage.
    #expect(try await bench.get("a") == "4 network")
  }

  @Test("Another version or scope is a reported miss, and clears nothing (A6.2, T-CA4, T-CA8)")
  func versions() async throws {
    let bench = CacheBench(answer: CacheBench.counting("no-store"))
    func policy(_ version: Int, _ scope: String?) -> CachePolicy {
      .fixed(time: .seconds(60), version: version, scope: scope)
    }
    #expect(try await bench.get("a", policy(1, "ann")) == "1 network")
    #expect(
      try await bench.verdict("a", policy(2, "ann"))
        == "from the network: the stored response has another version; stored")
    #expect(
      try await bench.verdict("a", policy(1, "bob"))
        == "from the network: the stored response has another scope; stored")
    #expect(
      try await bench.verdict("a", policy(1, nil))
        == "from the network: the stored response has another scope; stored")
    #expect(try await bench.get("a", policy(1, "ann")) == "1 cache")
    #expect(try await bench.get("a", policy(2, "ann")) == "2 cache")
    #expect(try await bench.get("a", policy(1, "bob")) == "3 cache")
    #expect(try await bench.get("a", policy(1, nil)) == "4 cache")
  }

  @Test("A clock set back makes stored responses invalid, fixed or not (A6.1)")
  func backwards() async throws {
    let cache = MemoryCache()
    let policies: [CachePolicy] = [.standard, .fixed(time: .seconds(60))]
    for policy in policies {
      await cache.removeAll { _, _ in true }
      let later = CacheBench(cache, policy: policy, answer: CacheBench.counting("max-age=60"))
      await later.advance(10)
      #expect(try await later.get() == "1 network")
      let earlier = CacheBench(cache, policy: policy, answer: CacheBench.counting("max-age=60"))
      #expect(try await earlier.verdict() == "from the network: the clock went back; stored")
    }
  }

  @Test("A refused or undecodable response is not stored for a fixed time, nor served again")
  func poisoned() async throws {
    let bench = CacheBench { request in request.number == 1 ? .text("no number") : .text("7") }
    struct Number: Request {
      typealias Response = Int
      let path = "a"
      let cachePolicy = CachePolicy.fixed(time: .seconds(60))
      let retryPolicy = RetryPolicy.none
    }
    let error = try await #require(throws: RequestError.self) { try await bench.agent.send(Number()) }
    #expect(error.kind == .decoding)
    #expect(error.report?.cache?.storing == "removed: the response was rejected at decode")
    #expect(try await bench.agent.send(Number()) == 7)
    #expect(try await bench.agent.send(Number()) == 7)
    #expect(bench.count == 2)
  }

  // MARK: Methods and keys

  @Test("Only GET and HEAD are cached, unless the request says otherwise (T-CA7)")
  func methods() async throws {
    let bench = CacheBench(answer: CacheBench.counting("max-age=60"))
    struct Search: Request {
      typealias Response = String
      let path = "search"
      let method = HTTPMethod.post
      var words: String
      var caches = false
      var body: RequestBody { .text(words) }
      var cachePolicy: CachePolicy {
        caches ? .fixed(time: .seconds(9)).alsoCaching(.post) : .fixed(time: .seconds(9))
      }
    }
    for number in 1...2 { #expect(try await bench.agent.send(Search(words: "x")) == "\(number)") }
    #expect(try await bench.agent.send(Search(words: "x", caches: true)) == "3")
    #expect(try await bench.agent.send(Search(words: "x", caches: true)) == "3")
    #expect(try await bench.agent.send(Search(words: "y", caches: true)) == "4")
    #expect(try await bench.get("search") == "5 network")
  }

  @Test("Neither the order of arguments nor ignored arguments make a difference (A6.3, T-CA1)")
  func keys() async throws {
    let bench = CacheBench(answer: CacheBench.counting("max-age=60"))
    let policy = CachePolicy.standard.ignoring(queryItems: "time")
    #expect(try await bench.get("a?x=1&y=2&time=3", policy) == "1 network")
    #expect(try await bench.get("a?y=2&time=9&x=1", policy) == "1 cache")
    #expect(try await bench.get("a?y=2&x=1") == "1 cache")
    // Items with the same name keep their order. Names are compared after decoding.
    #expect(try await bench.get("b?x=1&x=2") == "2 network")
    #expect(try await bench.get("b?x=2&x=1") == "3 network")
    #expect(try await bench.get("https://API.test:443/a?x=1&y=2#part") == "1 cache")
  }

  @Test("A download is neither served from the cache nor stored (A6.9)")
  func downloads() async throws {
    let bench = CacheBench(policy: .fixed(time: .seconds(60)), answer: CacheBench.counting("max-age=60"))
    _ = try await bench.get()
    let file = FileManager.default.temporaryDirectory.appending(path: "errand-cache-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try await bench.agent.download(.get("a"), to: file)
    try await bench.agent.download(.get("b"), to: file)
    #expect(try String(contentsOf: file, encoding: .utf8) == "3")
    #expect(try await bench.get("b") == "4 network")
  }

  @Test("A stream is served from the cache, and stored if read to its end")
  func streams() async throws {
    let bench = CacheBench(answer: CacheBench.counting("max-age=60"))
    do { _ = try await bench.agent.stream(.get("a")) }
    #expect(try await bench.get() == "2 network")
    let stream = try await bench.agent.stream(.get("a"))
    var text = ""
    for try await chunk in stream.body { text += String(decoding: chunk, as: UTF8.self) }
    #expect(text == "2" && bench.count == 2)
  }

  @Test("A policy describes itself")
  func words() {
    let policies: [CachePolicy] = [
      .inherited, .none, .standard, .reload, .cacheElseNetwork, .cacheOnly, .networkElseCache,
      .staleWhileRevalidate,
      .fixed(time: .milliseconds(1_500), version: 3, scope: "secret"),
      .standard.ignoring(queryItems: "b", "a").alsoCaching(.post).tagged("x"),
    ]
    #expect(
      policies.map(\.description) == [
        "inherited", "none", "standard", "reload", "cache else network", "cache only", "network else cache",
        "stale while revalidate", "fixed for 1.5 s, version 3, of one scope",
        "standard, ignoring a, b, also POST",
      ])
  }
}
