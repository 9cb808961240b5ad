import Foundation
import Testing

@testable import Errand

@Suite("Rate limit fields of servers")
struct ServerQuotaTests {
  /// Sun, 09 Sep 2001 01:46:40 GMT.
  static let date = Date(timeIntervalSince1970: 1_000_000_000)

  func quotas(_ headers: HTTPHeaders, status: HTTPResponse.Status = 429) -> [ServerQuota] {
    HTTPResponse(status: status, headers: headers).quotas(now: Self.date)
  }

  func wait(_ headers: HTTPHeaders, status: HTTPResponse.Status = 429) -> AttemptReport.Retry? {
    HTTPResponse(status: status, headers: headers).serverWait(now: Self.date)
  }

  @Test("A clock whose date is not a number waits for no date")
  func noNumber() {
    let headers: HTTPHeaders = ["Retry-After": "Mon, 01 Jan 2024 00:00:00 GMT"]
    let response = HTTPResponse(status: 503, headers: headers)
    for seconds in [Double.nan, .infinity, -.infinity] {
      let wait = response.serverWait(now: Date(timeIntervalSince1970: seconds))
      #expect(wait?.wait ?? .zero <= .seconds(1_000_000_000))
    }
    #expect(response.serverWait(now: Date(timeIntervalSince1970: .nan)) == nil)
  }

  @Test("A reset has the written digits, and a date that is not a number gives no wait")
  func digits() {
    let headers: HTTPHeaders = ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1000000003.998"]
    #expect(quotas(headers).map(\.reset) == [.milliseconds(3998)])
    let response = HTTPResponse(status: 429, headers: headers)
    #expect(response.quotas(now: Date(timeIntervalSince1970: .nan)).map(\.reset) == [.zero])
  }

