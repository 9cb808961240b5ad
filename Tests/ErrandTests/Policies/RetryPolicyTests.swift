import Foundation
import Testing

@testable import Errand

@Suite("Suggestions of a retry policy")
struct RetryPolicyTests {
  static let url = URL(string: "http://example.com/")!
  static let date = Date(timeIntervalSince1970: 1_000_000_000)

  static func failure(
    _ kind: RequestError.Kind = .status, status: HTTPResponse.Status? = nil, method: HTTPMethod = .get,
    headers: HTTPHeaders = [:], elapsed: Duration = .zero
  ) -> RequestError {
    RequestError(
      kind, "it failed", request: HTTPRequest(url: url, method: method),
      response: status.map { HTTPResponse(status: $0, headers: headers) }, elapsed: elapsed)
  }

  func wait(_ policy: RetryPolicy, _ error: RequestError, retry: Int = 1, jitter: Double = 0.5) -> Duration? {
    policy.suggestion(for: error, retry: retry, jitter: jitter, date: Self.date).retry?.wait
  }

  @Test("Transient statuses and connection failures of idempotent methods are retried, and nothing else")
  func retriable() {
    let policy = RetryPolicy.upTo(1, backoff: .constant())
    let statuses = (100..<600).filter { wait(policy, Self.failure(status: HTTPResponse.Status($0))) != nil }
    #expect(
      statuses == [
        408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 527, 529, 530, 598, 599,
      ])

