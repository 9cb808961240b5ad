import ErrandJSON
import ErrandMocks
import Foundation
import Testing

@testable import Errand
@testable import ErrandHARFormat
@testable import ErrandLogs

@Suite("The report of a dispatch as HAR")
struct ExchangeHARTests {
  /// A failed request, then a redirect; request n takes n seconds.
  static func report() async throws -> ExchangeReport {
    let clock = TestClock(autoAdvances: true)
    let transport = FunctionTransport { request, number in
      try await clock.sleep(for: .seconds(number))
      return switch number {
      case 1: HTTPResponse(status: 503, body: Data("busy".utf8))
      case 2: HTTPResponse(status: 302, headers: ["Location": "/end?token=s3cret"])
      default: HTTPResponse(headers: ["Content-Type": "text/plain"], body: Data("done".utf8))
      }
    }
    var configuration = AgentConfiguration()
    (configuration.userAgent, configuration.acceptLanguage) = (nil, nil)
    configuration.clock = AgentClock(clock)
    configuration.retryPolicy = .upTo(1, backoff: .constant(.seconds(4)))
    let agent = RequestAgent(
      baseURL: "https://mocked.example", transport: transport, configuration: configuration)
    return try await agent.response(
      for: .get("start", query: ["a b": "ü"], headers: ["Authorization": "Bearer s3cret"], as: String.self)
    ).report
  }

  static func entries(_ har: Data) throws -> [HAREntry] {
    try JSONCoding().decode(HARFile.self, from: har).log.entries
  }