  static let rows: [(HTTPHeaders, [(Int?, Double)])] = [
    (["RateLimit": #""default";r=0;t=30"#], [(0, 30)]),
    (["RateLimit": #" "a" ; r=50 ; t=5 ,"b";r=0;t=3600"#], [(50, 5), (0, 3600)]),
    (["RateLimit": #""a,b;r=9";r=0;t=30"#], [(0, 30)]),
    (["RateLimit": #""a\"b,\\";r=0;t=30, "c";r=1;t=2"#], [(0, 30), (1, 2)]),
    (["RateLimit": "default;r=1;t=2"], [(1, 2)]),
    (["RateLimit": #""a";r=0"#, "RateLimit-Policy": #""b";q=9;w=1, "a";q=100;w=60"#], [(0, 60)]),
    (["RateLimit": #""a";r=0"#], []),
    (["RateLimit": "limit=100, remaining=0, reset=30"], [(0, 30)]),
    (["RateLimit": "limit=100,remaining=7,reset=0", "RateLimit-Policy": "100;w=60"], [(7, 0)]),
    (["RateLimit-Limit": "100", "RateLimit-Remaining": "0", "RateLimit-Reset": "30"], [(0, 30)]),
    (["RateLimit-Reset": "30"], [(nil, 30)]),
    (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "30"], [(0, 30)]),
    (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1000000060"], [(0, 60)]),
    (["X-Rate-Limit-Remaining": "3", "X-Rate-Limit-Reset": "1000000060"], [(3, 60)]),
    (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1000000060000"], [(0, 60)]),
    // The smallest number that counts as milliseconds, in 1973.
    (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "100000000000"], [(0, 0)]),
    (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1.5"], [(0, 1.5)]),
    (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1000000000.25"], [(0, 0.25)]),
    // A reset in the past.
    (
      [
        "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1000000000",
        "Date": "Sun, 09 Sep 2001 02:46:40 GMT",
      ], [(0, 0)]
    ),
    // The reset is relative to the server's clock, which is one hour ahead.
    (
      [
        "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1000003610",
        "Date": "Sun, 09 Sep 2001 02:46:40 GMT",
      ], [(0, 10)]
    ),
    // The first family of fields with a valid value counts.
    (["RateLimit": #""a";r=0;t=1"#, "RateLimit-Reset": "2", "X-RateLimit-Reset": "3"], [(0, 1)]),
    (["RateLimit": "nonsense", "RateLimit-Reset": "2", "X-RateLimit-Reset": "3"], [(nil, 2)]),
    (["RateLimit-Reset": "soon", "X-RateLimit-Reset": "3"], [(nil, 3)]),
  ]

  @Test("The forms of the drafts and of the field are read", arguments: rows)
  func forms(_ row: (headers: HTTPHeaders, quotas: [(Int?, Double)])) {
    let expected = row.quotas.map { ServerQuota(remaining: $0.0, reset: .seconds($0.1)) }
    #expect(quotas(row.headers) == expected)
  }

  static let garbage = [
    "", " ", "-1", "NaN", "inf", "1e9", "0x1F", "٣", "30s", "+3", "--", ".5", "5.", "1.2.3", "null", "\"30\"",
  ]

  @Test("A value that is not a number counts as absent", arguments: garbage)
  func noNumber(_ text: String) {
    #expect(quotas(["RateLimit-Remaining": "0", "RateLimit-Reset": text]) == [])
    #expect(quotas(["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": text]) == [])
    #expect(quotas(["RateLimit": "\"a\";r=0;t=\(text)"]) == [])
    #expect(quotas(["RateLimit": "\"a\";r=\(text);t=5"]) == [])
    #expect(quotas(["RateLimit": "limit=1, remaining=0, reset=\(text)"]) == [])
  }

  @Test("Huge numbers are clamped")
  func huge() {
    let huge = String(repeating: "9", count: 400)
    let bound = Duration.seconds(1_000_000_000)
    #expect(quotas(["RateLimit-Reset": huge]).map(\.reset) == [bound])
    #expect(quotas(["X-RateLimit-Reset": huge]).map(\.reset) == [bound])
    #expect(quotas(["RateLimit": "\"a\";r=0;t=\(huge)"]).map(\.reset) == [bound])
    #expect(quotas(["RateLimit": "\"a\";r=\(huge);t=1"]).map(\.remaining) == [1_000_000_000])
    #expect(wait(["Retry-After": huge])?.wait == bound)
  }

  @Test("A field with an open quote, or with too many members, is not read")
  func malformed() {
    #expect(quotas(["RateLimit": #""a;r=0;t=30"#]) == [])
    #expect(quotas(["RateLimit": #""a\";r=0;t=30"#]) == [])
    #expect(quotas(["RateLimit": String(repeating: #""a";r=0;t=30,"#, count: 33)]) == [])
  }

  @Test("No bytes cause a crash")
  func fuzzed() {
    var random = SeededGenerator(seed: 9)
    for _ in 0..<1000 {
      let text = random.text(16, of: #""\;=, rt0123459.-aé\#u{301}limremangset"#)
      for name in ["RateLimit", "RateLimit-Policy", "RateLimit-Reset", "X-RateLimit-Reset", "Retry-After"] {
        let wait = wait(["RateLimit": "\"a\";r=0", "X-RateLimit-Remaining": "0", name: text])?.wait ?? .zero
        #expect(wait >= .zero && wait <= .seconds(1_000_000_000))
      }
    }
  }

  @Test(
    "Retry-After comes first, then the longest exhausted limit, and a limit with remaining quota is ignored"
  )
  func precedence() {
    let spent = #""a";r=0;t=5, "b";r=0;t=60, "c";r=9;t=900"#
    #expect(wait(["RateLimit": spent, "Retry-After": "2"])?.wait == .seconds(2))
    #expect(wait(["RateLimit": spent, "Retry-After": "2"])?.source == .retryAfter)
    #expect(wait(["RateLimit": spent])?.wait == .seconds(60))
    #expect(wait(["RateLimit": spent])?.source == .rateLimit)
    #expect(wait(["RateLimit": #""a";r=1;t=5"#]) == nil)
    #expect(wait(["X-RateLimit-Remaining": "1", "X-RateLimit-Reset": "5"]) == nil)
  }

  @Test("The fields count as a wait with 429 and 503 only, and Retry-After with any status")
  func statuses() {
    let statuses: [HTTPResponse.Status] = [408, 425, 429, 500, 502, 503, 504]
    let spent: HTTPHeaders = ["RateLimit": #""a";r=0;t=5"#]
    #expect(statuses.filter { wait(spent, status: $0) != nil } == [429, 503])
    #expect(statuses.filter { wait(["Retry-After": "5"], status: $0) != nil } == statuses)
  }

  @Test("A policy waits according to the fields, up to its cap")
  func policy() {
    func plan(_ reset: String, _ cap: Duration? = nil) -> AttemptReport.Retry? {
      var policy = RetryPolicy.upTo(1, backoff: .constant(.seconds(7)))
      if let cap { policy.retryAfterCap = cap }
      let headers: HTTPHeaders = ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": reset]
      return policy.suggestion(
        for: RetryPolicyTests.failure(status: 429, headers: headers), retry: 1, jitter: 0.9, date: Self.date
      ).retry
    }
    #expect(plan("30") == AttemptReport.Retry(wait: .seconds(30), source: .rateLimit))
    #expect(plan("9999") == AttemptReport.Retry(wait: .seconds(600), source: .policy))
    #expect(plan("9999", .seconds(-1)) == AttemptReport.Retry(wait: .zero, source: .policy))
    #expect(plan("later") == AttemptReport.Retry(wait: .seconds(7), source: .policy))
  }
}
