import ErrandJSON
import ErrandMocks
import Foundation
import Testing

@testable import Errand
@testable import ErrandHARFormat
@testable import ErrandLogs

@Suite("Request trailers in printed forms")
struct TrailerReportTests {
  static let known: RequestTrailers = ["X-Sum": "it's", "X-Api-Key": "hunter2"]

  private static func request(_ trailers: RequestTrailers, _ body: RequestBody = .none) -> HTTPRequest {
    var request = HTTPRequest(
      url: URL(string: "https://a.example/up")!, method: .post,
      headers: ["User-Agent": "t", "Accept": "*/*"], body: body)
    request.trailers = trailers
    return request
  }

  @Test(
    "The curl command names the trailers first, because curl has no option for trailers, and frames the body equally"
  )
  func command() {
    #expect(
      Self.request(Self.known).curlCommand() == #"""
        : 'curl sends no trailers: X-Sum: it'\''s; X-Api-Key: <redacted>'
        curl 'https://a.example/up' \
          --header 'User-Agent: t' \
          --header 'Accept: */*' \
          --header 'Content-Type:' \
          --header 'Expect:' \
          --header 'Transfer-Encoding: chunked' \
          --data-raw ''
        """#)
    let evil = Self.request(["X-A": "'; id; '\u{2028}x\u{1B}[2J"]).curlCommand(redaction: .none)
    #expect(evil.hasPrefix(#": 'curl sends no trailers: X-A: '\''; id; '\''"#))
    #expect(
      evil.split(separator: "\n").dropFirst().first?.hasPrefix("curl ") == true && !evil.contains("\u{1B}"))
  }

  @Test("An explanation shows the trailers after the body")
  func explanation() async throws {
    let agent = RequestAgent(baseURL: "https://a.example", transport: MockTransport { _ in .status(204) })
    let known = try await agent.explain(TrailedCall(trailers: Self.known))
    #expect(
      known.description.contains("\nbody: 5 bytes\ntrailers: X-Sum: it's; X-Api-Key: <redacted>\nbase: "))
    #expect(known.request.headers["Trailer"] == "X-Sum, X-Api-Key")
    let computed = try await agent.explain(TrailedCall())
    #expect(computed.description.contains("\ntrailers: computed after the body: X-Length\n"))
    #expect(!(try await agent.explain(TrailedCall(trailers: .none)).description.contains("trailers")))
  }

  @Test(
    "The console prints trailers from the level headers on, and the HTML log prints trailers with the request"
  )
  func loggers() async throws {
    let (lines, folder) = (Recorder(), LogFolder())
    let page = folder.logger(TestClock(autoAdvances: true))
    for level in [ConsoleLogger.Level.line, .headers] {
      let agent = RequestAgent(
        baseURL: "https://a.example", transport: MockTransport { _ in .status(204) },
        accessories: [ConsoleLogger(level: level) { lines.add($0) }, page])
      for trailers in [Self.known, TrailedCall().trailers, .none] {
        _ = try? await agent.send(TrailedCall(trailers: trailers))
      }
    }
    let printed = lines.events.flatMap { $0.split(separator: "\n") }.filter { $0.contains("trailers") }
    #expect(
      printed.map { String($0.drop { $0 != "t" }) } == [
        "trailers: X-Sum: it's; X-Api-Key: <redacted>", "trailers: computed after the body: X-Length",
      ])
    await page.flush()
    let sends = try folder.page().all("send").prefix(3)
    #expect(
      try sends.map { try $0["trailers"].text() } == [
        #"[["X-Sum","it's"],["X-Api-Key","<redacted>"]]"#, #"[["X-Length","(computed after the body)"]]"#,
        "null",
      ])
  }

  @Test("A machine-readable report and a HAR file have known trailers, with redacted secrets")
  func machines() async throws {
    let agent = RequestAgent(baseURL: "https://a.example", transport: MockTransport { _ in .text("ok") })
    let report = try await agent.response(for: TrailedCall(trailers: Self.known)).report
    let text = try JSONEncoder().encode(report)
    #expect(!String(decoding: text, as: UTF8.self).contains("hunter2"))
    let back = try JSONDecoder().decode(ExchangeReport.self, from: text)
    #expect(back.attempts[0].request?.trailers.fields == ["X-Sum": "it's", "X-Api-Key": "<redacted>"])
    let entry = try #require(try ExchangeHARTests.entries(report.har()).first)
    #expect(
      entry.request.trailers?.map { "\($0.name)=\($0.value)" } == ["X-Sum=it's", "X-Api-Key=<redacted>"])
    let plain = try await agent.response(for: TrailedCall(trailers: .none)).report
    #expect(
      !String(decoding: plain.har() + (try JSONEncoder().encode(plain)), as: UTF8.self).contains(
        "railers\":[{"))
  }

  @Test("Values sent under a secret name are redacted everywhere")
  func learned() async throws {
    let agent = RequestAgent(
      baseURL: "https://a.example",
      transport: MockTransport { _ in .text("you sent hunter2hunter2", status: 400) })
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(TrailedCall(trailers: ["X-Api-Key": "hunter2hunter2"]))
    }
    #expect(!"\(error)".contains("hunter2") && !error.debugDescription.contains("hunter2"))
  }
}