  @Test("Attempts and redirects are entries, with their times and the reasons of retries")
  func entries() async throws {
    let report = try await Self.report()
    let entries = try Self.entries(report.har())
    #expect(
      entries.map {
        "\($0.request.method) \($0.request.url) \($0.response.status) \($0.response.redirectURL)"
      }
        == [
          "GET https://mocked.example/start?a%20b=%C3%BC 503 ",
          "GET https://mocked.example/start?a%20b=%C3%BC 302 https://mocked.example/end?token=%3Credacted%3E",
          "GET https://mocked.example/end?token=%3Credacted%3E 200 ",
        ])
    #expect(entries.map(\.time) == [1000, 2000, 3000])
    let begun = entries.map {
      ((try? Date($0.startedDateTime, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))?
        .timeIntervalSince(report.started) ?? -1).rounded()
    }
    #expect(begun == [0, 5, 7])
    #expect(
      entries.map(\.comment) == [
        "Dispatch 1, attempt 1 of 2; status: status 503 Service Unavailable is not in 200..<300; the next attempt follows in 4.000 s (policy)",
        "Dispatch 1, attempt 2 of 2, redirect 1", "Dispatch 1, attempt 2 of 2",
      ])
    #expect(entries[0].request.queryString.map { "\($0.name)=\($0.value)" } == ["a b=ü"])
    #expect(
      entries[0].request.headers.map { "\($0.name): \($0.value)" } == ["Authorization: Bearer <redacted>"])
    #expect(entries[2].response.content.comment == "The body of 4 bytes was not recorded.")
    #expect(!String(decoding: report.har(), as: UTF8.self).contains("s3cret"))
  }

  @Test("A failure without a response has the status 0 and its reason, and an unbuilt request has no entry")
  func failures() async throws {
    let lost = RequestAgent(
      baseURL: "https://mocked.example",
      transport: FunctionTransport { _, _ in throw TransportError(.connectionLost, "the line broke") })
    let error = try await #require(throws: RequestError.self) { try await lost.send(.get("a")) }
    let failed = try #require(error.report)
    let entry = try #require(try Self.entries(failed.har()).first)
    #expect(entry.response.status == 0 && entry.response.error == "connectionLost: the line broke")
    let unbuilt = try await #require(throws: RequestError.self) { try await RequestAgent().send(.get("a")) }
    let empty = try #require(unbuilt.report)
    #expect(try Self.entries(empty.har()).isEmpty)
  }

  @Test("The waits for a rate limit and a slot are the blocked time, and the phases are the transport's")
  func timings() throws {
    var metrics = TransportSummary.Metrics()
    (metrics.nameLookup, metrics.connect, metrics.secureConnect) = (
      .milliseconds(1), .milliseconds(3), .milliseconds(6)
    )
    (metrics.firstByte, metrics.total) = (.milliseconds(10), .milliseconds(15))
    (metrics.httpVersion, metrics.remoteAddress) = ("HTTP/2", "[::1]:443")
    let url = try #require(URL(string: "https://a/"))
    let attempt = AttemptReport(
      number: 1, request: HTTPRequest(url: url), response: HTTPResponse(), redirects: [], bodyLength: 0,
      metrics: metrics, isMocked: false, begun: .zero, elapsed: .milliseconds(50),
      slotWait: .milliseconds(20), throttleWait: .milliseconds(5), outcome: .success(()), stage: .decode)
    let report = ExchangeReport(
      id: 1, started: Date(timeIntervalSince1970: 0), elapsed: .seconds(1), turnWait: .milliseconds(7),
      attempts: [attempt], outcome: .success(()), lastStage: .completed)
    let entry = try #require(try Self.entries(report.har()).first)
    let timings = entry.timings
    #expect(
      [
        timings.blocked, timings.dns, timings.connect, timings.ssl, timings.send, timings.wait,
        timings.receive,
      ]
        == [32, 1, 5, 3, 0, 4, 5])
    #expect(entry.time == 47 && entry.serverIPAddress == "::1" && entry.request.httpVersion == "HTTP/2")
    #expect(entry.startedDateTime == "1970-01-01T00:00:00.000Z")
  }

  @Test(
    "A redirect has its sent request, and the redirect of a decoded report has the method of the next request"
  )
  func redirects() async throws {
    let transport = FunctionTransport { request, number in
      switch number {
      case 1: HTTPResponse(status: 307, headers: ["Location": "/b"])
      case 2: HTTPResponse(status: 303, headers: ["Location": "/c"])
      default: HTTPResponse(body: Data("ok".utf8))
      }
    }
    let agent = RequestAgent(baseURL: "https://mocked.example", transport: transport)
    let report = try await agent.response(for: .post("a", parameters: ["x": 1], as: String.self)).report
    func lines(_ report: ExchangeReport) throws -> [String] {
      try Self.entries(report.har()).map {
        "\($0.request.method) \($0.request.url.suffix(2)) \($0.request.postData?.text ?? "")"
      }
    }
    #expect(try lines(report) == ["POST /a x=1", "POST /b x=1", "GET /c "])
    let again = try JSONCoding().decode(ExchangeReport.self, from: JSONCoding().encode(report))
    #expect(try lines(again) == ["GET /a ", "POST /b ", "GET /c "])
  }

  @Test(
    "Unmeasured time belongs to the phase in which the attempt ended, and never to an unreached server",
    arguments: [
      (RequestError.Kind.connectionFailed, "refused", [-1, -1, 8, -1, 0]),
      (.nameNotResolved, "no such host", [-1, 8, -1, -1, 0]),
      (.secureConnectionFailed, "no trust", [-1, -1, 8, 8, 0]),
      (.timedOut, TransportError.passed(.connect, of: .seconds(1)).message, [-1, -1, 8, -1, 0]),
      (.timedOut, "no byte was sent or received for 1 second", [-1, -1, -1, -1, 8]),
      (.circuitOpen, "it is open", [8, -1, -1, -1, 0]),
    ])
  func unmeasured(_ kind: RequestError.Kind, _ reason: String, _ phases: [Double]) throws {
    let url = try #require(URL(string: "https://a/"))
    let limit = TransportError.passed(.connect, of: .seconds(1))
    let error = RequestError(
      kind, reason, stage: .transport, cause: reason == limit.message ? limit : TransportError(kind, reason))
    let attempt = AttemptReport(
      number: 1, request: HTTPRequest(url: url), response: nil, redirects: [], bodyLength: 0, metrics: nil,
      isMocked: false, begun: .zero, elapsed: .milliseconds(8), outcome: .failure(error), stage: .transport)
    let report = ExchangeReport(
      id: 1, started: Date(timeIntervalSince1970: 0), elapsed: .seconds(1), attempts: [attempt],
      outcome: .failure(error), lastStage: .transport)
    let timings = try #require(try Self.entries(report.har()).first).timings
    #expect([timings.blocked, timings.dns, timings.connect, timings.ssl, timings.wait] == phases)
  }

  @Test("A reused connection has no name lookup and no connect time")
  func reused() {
    var metrics = TransportSummary.Metrics()
    (metrics.nameLookup, metrics.connect) = (.microseconds(20), .microseconds(30))
    (metrics.firstByte, metrics.total, metrics.isConnectionReused) = (
      .milliseconds(10), .milliseconds(15), true
    )
    let timings = HARTimings(metrics)
    #expect([timings.dns, timings.connect, timings.ssl] == [-1, -1, -1])
    #expect([timings.blocked, timings.wait, timings.receive] == [0.03, 9.97, 5])
  }
}
