import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Secrets in reports")
struct ReportSecretsTests {
  private static var verdict: ExchangeReport.CacheVerdict {
    var verdict = ExchangeReport.CacheVerdict(.stale, because: "https://ada:hunter2@h/?token=hunter2 failed")
    verdict.storing = "not stored: token=hunter2"
    return verdict
  }

  private static func dumped(_ value: Any) -> String {
    var text = ""
    dump(value, to: &text)
    return text + "\(value)" + String(reflecting: value)
  }

  @Test("A cache verdict hides secrets in print and in dump")
  func verdict() {
    #expect(
      "\(Self.verdict)"
        == "from the cache, stale: https://<redacted>@h/?token=<redacted> failed; not stored: token=<redacted>"
    )
    #expect(!Self.dumped(Self.verdict).contains("hunter2"))
  }

  @Test("The verdict, the proxy and the reason against a retry are hidden in an encoded or printed report")
  func encoded() throws {
    var attempt = PrintedTypesTests.attempt
    (attempt.cache, attempt.metrics) = (Self.verdict, PrintedTypesTests.metrics)
    attempt.noRetryReason = "token=hunter2 was refused"
    var report = PrintedTypesTests.report
    report.attempts = [attempt]
    let texts = [
      String(decoding: try JSONEncoder().encode(report), as: UTF8.self), Self.dumped(report),
      Self.dumped(attempt),
    ]
    for text in texts { #expect(!text.contains("hunter2"), "\(text)") }
    #expect("\(attempt)".contains("via http://ada:<redacted>@proxy.example:3128"))
    #expect("\(attempt)".contains("No retry: token=<redacted> was refused."))
  }

  @Test("The reason for a stale response hides the values that the dispatch sent")
  func fallback() async throws {
    let transport = FunctionTransport { _, number in
      if number > 1 { throw TransportError(.connectionFailed, "no way for k3y-of-ada") }
      return HTTPResponse(headers: ["Cache-Control": "max-age=0", "ETag": "\"1\""], body: Data("x".utf8))
    }
    var configuration = AgentConfiguration()
    (configuration.cache, configuration.cachePolicy) = (MemoryCache(), .networkElseCache)
    let agent = RequestAgent(
      baseURL: "https://api.example.com", transport: transport, configuration: configuration)
    let request = OneOffRequest<String>.get("a", headers: ["X-Api-Key": "k3y-of-ada"], as: String.self)
    _ = try await agent.send(request)
    let received = try await agent.response(for: request)
    #expect(received.value == "x" && received.report.cache?.source == .stale)
    #expect(received.report.cache?.reason == "no way for <redacted>")
  }

  @Test("The error in a report tells the length of a body that the report no longer has")
  func length() async throws {
    let transport = FunctionTransport { _, _ in HTTPResponse(status: 404, body: Data("nothing".utf8)) }
    let agent = RequestAgent(baseURL: "https://api.example.com", transport: transport)
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("a")) }
    #expect(error.description.contains("Response: 404 Not Found, 7 bytes: \"nothing\""))
    let failure = try #require(error.report?.attempts.first?.failure)
    #expect(failure.description.contains("Response: 404 Not Found, 7 bytes read\n"))
    let decoded = try JSONDecoder().decode(ExchangeReport.self, from: try JSONEncoder().encode(error.report))
    #expect(
      decoded.attempts.first?.failure?.description.contains("Response: 404 Not Found, 7 bytes read\n") == true
    )
  }
}