    let kinds: [RequestError.Kind] = [
      .invalidURL, .invalidRequest, .encoding, .unsupported, .hook, .nameNotResolved, .connectionFailed,
      .connectionLost, .secureConnectionFailed, .timedOut, .invalidResponse, .corruptBody, .transport,
      .contentType, .jsonShape, .validation, .decoding, .cancelled,
    ]
    #expect(
      kinds.filter { wait(policy, Self.failure($0)) != nil } == [
        .nameNotResolved, .connectionFailed, .connectionLost, .timedOut,
      ])

    let methods: [HTTPMethod] = [.get, .head, .options, .trace, .query, .put, .delete, .post, .patch, "LOCK"]
    #expect(
      methods.filter { wait(policy, Self.failure(status: 503, method: $0)) != nil } == [
        .get, .head, .options, .trace, .query, .put, .delete,
      ])
  }

  @Test("A refused body after status 503 is no status failure and is final")
  func kindCounts() {
    #expect(wait(.upTo(1), Self.failure(.jsonShape, status: 503)) == nil)
  }

  @Test("The limit counts the attempts after the first, and none and a negative limit retry nothing")
  func limit() {
    let error = Self.failure(status: 503)
    #expect(
      (1...4).map { wait(.upTo(2, backoff: .constant()), error, retry: $0) } == [.zero, .zero, nil, nil])
    #expect(wait(.none, error) == nil)
    #expect(wait(.upTo(-1), error) == nil)
    #expect(wait(.unlimited(backoff: .constant()), error, retry: 1_000_000) == .zero)
  }

  @Test("The time limit is strict: no retry whose wait ends at the limit or later")
  func timeLimit() {
    let policy = RetryPolicy.upTo(100, backoff: .constant(.milliseconds(200)), within: .milliseconds(500))
    let waits = [0, 200, 299, 300, 500].map {
      wait(policy, Self.failure(status: 503, elapsed: .milliseconds($0)))
    }
    #expect(waits == [.milliseconds(200), .milliseconds(200), .milliseconds(200), nil, nil])
  }

  @Test("The first wait is random in its range, and later waits are multiples up to the cap")
  func ladder() {
    let policy = RetryPolicy.upTo(
      9, backoff: .exponential(first: .seconds(1)...(.seconds(2)), factor: 2, cap: .seconds(10)))
    let error = Self.failure(status: 503)
    #expect(
      (1...5).map { wait(policy, error, retry: $0, jitter: 0) } == [1, 2, 4, 8, 10].map { .seconds($0) })
    #expect(
      (1...4).map { wait(policy, error, retry: $0, jitter: 0.5) } == [1.5, 3, 6, 10].map { .seconds($0) })
  }

  @Test("A backoff that ends at its cap stops before the cap, and after three times the cap")
  func ladderEnds() {
    let policy = RetryPolicy.unlimited(
      backoff: .exponential(
        first: .milliseconds(100)...(.milliseconds(100)), factor: 2, cap: .milliseconds(500), endsAtCap: true)
    )
    let waits = (1...4).map { wait(policy, Self.failure(status: 503), retry: $0) }
    #expect(waits == [.milliseconds(100), .milliseconds(200), .milliseconds(400), nil])
    #expect(wait(policy, Self.failure(status: 503, elapsed: .milliseconds(1500))) == .milliseconds(100))
    #expect(wait(policy, Self.failure(status: 503, elapsed: .milliseconds(1501))) == nil)
  }

  @Test("No number overflows the arithmetic of the waits")
  func extremes() {
    let error = Self.failure(status: 503)
    let huge = Duration.seconds(Int64.max)
    for factor in [0, -1, 1e300, .infinity, .nan] {
      for retry in [1, 2, Int.max] {
        let policy = RetryPolicy.unlimited(
          backoff: .exponential(first: .seconds(-1)...huge, factor: factor, cap: huge))
        let wait = wait(policy, error, retry: retry, jitter: 1)
        #expect(wait.map { $0 >= .zero && $0 <= .seconds(1e9) } == true)
      }
    }
  }

  static let retryAfters: [(String, Duration?)] = [
    ("1", .seconds(1)), (" 30 ", .seconds(30)), ("0", .zero), ("601", .seconds(600)),
    ("99999999999999999999999", .seconds(600)), ("-1", nil), ("soon", nil), ("", nil), ("1.5", nil),
    ("Sun, 09 Sep 2001 01:46:50 GMT", .seconds(10)), ("Sun, 09 Sep 2001 01:46:30 GMT", .zero),
    ("Sun, 09 Sep 2029 01:46:30 GMT", .seconds(600)),
  ]

  @Test("Retry-After is used exactly in both forms, up to the cap", arguments: retryAfters)
  func retryAfter(_ row: (String, Duration?)) {
    let policy = RetryPolicy.upTo(1, backoff: .constant(.seconds(7)))
    let plan = policy.suggestion(
      for: Self.failure(status: 503, headers: ["Retry-After": row.0]), retry: 1, jitter: 0.9, date: Self.date
    ).retry
    #expect(plan?.wait == row.1 ?? .seconds(7))
    #expect(plan?.source == (row.1 == nil || row.1 == policy.retryAfterCap ? .policy : .retryAfter))
  }

  @Test("A date in Retry-After is relative to the server's Date if present")
  func retryAfterSkew() {
    let headers: HTTPHeaders = [
      "Date": "Tue, 01 Jan 2030 00:00:00 GMT", "Retry-After": "Tue, 01 Jan 2030 00:00:05 GMT",
    ]
    #expect(wait(.upTo(1), Self.failure(status: 429, headers: headers)) == .seconds(5))
  }

  @Test("A Retry-After past the time limit stops the retries")
  func retryAfterPastLimit() {
    let error = Self.failure(status: 503, headers: ["Retry-After": "5"])
    #expect(wait(.upTo(1, backoff: .constant(), within: .seconds(5)), error) == nil)
    #expect(wait(.upTo(1, backoff: .constant(), within: .seconds(6)), error) == .seconds(5))
  }

  @Test("A condition replaces the default rules, but not the guard of methods that are not idempotent")
  func condition() {
    let policy = RetryPolicy.upTo(1, backoff: .constant()).when { $0.status == 418 }
    #expect(wait(policy, Self.failure(status: 418)) == .zero)
    #expect(wait(policy, Self.failure(status: 418, method: .post)) == nil)
    #expect(wait(policy.retryingUnsafeMethods(), Self.failure(status: 418, method: .post)) == .zero)
    #expect(wait(policy.retryingUnsafeMethods(), Self.failure(status: 503, method: .post)) == nil)
    #expect(wait(policy, Self.failure(status: 503)) == nil)
    #expect(wait(policy, Self.failure(.cancelled, status: 418)) == nil)
  }

  @Test("Unsafe methods and connection failures can be enabled")
  func choices() {
    var policy = RetryPolicy.upTo(1, backoff: .constant())
    policy.retriesUnsafeMethods = true
    policy.retriesConnectionFailures = false
    policy.statuses = [418]
    #expect(wait(policy, Self.failure(status: 418, method: .post)) == .zero)
    #expect(wait(policy, Self.failure(status: 503)) == nil)
    #expect(wait(policy, Self.failure(.timedOut)) == nil)
  }
}
