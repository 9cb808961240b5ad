import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("RFC 9111 in the lifecycle", .timeLimit(.minutes(5)))
struct CacheRulesTests {
  @Test(
    "A condition of the request has no effect on a stored response that is no success",
    arguments: [404, 410, 500], ["If-None-Match", "If-Modified-Since"])
  func conditionOnFailure(_ status: Int, _ name: String) async throws {
    let bench = CacheBench { _ in
      .status(HTTPResponse.Status(status)).header("Cache-Control", "max-age=100").header("ETag", "\"a\"")
    }
    let value = name == "If-None-Match" ? "\"a\"" : "Fri, 31 Dec 2100 08:00:00 GMT"
    func ask(_ headers: HTTPHeaders) async throws -> Int {
      let request = OneOffRequest<HTTPResponse>("x", headers: headers, response: .response)
      return try await bench.agent.send(request.with(\.validators, [])).status.code
    }
    #expect(try await [ask([:]), ask([name: value])] == [status, status])
    #expect(bench.transport.requests.count == 1)
  }

  @Test("A 304 revalidates the stored response and updates its fields, and the transfer is reported")
  func revalidated() async throws {
    let bench = CacheBench { request in
      request.headers["If-None-Match"] == "\"a\""
        ? MockAnswer.status(304).header("ETag", "\"a\"").header("Cache-Control", "max-age=100").header(
          "X-News", "2")
        : .text("whole").header("ETag", "\"a\"").header("Cache-Control", "max-age=10").header("X-News", "1")
    }
    #expect(try await bench.get() == "whole network")
    await bench.advance(11)
    let received = try await bench.agent.response(for: .get("a", as: String.self))
    #expect(received.value == "whole" && received.response.status == 200)
    #expect(received.response.headers["X-News"] == "2" && received.response.headers["Age"] == nil)
    #expect(
      received.report.cache?.description
        == "from the cache, revalidated, 0 s old: the stored response has been stale for 1 s; updated")
    await bench.advance(50)
    #expect(try await bench.get() == "whole cache")
    #expect(bench.count == 2)
    #expect(bench.transport.requests.last?.headers["If-Modified-Since"] == nil)
  }

  @Test("A field that the stored response names in no-cache is not taken from a 304 without directives")
  func excludedField() async throws {
    let bench = CacheBench { request in
      request.headers.contains("If-None-Match")
        ? MockAnswer.status(304).header("X-Once", "2").header("X-Kept", "2")
        : .text("body").header("ETag", "\"a\"").header("X-Once", "1")
          .header("Cache-Control", "max-age=10, no-cache=\"x-once\"")
    }
    func fields() async throws -> [String?] {
      let headers = try await bench.agent.response(for: .get("a", as: String.self)).response.headers
      return [headers["X-Once"], headers["X-Kept"]]
    }
    _ = try await fields()
    await bench.advance(20)
    _ = try await fields()
    #expect(try await fields() == [nil, "2"])
    #expect(bench.transport.requests.count == 2)
  }

  @Test("A field that a 304 names in no-cache leaves the stored response")
  func unkeptField() async throws {
    let bench = CacheBench { request in
      request.headers.contains("If-None-Match")
        ? MockAnswer.status(304).header("Cache-Control", "max-age=100, no-cache=\"x-once\"")
          .header("X-Once", "2")
        : .text("whole").header("ETag", "\"a\"").header("Cache-Control", "max-age=10").header("X-Once", "1")
          .header("X-Kept", "1")
    }
    func fields() async throws -> String {
      let received = try await bench.agent.response(for: .get("a", as: String.self))
      let headers = received.response.headers
      return
        "\(received.report.cache?.source.rawValue ?? "") \(headers["X-Once"] ?? "-") \(headers["X-Kept"] ?? "-")"
    }
    #expect(try await fields() == "network 1 1")
    await bench.advance(11)
    #expect(try await fields() == "revalidated - 1")
    await bench.advance(11)
    #expect(try await fields() == "cache - 1")
    #expect(bench.count == 2)
  }

  @Test("A 304 for another representation is rejected, and the whole response is requested")
  func otherTag() async throws {
    let bench = CacheBench { request in
      request.headers.contains("If-None-Match")
        ? MockAnswer.status(304).header("ETag", "\"b\"")
        : .text("\(request.number)").header("ETag", "\"a\"").header("Cache-Control", "max-age=10")
    }
    _ = try await bench.get()
    await bench.advance(11)
    #expect(try await bench.verdict() == "from the network: the server has a newer response; stored")
    #expect(bench.count == 3)
  }

  @Test(
    "Each reason against storing is reported",
    arguments: [
      (["Cache-Control": "no-store"], "not stored: no-store"),
      (["Cache-Control": "max-age=5", "Vary": "*"], "not stored: Vary is *"),
      ([:], "not stored: the response is stale from the start and has no validator"),
      (
        ["Cache-Control": "max-age='60'"],
        "not stored: the response is stale from the start and has no validator"
      ),
      (["Cache-Control": "foo=\"max-age=60\", max-age=60"], "stored"),
      (
        ["Cache-Control": "s-maxage=60"],
        "not stored: the response is stale from the start and has no validator"
      ),
      (["Cache-Control": "private, max-age=60"], "stored"),
      (["Cache-Control": "no-store, must-understand, max-age=60"], "stored"),
      (["ETag": "\"x\""], "stored"),
    ] as [(HTTPHeaders, String)])
  func storing(_ headers: HTTPHeaders, _ expected: String) async throws {
    let bench = CacheBench { _ in
      headers.fields.reduce(MockAnswer.text("x")) { $0.header($1.name, $1.value) }
    }
    let received = try await bench.agent.response(for: .get("a", as: String.self))
    #expect(received.report.cache?.storing == expected)
  }

  @Test(
    "A response that is not stored has a reason in the report",
    arguments: [
      (.standard, 299, [:], "the status is not cacheable by default, and the server states no lifetime"),
      (
        .standard, 299, ["Cache-Control": "must-understand, max-age=60"],
        "the response says must-understand and has an unknown status"
      ),
      (.fixed(time: .zero), 200, [:], "the fixed lifetime is zero"),
    ] as [(CachePolicy, Int, HTTPHeaders, String)])
  func storing(_ row: (policy: CachePolicy, status: Int, headers: HTTPHeaders, reason: String)) async throws {
    let bench = CacheBench { _ in
      row.headers.fields.reduce(MockAnswer.text("x", status: HTTPResponse.Status(row.status))) {
        $0.header($1.name, $1.value)
      }
    }
    #expect(
      try await bench.verdict("a", row.policy)
        == "from the network: nothing is stored; not stored: \(row.reason)")
  }

  @Test(
    "The report has the reason for a request to the server, or for none",
    arguments: [
      (
        "max-age=60, immutable", .networkElseCache, 1, [:],
        "from the cache, 1 s old: the stored response is fresh and immutable"
      ),
      (
        "max-age=60", .cacheElseNetwork, 70, [:],
        "from the cache, stale, 70 s old: the policy accepts any stored response"
      ),
      (
        "max-age=60", .inherited, 70, ["Cache-Control": "max-stale"],
        "from the cache, stale, 70 s old: the request accepts a stale response"
      ),
      (
        "no-cache", .inherited, 1, [:],
        "from the network: the server requires a revalidation each time; stored"
      ),
      (
        "max-age=0", .inherited, 1, [:],
        "from the network: the stored response was stale from the start; stored"
      ),
      (
        "max-age=60", .inherited, 1, ["Cache-Control": "no-cache"],
        "from the network: the request requires a revalidation; stored"
      ),
      (
        "max-age=60", .inherited, 5, ["Cache-Control": "max-age=5"],
        "from the network: the stored response is older than the request's max-age; stored"
      ),
      (
        "max-age=60", .inherited, 10, ["Cache-Control": "min-fresh=51"],
        "from the network: the stored response is not fresh for the request's min-fresh; stored"
      ),
      (
        "max-age=60", .inherited, 70, ["Cache-Control": "no-store"],
        "from the network: the stored response has been stale for 10 s; not stored: the request says no-store"
      ),
    ] as [(String, CachePolicy, Int, HTTPHeaders, String)])
  func reasons(
    _ row: (control: String, policy: CachePolicy, seconds: Int, headers: HTTPHeaders, verdict: String)
  ) async throws {
    let bench = CacheBench(answer: CacheBench.counting(row.control, ["ETag": "\"a\""]))
    _ = try await bench.get()
    await bench.advance(row.seconds)
    #expect(try await bench.verdict("a", row.policy, headers: row.headers) == row.verdict)
  }

  @Test("A response that may not be stored removes the older entry")
  func superseded() async throws {
    let bench = CacheBench { request in
      request.number == 1
        ? CacheBench.counting("max-age=10")(request) : CacheBench.counting("no-store")(request)
    }
    _ = try await bench.get()
    await bench.advance(11)
    _ = try await bench.get()
    #expect(try await bench.verdict() == "from the network: nothing is stored; not stored: no-store")
  }

  @Test("The heuristic lifetime is a tenth of the time since the last change, at most a day")
  func heuristic() async throws {
    let changed = HTTPDate.format(CacheBench.epoch - 1_000)
    let bench = CacheBench { .text("\($0.number)").header("Last-Modified", changed) }
    _ = try await bench.get()
    await bench.advance(99)
    #expect(
      try await bench.verdict()
        == "from the cache, 99 s old: the stored response is fresh for 1 s more, estimated from its last change"
    )
    await bench.advance(1)
    _ = try await bench.get()
    #expect(bench.transport.requests.last?.headers["If-Modified-Since"] == changed)
    let old = CacheFreshness(
      status: 200, headers: ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"], ResponseDirectives([:]),
      requested: CacheBench.epoch, received: CacheBench.epoch)
    #expect(old.lifetime == 86_400)
  }

  @Test("Age, Date and the response delay count (section 4.2.3)")
  func age() {
    let (sent, came) = (CacheBench.epoch, CacheBench.epoch + 3)
    func initial(_ headers: HTTPHeaders) -> Double {
      CacheFreshness(status: 200, headers: headers, ResponseDirectives([:]), requested: sent, received: came)
        .initialAge
    }
    #expect(initial([:]) == 3)
    #expect(initial(["Age": "10"]) == 13)
    #expect(initial(["Age": "0, 10"]) == 3)
    #expect(initial(["Age": "old"]) == 3)
    #expect(initial(["Age": "-7"]) == 3)
    #expect(initial(["Age": "99999999999"]) == 2_147_483_651)
    #expect(initial(["Date": HTTPDate.format(CacheBench.epoch - 57)]) == 60)
    #expect(initial(["Date": HTTPDate.format(CacheBench.epoch + 500)]) == 3)
    #expect(initial(["Date": "yesterday"]) == 3)
  }

  @Test(
    "Expires is relative to Date, and an invalid date means the past",
    arguments: [
      ("Tue, 14 Nov 2023 22:14:20 GMT", 60), ("tUE, 14 nOV 2023 22:14:20 gmt", 60),
      ("Tuesday, 14-Nov-23 22:14:20 GMT", 60), ("Tue Nov 14 22:14:20 2023", 60), ("0", 0), ("-1", 0),
      ("Tue, 14 Nov 23 22:14:20 GMT", 0), ("Tue 14 Nov 2023 22:14:20 GMT", 0),
      ("Tue, 14  Nov 2023 22:14:20 GMT", 0),
      ("Tue, 14-Nov-2023 22:14:20 GMT", 0), ("Tue, 14 Nov 2023 22:14:20 UTC", 0),
      ("Tue, 14 Nov 2023 9:14:20 GMT", 0),
      ("Tue, 31 Nov 2023 22:14:20 GMT", 0),
    ] as [(String, Double)])
  func expires(_ text: String, _ lifetime: Double) {
    let date = HTTPDate.format(CacheBench.epoch)
    let freshness = CacheFreshness(
      status: 200, headers: ["Expires": text, "Date": date], ResponseDirectives([:]),
      requested: CacheBench.epoch,
      received: CacheBench.epoch)
    #expect(freshness.lifetime == lifetime && freshness.isExplicit)
  }

  @Test("Directives are parsed by the grammar")
  func directives() {
    let fields: HTTPHeaders = [
      "cache-control": " MAX-Age=0060 ,private=\"a, b\\\"c\", ,x",
      "Cache-Control": "no-cache=\"Set-Cookie\",y=",
    ]
    let control = CacheControl(fields)
    #expect(control.directives.map(\.name) == ["max-age", "private", "x", "no-cache", "y"])
    #expect(control.directives.map(\.value) == ["0060", "a, b\"c", nil, "Set-Cookie", ""])
    #expect(control.seconds("max-age") == 60 && control.seconds("y") == 0 && control.seconds("z") == nil)
    // An unclosed quote, a blank or a semicolon hides no directive.
    #expect(
      CacheControl(["Cache-Control": "a=\"unended, no-store ;x, no-cache;y"]).directives.map(\.name)
        == ["a", "no-store", "no-cache"])
    #expect(
      CacheControl(["Cache-Control": "no-store\t, no-cache\t=x"]).directives.map(\.name) == [
        "no-store", "no-cache",
      ])
    #expect(ResponseDirectives(["Cache-Control": "no-cache=\"\""]).noCache)
    #expect(ResponseDirectives(["Cache-Control": "no-cache="]).noCache)
    for broken in ["=", ",", "=,=\"", "\"", "a=\"\\"] { _ = CacheControl(["Cache-Control": broken]) }
    for (text, seconds) in [
      ("1", 1), ("99999999999", 2_147_483_648), ("1.5", nil), ("-1", nil), ("", nil), ("١", nil),
    ] as [(String, Double?)] {
      #expect(CacheControl.seconds(of: text) == seconds)
    }
  }

  @Test(
    "Request directives are followed",
    arguments: [
      ("max-age=5", 4, "1 cache"), ("max-age=5", 5, "2 network"), ("no-cache", 1, "2 network"),
      ("min-fresh=50", 10, "1 cache"), ("min-fresh=51", 10, "2 network"), ("max-stale", 9_999, "1 stale"),
      ("max-stale=10", 70, "1 stale"), ("max-stale=9", 70, "2 network"), ("no-store", 1, "1 cache"),
    ] as [(String, Int, String)])
  func asked(_ control: String, _ seconds: Int, _ expected: String) async throws {
    let bench = CacheBench(answer: CacheBench.counting("max-age=60"))
    _ = try await bench.get()
    await bench.advance(seconds)
    #expect(try await bench.get("a", headers: ["Cache-Control": control]) == expected)
  }

  @Test("Pragma counts without Cache-Control")
  func pragma() async throws {
    let bench = CacheBench(answer: CacheBench.counting("max-age=60"))
    _ = try await bench.get()
    #expect(try await bench.get("a", headers: ["Pragma": "no-cache"]) == "2 network")
    #expect(try await bench.get("a", headers: ["Pragma": "no-cache", "Cache-Control": "x"]) == "2 cache")
  }

  @Test("only-if-cached gives 504 without sending anything")
  func onlyIfCached() async throws {
    let bench = CacheBench(answer: CacheBench.counting("max-age=60"))
    let headers: HTTPHeaders = ["Cache-Control": "only-if-cached"]
    let error = try await #require(throws: RequestError.self) { try await bench.get("a", headers: headers) }
    #expect(error.status == 504 && bench.count == 0)
    _ = try await bench.get()
    #expect(try await bench.get("a", headers: headers) == "1 cache")
  }

  @Test("must-revalidate beats max-stale, stale-if-error and stale-while-revalidate")
  func mustRevalidate() async throws {
    let bench = CacheBench { request in
      request.number == 1
        ? CacheBench.counting("max-age=1, must-revalidate, stale-if-error=99, stale-while-revalidate=99")(
          request)
        : .status(503)
    }
    _ = try await bench.get()
    await bench.advance(2)
    let error = try await #require(throws: RequestError.self) {
      try await bench.get("a", headers: ["Cache-Control": "max-stale, stale-if-error=99"])
    }
    #expect(error.status == 503)
  }

  @Test("stale-if-error replaces a failure of network or server within its time (RFC 5861)")
  func staleIfError() async throws {
    let answer = Locked(MockAnswer.failure(TransportError(.timedOut, "no answer came")))
    let bench = CacheBench { request in
      request.number == 1
        ? CacheBench.counting("max-age=1, stale-if-error=10")(request) : answer.withLock { $0 }
    }
    _ = try await bench.get()
    await bench.advance(11)
    #expect(try await bench.verdict() == "from the cache, stale, 11 s old: stale-if-error: no answer came")
    answer.withLock { $0 = .status(502) }
    #expect(
      try await bench.verdict()
        == "from the cache, stale, 11 s old: stale-if-error: the server answered 502 Bad Gateway")
    await bench.advance(1)
    let error = try await #require(throws: RequestError.self) { try await bench.get() }
    #expect(error.status == 502)
  }

  @Test("stale-while-revalidate serves the stale response and refreshes within its time (RFC 5861)")
  func staleWhileRevalidate() async throws {
    let bench = CacheBench(answer: CacheBench.counting("max-age=1, stale-while-revalidate=10"))
    _ = try await bench.get()
    await bench.advance(11)
    #expect(try await bench.verdict() == "from the cache, stale, 11 s old: stale-while-revalidate")
    await bench.agent.cacheRefreshes.wait()
    #expect(try await bench.get() == "2 cache")
    await bench.advance(12)
    #expect(try await bench.get() == "3 network")
  }

  @Test("Vary distinguishes responses regardless of blanks, and preference fields regardless of order")
  func vary() async throws {
    let bench = CacheBench(answer: CacheBench.counting("max-age=60", ["Vary": "Accept-Language, X-Mode"]))
    let english: HTTPHeaders = ["Accept-Language": "en, de", "X-Mode": "a,b"]
    #expect(try await bench.get("a", headers: english) == "1 network")
    #expect(try await bench.get("a", headers: ["Accept-Language": "DE ,en", "X-Mode": "a , b"]) == "1 cache")
    #expect(try await bench.get("a", headers: ["Accept-Language": "en, de", "X-Mode": "b,a"]) == "2 network")
    #expect(try await bench.get("a", headers: ["Accept-Language": "en, de"]) == "3 network")
    #expect(try await bench.get("a", headers: english) == "1 cache")
    #expect(
      try await bench.verdict("a", headers: ["Accept-Language": "fr"])
        == "from the network: the stored response is for other request headers (Vary); stored")
  }

  @Test("An unsafe request invalidates its URL, and Location and Content-Location of the same origin")
  func invalidation() async throws {
    let bench = CacheBench { request in
      guard request.method == .post else { return CacheBench.counting("max-age=60")(request) }
      if request.path == "/fails" { return .status(500) }
      return .status(201).header("Location", "/b?x=1").header("Content-Location", "https://else.test/c")
    }
    for path in ["a", "b?x=1", "https://else.test/c", "fails"] { _ = try await bench.get(path) }
    try await bench.agent.send(.post("a").with(\.cachePolicy, .none))
    await #expect(throws: RequestError.self) { try await bench.agent.send(.post("fails")) }
    #expect(try await bench.get("a") == "7 network")
    #expect(try await bench.get("b?x=1") == "8 network")
    #expect(try await bench.get("https://else.test/c") == "3 cache")
    #expect(try await bench.get("fails") == "4 cache")
  }

  @Test("HEAD is answered by a stored GET response, and updates the entry")
  func head() async throws {
    let bench = CacheBench { request in
      MockAnswer.text("whole").header("Cache-Control", "max-age=10")
        .header("ETag", request.number < 3 ? "\"a\"" : "\"b\"").header("X-Number", "\(request.number)")
    }
    let head = OneOffRequest("a", method: .head, response: .response)
    _ = try await bench.get()
    let cached = try await bench.agent.send(head)
    #expect(cached.body.isEmpty && cached.headers["X-Number"] == "1" && bench.count == 1)
    await bench.advance(10)
    _ = try await bench.agent.send(head)
    #expect(bench.transport.requests.map(\.method) == [.get, .head])
    #expect(try await bench.get() == "whole cache")
    await bench.advance(10)
    _ = try await bench.agent.send(head)
    #expect(try await bench.get() == "whole network")
  }

  @Test("A range is cut from the whole, and a stored part is completed")
  func ranges() async throws {
    let bench = CacheBench { request in
      let control = MockAnswer.text("").header("Cache-Control", "max-age=60").header("ETag", "\"a\"")
      func part(_ text: String, _ range: String) -> MockAnswer {
        var answer = MockAnswer.text(text, status: 206).header("Content-Range", range)
        answer.headers.merge(control.headers)
        return answer
      }
      if request.headers["Range"] == "bytes=0-3" { return part("0123", "bytes 0-3/10") }
      if request.headers["Range"] == "bytes=4-", request.headers["If-Range"] == "\"a\"" {
        return part("456789", "bytes 4-9/10")
      }
      return .status(500)
    }
    func text(_ range: String?) async throws -> String {
      let request = OneOffRequest<HTTPResponse>(
        "a", headers: range.map { ["Range": $0] } ?? [:], response: .response)
      let received = try await bench.agent.response(for: request)
      let response = received.response
      return
        "\(response.status.code) \(String(decoding: response.body, as: UTF8.self)) \(response.headers["Content-Range"] ?? "-")"
    }
    #expect(try await text("bytes=0-3") == "206 0123 bytes 0-3/10")
    #expect(try await text("bytes=1-2") == "206 12 bytes 1-2/10")
    #expect(bench.count == 1)
    #expect(try await text(nil) == "200 0123456789 -")
    #expect(bench.count == 2)
    #expect(try await text("bytes=-3") == "206 789 bytes 7-9/10")
    #expect(try await text("bytes=8-100") == "206 89 bytes 8-9/10")
    #expect(try await text(nil) == "200 0123456789 -")
    #expect(bench.count == 2)
  }

  static let rangeRows: [(stored: String?, range: String, answers: [(range: String, told: String)])] = [
    (
      nil, "",
      [
        ("bytes=0-1", "206 01 bytes 0-1/11"), ("bytes=1-", "206 123456789A bytes 1-10/11"),
        ("bytes=-1", "206 A bytes 10-10/11"),
      ]
    ),
    (
      "bytes=-5", "bytes 6-10/11",
      [
        ("bytes=-5", "206 6789A bytes 6-10/11"), ("bytes=7-9", "206 789 bytes 7-9/11"),
        ("bytes=7-", "206 789A bytes 7-10/11"), ("bytes=-1", "206 A bytes 10-10/11"),
      ]
    ),
  ]

  @Test("Ranges are cut from the stored whole or part, with its fields", arguments: rangeRows)
  func cutRanges(_ row: (stored: String?, range: String, answers: [(range: String, told: String)]))
    async throws
  {
    let bench = CacheBench { request in
      let kept = { (answer: MockAnswer) in
        answer.header("Cache-Control", "max-age=3600").header("A", "1")
      }
      guard request.headers["Range"] != nil else { return kept(.text("0123456789A")) }
      return kept(.text("6789A", status: 206).header("Content-Range", row.range))
    }
    func get(_ range: String?) async throws -> HTTPResponse {
      try await bench.agent.send(
        OneOffRequest("a", headers: range.map { ["Range": $0] } ?? [:], response: .response))
    }
    _ = try await get(row.stored)
    for answer in row.answers {
      let response = try await get(answer.range)
      let body = String(decoding: response.body, as: UTF8.self)
      #expect(
        "\(response.status.code) \(body) \(response.headers["Content-Range"] ?? "-")" == answer.told)
      #expect(response.headers["A"] == "1")
    }
    #expect(bench.count == 1)
  }

  @Test(
    "A response without a validator that is stale from the start is stored if stale responses may be served",
    arguments: ["stale-while-revalidate", "stale-if-error"])
  func staleFromTheStart(_ directive: String) async throws {
    let bench = CacheBench(answer: CacheBench.counting("max-age=0, \(directive)=60"))
    #expect(try await bench.verdict() == "from the network: nothing is stored; stored")
  }

  @Test("A failed cache-only request has no source, because nothing was sent")
  func nowhere() async throws {
    let bench = CacheBench(answer: CacheBench.counting("max-age=60"))
    let request = OneOffRequest("a", headers: ["Cache-Control": "only-if-cached"], response: .response)
    let received = try await bench.agent.response(for: request.with(\.validators, []))
    #expect(received.response.status.code == 504)
    #expect(received.report.cache?.description == "from nowhere: nothing is stored")
    #expect(received.report.attempts.map(\.sentCount) == [0] && bench.count == 0)
    let error = try await #require(throws: RequestError.self) {
      try await bench.agent.send(OneOffRequest("a", response: .response).with(\.cachePolicy, .cacheOnly))
    }
    #expect(error.report?.cache?.source == .nowhere)
    #expect(error.hint == "Send the request once with another cachePolicy, or use .cacheElseNetwork.")
    let post = try await #require(throws: RequestError.self) {
      try await bench.agent.send(
        OneOffRequest("a", method: .post, response: .response).with(\.cachePolicy, .cacheOnly))
    }
    #expect(
      post.hint
        == "A cache answers only GET and HEAD requests, and no downloads. Send the request with another cachePolicy."
    )
  }

  @Test("The caller's conditions are evaluated on a fresh entry, otherwise by the server")
  func conditions() async throws {
    let bench = CacheBench { request in
      request.headers["If-None-Match"] == "\"a\""
        ? .status(304).header("ETag", "\"a\"").header("Cache-Control", "max-age=10")
        : CacheBench.counting("max-age=10", ["ETag": "\"a\""])(request)
    }
    func status(_ tag: String) async throws -> Int {
      try await bench.agent.send(
        OneOffRequest("a", headers: ["If-None-Match": tag], response: .response).with(\.validators, [])
      ).status.code
    }
    _ = try await bench.get()
    #expect(try await status("\"a\"") == 304)
    #expect(try await status("\"x\", W/\"a\"") == 304)
    #expect(try await status("\"b\"") == 200)
    #expect(bench.count == 1)
    await bench.advance(10)
    #expect(try await status("\"a\"") == 304)
    #expect(bench.count == 2)
    // The server's 304 also updates the cache.
    #expect(try await bench.get() == "1 cache")
  }

  @Test("Hop-by-hop fields, and fields named by no-cache, are not stored")
  func dropped() async throws {
    let bench = CacheBench(
      answer: CacheBench.counting(
        "max-age=60, no-cache=\"X-Once\"",
        [
          "Connection": "X-Hop", "X-Hop": "1", "Keep-Alive": "5", "X-Once": "1", "Set-Cookie": "a=1",
          "X-Kept": "1",
        ]))
    _ = try await bench.get()
    let received = try await bench.agent.response(for: .get("a", as: String.self))
    #expect(
      received.response.headers.fields.map(\.name).sorted()
        == ["Age", "Cache-Control", "Content-Length", "Content-Type", "Set-Cookie", "X-Kept"])
  }

  @Test("A POST response serves GET if Content-Location is equal (RFC 9110 section 9.3.3)")
  func readablePost() async throws {
    let bench = CacheBench { request in
      request.method == .post
        ? .text("made").header("Cache-Control", "max-age=60").header("Content-Location", "/a")
        : .text("other")
    }
    #expect(try await bench.agent.send(.post("a", as: String.self)) == "made")
    #expect(try await bench.get() == "made cache")
  }

  @Test("If-None-Match: * is met by a fresh entry without an entity tag (RFC 9110 section 13.1.2)")
  func anyTag() async throws {
    let bench = CacheBench(answer: CacheBench.counting("max-age=10"))
    _ = try await bench.get()
    for (tag, status) in [("*", 304), ("\"a\"", 200)] {
      let request = OneOffRequest("a", headers: ["If-None-Match": tag], response: .response)
      #expect(try await bench.agent.send(request.with(\.validators, [])).status.code == status)
    }
    #expect(bench.count == 1)
  }
}
