import ErrandMocks
import Foundation
import Testing

@testable import Errand

/// The settings of a retry in combination: count, interval, timeout, validator, and processor.
@Suite("The settings of a retry together")
struct RetryCombinationTests {
  struct Fetch: Request {
    typealias Response = Void
    var retryPolicy: RetryPolicy
  }

  struct Row: CustomTestStringConvertible {
    var count: Int?
    var interval: Duration = .zero
    var timeout: Duration?
    var condition: (@Sendable (RequestError) -> Bool)?
    var processor: (@Sendable (RequestError, RequestContext) async -> Bool)?
    var statuses: [HTTPResponse.Status] = [503]
    let hits: Int
    let title: String

    var testDescription: String { title }

    var policy: RetryPolicy {
      let backoff = RetryPolicy.Backoff.constant(interval)
      var policy: RetryPolicy =
        count.map { .upTo($0, backoff: backoff, within: timeout) }
        ?? .unlimited(backoff: backoff, within: timeout)
      if let condition { policy = policy.when(condition) }
      if let processor { policy = policy.preparing(processor) }
      return policy
    }
  }

  static let only503: @Sendable (RequestError) -> Bool = { $0.status == 503 }

  static let rows = [
    Row(count: 0, hits: 1, title: "0 is off"),
    Row(count: 2, hits: 3, title: "2 are two more"),
    Row(count: -3, hits: 1, title: "a negative count is none"),
    Row(count: 2, interval: .milliseconds(300), hits: 3, title: "an interval"),
    Row(count: 2, interval: .milliseconds(-300), hits: 3, title: "a negative interval is none"),
    Row(count: 100, interval: .milliseconds(200), timeout: .milliseconds(500), hits: 3, title: "a timeout"),
    Row(
      count: 1, interval: .milliseconds(200), timeout: .milliseconds(500), hits: 2,
      title: "the count before the timeout"),
    Row(interval: .milliseconds(200), timeout: .milliseconds(600), hits: 3, title: "a strict timeout"),
    Row(interval: .milliseconds(200), timeout: .milliseconds(601), hits: 4, title: "a timeout just beyond"),
    Row(count: 9, timeout: .zero, hits: 1, title: "a timeout of nothing"),
    Row(count: 9, condition: only503, statuses: [503, 503, 500], hits: 3, title: "a validator"),
    Row(count: 9, condition: only503, statuses: [500], hits: 1, title: "a validator against the first"),
    Row(count: 0, condition: { _ in true }, hits: 1, title: "a validator and no count"),
    Row(count: 2, condition: { _ in true }, statuses: [404], hits: 3, title: "a validator for all"),
    Row(
      count: 9, processor: { _, _ in true }, statuses: [503, 503, 200], hits: 3,
      title: "a processor that goes on"),
    Row(count: 9, processor: { _, _ in false }, hits: 1, title: "a processor that stops"),
    Row(count: 9, processor: { $1.attempt < 3 }, hits: 3, title: "a processor that stops later"),
    Row(
      count: 5, interval: .milliseconds(100), timeout: .seconds(1), condition: only503,
      processor: { _, _ in true }, statuses: [503, 503, 500], hits: 3,
      title: "all of them, ended by the validator"),
    Row(
      count: 5, interval: .milliseconds(100), timeout: .milliseconds(350), condition: only503,
      processor: { _, _ in true }, hits: 4, title: "all of them, ended by the timeout"),
    Row(
      count: 1, interval: .milliseconds(100), timeout: .seconds(1), condition: only503,
      processor: { _, _ in true }, hits: 2, title: "all of them, ended by the count"),
  ]

  /// The method, the key, `retriesUnsafeMethods`, and the number of sent requests.
  static let repeats: [(HTTPMethod, IdempotencyKey, Bool, Int)] = [
    (.get, .none, false, 3), (.put, .none, false, 3), (.post, .none, false, 1), (.patch, .none, false, 1),
    (.post, .automatic, false, 3), (.post, .none, true, 3), (.patch, .none, true, 3),
  ]

