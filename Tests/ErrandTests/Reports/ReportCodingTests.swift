import ErrandMocks
import Foundation
import Testing

@testable import Errand
@testable import ErrandTelemetry
@testable import ErrandLogs

@Suite("The machine-readable report of a dispatch", .timeLimit(.minutes(5)))
struct ReportCodingTests {
  static func json(_ report: ExchangeReport) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(report), as: UTF8.self)
  }

  static func report(_ json: String) throws -> ExchangeReport {
    try JSONDecoder().decode(ExchangeReport.self, from: Data(json.utf8))
  }

  static func reports() async throws -> [ExchangeReport] {
    let clock = TestClock(autoAdvances: true)
    let agent = ReportedExchange.agent(clock, { ($0.retryPolicy, $0.allowsMocks) = (.upTo(1), true) }) {
      request in
      switch request.url?.path {
      case "/old": .status(302).header("Location", "/new;a=%3Credacted%3E?q=%20%22")
      case "/busy": .text("busy", status: 503).header("Retry-After", "3").header("Set-Cookie", "a=b")
      case "/lost": .failure(TransportError(.connectionLost, "it broke\nin two"))
      default: .text("here").header("X-Ä", "ö")
      }
    }
    var reports: [ExchangeReport] = []
    for path in ["old", "busy?password=1", "lost", "here", "https://ada:pw@other.example/"] {
      let handle = agent.start(ReportedExchange.Fetch(path))
      _ = try? await handle.value
      reports.append(try #require(handle.report))
    }
    reports.append(try await agent.response(for: ReportedExchange.Mocked()).report)
    let cancelled = agent.start(
      ReportedExchange.Fetch("never").with(\.accessories, [ReportedExchange.Canceller(agent)]))
    _ = try? await cancelled.value
    return reports + [try #require(cancelled.report)]
  }

  @Test("The report has the expected text")
  func text() async throws {
    let agent = ReportedExchange.agent(TestClock(autoAdvances: true)) { _ in
      .text("gone").header("Set-Cookie", "id=hunter2").delayed(by: .milliseconds(1500))
    }
    let fetch = ReportedExchange.Fetch("users/7?token=hunter2").with(\.validators, [.status(410)])
      .with(\.headers, ["Authorization": "Bearer hunter2", "User-Agent": "test"])
    let error = try await #require(throws: RequestError.self) { try await agent.send(fetch) }
    let json = try Self.json(#require(error.report))
    #expect(
      json == """
        {
          "attempts" : [
            {
              "authenticationWait" : 0,
              "begun" : 0,
              "bodyLength" : 4,
              "elapsed" : 1.5,
              "failure" : {
                "attempts" : 1,
                "elapsed" : 1.5,
                "isOverRetryBudget" : false,
                "kind" : "status",
                "reason" : "status 200 OK is not 410",
                "stage" : "validate",
                "streamedLength" : 4
              },
              "isCoalesced" : false,
              "isMocked" : false,
              "noRetryReason" : "the retry policy allows no retry",
              "number" : 1,
              "outcome" : "failure",
              "redirects" : [

              ],
              "request" : {
                "headers" : [
                  {
                    "name" : "Authorization",
                    "value" : "Bearer <redacted>"
                  },
                  {
                    "name" : "User-Agent",
                    "value" : "test"
                  }
                ],
                "method" : "GET",
                "url" : "https://mocked.example/users/7?token=<redacted>"
              },
              "response" : {
                "headers" : [
                  {
                    "name" : "Content-Type",
                    "value" : "text/plain; charset=utf-8"
                  },
                  {
                    "name" : "Set-Cookie",
                    "value" : "<redacted>"
                  },
                  {
                    "name" : "Content-Length",
                    "value" : "4"
                  }
                ],
                "status" : 200,
                "trailers" : [

                ],
                "url" : "https://mocked.example/users/7?token=<redacted>"
              },
              "slotWait" : 0,
              "stage" : "validate",
              "throttleWait" : 0,
              "transferCount" : 1
            }
          ],
          "elapsed" : 1.5,
          "failure" : {
            "attempts" : 1,
            "elapsed" : 1.5,
            "isOverRetryBudget" : false,
            "kind" : "status",
            "reason" : "status 200 OK is not 410",
            "stage" : "validate"
          },
          "id" : 1,
          "lastStage" : "validate",
          "outcome" : "failure",
          "started" : 1800000000,
          "turnWait" : 0
        }
        """)
  }

  @Test("A written report is read and written again equally, and prints the same table")
  func roundTrip() async throws {
    let reports = try await Self.reports()
    #expect(
      reports.map { OutcomeRecord($0.outcome) } == [
        .success, .failure, .failure, .success, .success, .success, .cancelled,
      ])
    for report in reports {
      let json = try Self.json(report)
      let read = try Self.report(json)
      #expect(try Self.json(read) == json)
      #expect("\(read)" == "\(report)")
      #expect(read.started == report.started && read.elapsed == report.elapsed)
      #expect(read.outcome.error?.kind == report.outcome.error?.kind)
      #expect(read.attempts.map(\.retry) == report.attempts.map(\.retry))
    }
  }

  @Test("The waits and the transport's metrics round-trip")
  func values() throws {
    var metrics = TransportSummary.Metrics()
    (metrics.nameLookup, metrics.connect, metrics.secureConnect) = (
      .nanoseconds(1), .milliseconds(2), .seconds(5)
    )
    (metrics.firstByte, metrics.total) = (.seconds(86_400 * 365), .nanoseconds(123_456_789))
    (metrics.bytesSent, metrics.bytesReceived, metrics.isConnectionReused) = (.max, 2, true)
    (metrics.resends, metrics.httpVersion, metrics.remoteAddress) = (1, "HTTP/2", "[::1]:443")
    metrics.tls = TransportSummary.Metrics.TLSDetails(
      version: "TLS 1.3", cipherSuite: "TLS_AES_256_GCM_SHA384", applicationProtocol: "h2",
      certificates: [Data([1, 2]), Data([3])])
    metrics.proxy = "http://p.example:3128"
    metrics.proxyResponse = HTTPResponse(status: 200, headers: ["Via": "p"])
    var response = HTTPResponse(status: 200)
    response.trailers = ["Digest": "1"]
    var attempt = AttemptReport(
      number: 1, request: nil, response: response, redirects: [], bodyLength: 7, metrics: metrics,
      isMocked: false,
      begun: .seconds(1), elapsed: .seconds(2), outcome: .cancelled, stage: .hostSlot, retry: nil,
      noRetryReason: "x")
    (attempt.slotWait, attempt.throttleWait, attempt.authenticationWait) = (
      .seconds(3), .seconds(4), .seconds(5)
    )
    attempt.isCoalesced = true
    let report = ExchangeReport(
      id: .max, started: Date(timeIntervalSince1970: 1.5), elapsed: .seconds(9), turnWait: .seconds(6),
      attempts: [attempt], outcome: .cancelled, lastStage: .hostSlot)
    let read = try Self.report(Self.json(report))
    #expect(read.id == .max && read.turnWait == .seconds(6) && read.started == report.started)
    let back = try #require(read.attempts.first)
    #expect(back.metrics == metrics && back.response?.trailers == response.trailers)
    #expect(
      [back.slotWait, back.throttleWait, back.authenticationWait] == [.seconds(3), .seconds(4), .seconds(5)])
    #expect(
      back.isCoalesced && back.outcome.isCancelled && back.stage == .hostSlot && back.noRetryReason == "x")
  }

  static let hidden: [(String, [Secret], String)] = [
    ("https://acme-corp.example.com/x", ["acme-corp"], "https://<redacted>.example.com/x"),
    ("https://api.example.com/x?password=example", [], "https://api.<redacted>.com/x?password=<redacted>"),
    ("https://api.example.com:8443/x?pass=8443", [], "https://api.example.com:<redacted>/x?pass=<redacted>"),
    ("https://api.example.com:8443/", ["api.example", "443"], "https://<redacted>.com:8443/"),
    ("https://[::1]:8443/x", ["::1"], "https://[<redacted>]:8443/x"),
    ("https://u:pw@api.example.com:8443", ["8443"], "https://api.example.com:<redacted>"),
    ("https://a.example/doors/code-17/open", ["code-17"], "https://a.example/doors/<redacted>/open"),
    (
      "https://a.example/a%20b?q=%20code-17%3A&r=1", ["code-17"],
      "https://a.example/a%20b?q=%20<redacted>%3A&r=1"
    ),
    ("https://a.example/a%3Acode-17", ["code-17"], "https://a.example/a%3A<redacted>"),
  ]

  @Test("A redacted URL in any part can be read, and prints the same", arguments: hidden)
  func hiddenInURL(_ row: (String, [Secret], String)) async throws {
    let agent = ReportedExchange.agent(TestClock(autoAdvances: true)) { _ in .text("here") }
    let fetch = ReportedExchange.Fetch(row.0).with(\.secrets, row.1)
    let report = try await agent.response(for: fetch).report
    #expect("\(report)".hasPrefix("Request 1: GET \(row.2)\n"), "\(report)")
    let json = try Self.json(report)
    let read = try Self.report(json)
    #expect("\(read)" == "\(report)")
    #expect(try Self.json(read) == json)
  }

  @Test(
    "A wait of more than a lifetime can be read",
    arguments: [Duration.seconds(Int64.max), .seconds(10_000_000_000), .seconds(8_999_999_999)])
  func longWait(_ wait: Duration) throws {
    let attempt = AttemptReport(
      number: 1, request: nil, response: nil, redirects: [], bodyLength: 0, metrics: nil, isMocked: false,
      begun: .zero, elapsed: .zero, outcome: .cancelled, stage: .transport,
      retry: .init(wait: wait, source: .request), noRetryReason: nil)
    let report = ExchangeReport(
      id: 1, started: Date(timeIntervalSince1970: 1.5), elapsed: .zero, attempts: [attempt],
      outcome: .cancelled,
      lastStage: .retry)
    let read = try Self.report(Self.json(report))
    #expect(
      "\(read)" == "\(report)" && "\(read)".contains("Retry in \(wait.seconds), as the request decided."))
  }

  @Test(
    "Times at the ends of the readable range are printed, even if their sum overflows",
    arguments: [Duration.seconds(Int64.max), .seconds(9e19), .seconds(-9e19)])
  func endsOfTime(_ time: Duration) throws {
    let url = try #require(URL(string: "https://a.example/"))
    var attempt = AttemptReport(
      number: .max, request: HTTPRequest(url: url), response: HTTPResponse(status: 200),
      redirects: [time, .zero - time].map {
        AttemptReport.Redirect(from: url, status: 302, to: url, method: .get, followed: $0)
      }, bodyLength: .max, metrics: nil, isMocked: false, begun: time, elapsed: time, outcome: .cancelled,
      stage: .transport, retry: .init(wait: time, source: .policy), noRetryReason: nil)
    (attempt.slotWait, attempt.throttleWait, attempt.authenticationWait) = (time, time, time)
    attempt.sentBefore = .max
    let report = ExchangeReport(
      id: 1, started: Date(timeIntervalSince1970: 1.5), elapsed: time, turnWait: time, attempts: [attempt],
      outcome: .cancelled, lastStage: .transport)
    let read = try Self.report(Self.json(report))
    #expect(
      "\(read)".hasPrefix(
        "Request 1: https://a.example/\nCancelled at transport after \(time.seconds), 1 attempt."))
    #expect("\(try #require(read.attempts.first))".hasPrefix("Attempt \(Int.max): 200 OK, \(Int.max) bytes"))
    let back = try #require(read.attempts.first)
    #expect(back.requestDuration >= 0 && back.resendCount == .max - 1)
    #expect(String(decoding: read.har(), as: UTF8.self).contains("\"entries\""))
    #expect(back.attributes()["http.request.resend_count"] == .int(.max - 1))
  }

  static let broken: [(String, String, String)] = [
    (
      #""lastStage" : "decode""#, #""lastStage" : "lunch""#,
      "Cannot initialize Stage from invalid String value lunch"
    ),
    (
      #""outcome" : "success""#, #""outcome" : "failure""#,
      "the outcome is a failure, and the failure is not there"
    ),
    (#""elapsed" : 0"#, #""elapsed" : 1e300"#, "1e+300 seconds are too many"),
    (#""url" : "https://mocked.example/here""#, #""url" : """#, "“” is not a URL"),
  ]

  @Test("An invalid report is an error with the reason", arguments: broken)
  func refused(_ row: (String, String, String)) async throws {
    let agent = ReportedExchange.agent(TestClock(autoAdvances: true)) { _ in .text("here") }
    let json = try await Self.json(agent.response(for: ReportedExchange.Fetch("here")).report)
    let broken = json.replacing(row.0, with: row.1)
    #expect(broken != json)
    let error = #expect(throws: DecodingError.self) { try Self.report(broken) }
    guard case .dataCorrupted(let context) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.debugDescription == row.2)
  }
}