  @Test(
    "A condition for all failures repeats a POST only with a key, or with explicit permission",
    arguments: repeats)
  func unsafe(_ row: (HTTPMethod, IdempotencyKey, Bool, Int)) async throws {
    let server = try MockServer()
    server.route(nil, "/orders", answers: .status(503))
    var policy = RetryPolicy.upTo(2, backoff: .constant()).when { _ in true }
    if row.2 { policy = policy.retryingUnsafeMethods() }
    let call = OneOffRequest<Void>("orders", method: row.0, response: .none)
      .with(\.idempotencyKey, row.1).with(\.retryPolicy, policy)
    let agent = RequestAgent(baseURL: server.baseURL)
    let error = try await #require(throws: RequestError.self) { try await agent.send(call) }
    #expect(server.requestCount == row.3 && error.attempts == row.3)
    if row.3 == 1 {
      #expect(
        error.report?.attempts.last?.noRetryReason == "\(row.0) is not idempotent, and has no idempotency key"
      )
    }
  }

  @Test("Each setting limits the attempts", arguments: rows)
  func combined(_ row: Row) async {
    let clock = TestClock(autoAdvances: true)
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    let transport = FunctionTransport { _, number in
      HTTPResponse(status: row.statuses[min(number, row.statuses.count) - 1])
    }
    let agent = RequestAgent(
      baseURL: "http://a.example", transport: transport, configuration: configuration)
    let ends = Recorder()
    let handle = agent.start(Fetch(retryPolicy: row.policy), on: .global()) { ends.add($0.word) }
    _ = try? await handle.value
    #expect(transport.requests.count == row.hits)
    #expect(ends.events == [row.statuses.last == 200 ? "success" : "failure status"])
    #expect(clock.sleeps == (row.interval > .zero ? Array(repeating: row.interval, count: row.hits - 1) : []))
  }

  @Test("The processor runs before the wait, and its result is sent next")
  func token() async throws {
    struct Signed: Request {
      typealias Response = Void
      let token: Locked<String>
      let clock: TestClock
      var retryPolicy: RetryPolicy {
        RetryPolicy.upTo(3, backoff: .constant(.seconds(1))).when { $0.status == 401 }.preparing {
          [token, clock] _, _ in
          token.withLock { $0 = "fresh, after \(clock.sleeps.count) waits" }
          return true
        }
      }
      func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
        request.headers["X-Token"] = token.withLock { $0 }
      }
    }
    let clock = TestClock(autoAdvances: true)
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    let transport = FunctionTransport { http, _ in
      HTTPResponse(status: http.headers["X-Token"] == "stale" ? 401 : 200)
    }
    let agent = RequestAgent(
      baseURL: "http://a.example", transport: transport, configuration: configuration)
    try await agent.send(Signed(token: Locked("stale"), clock: clock))
    #expect(transport.requests.map { $0.headers["X-Token"] } == ["stale", "fresh, after 0 waits"])
  }

  @Test("By default no hopeless failure is repeated: builds, hooks, refusals, decoding, TLS")
  func hopeless() async {
    struct Broken: Request {
      typealias Response = [Int]
      var path = ""
      var throwing = false
      let retryPolicy = RetryPolicy.upTo(3, backoff: .constant())
      func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
        if throwing { throw ProbeError(stage: "filterRequest") }
      }
    }
    let transport = FunctionTransport { http, _ in
      if http.url.path == "/tls" { throw TransportError(.secureConnectionFailed, "refused") }
      return HTTPResponse(body: Data("no JSON".utf8))
    }
    let agent = RequestAgent(baseURL: "http://a.example", transport: transport)
    for request in [
      Broken(path: "ftp://x"), Broken(throwing: true), Broken(path: "tls"), Broken(path: "json"),
    ] {
      let error = await #expect(throws: RequestError.self) { try await agent.send(request) }
      #expect(error?.attempts == 1)
    }
    #expect(transport.requests.count == 2)
  }
}
