import Errand
import ErrandHARFormat
import ErrandLogs
import ErrandJSON
import Foundation
import Testing

/// Logs more than 200 exchanges with httpbin, which `.ci/run` starts, in a HAR file.
///
/// `ERRAND_SESSION` names the HAR file. `.ci/run` checks the file with HAR readers of other projects.
@Suite(
  "A session with httpbin",
  .enabled(
    if: ProcessInfo.processInfo.environment["ERRAND_HTTPBIN"] != nil,
    "set ERRAND_HTTPBIN to the URL of an httpbin to run these"))
struct HttpbinSessionTests {
  let folder = RecordingFolder()

  @Test("200 mixed exchanges are in the file, in order, without secrets")
  func written() async throws {
    let base = try #require(ProcessInfo.processInfo.environment["ERRAND_HTTPBIN"])
    let named = ProcessInfo.processInfo.environment["ERRAND_SESSION"]
    let file = named.map { URL(fileURLWithPath: $0) } ?? folder.file("session.har")
    let logger = HARLogger(file, bodyLimit: 50_000)
    var configuration = AgentConfiguration()
    configuration.cookies = CookieStore()
    let agent = RequestAgent(baseURL: base, accessories: [logger], configuration: configuration)
    var sent: [String] = []
    for round in 0..<2 {
      for call in HttpbinRecordingTests.calls {
        let report: ExchangeReport?
        do {
          let retrying = call.with(\.retryPolicy, round == 0 ? .none : .upTo(1, backoff: .constant(.zero)))
          report = try await agent.response(for: retrying).report
        } catch let error as RequestError {
          report = error.report
        }
        for attempt in report?.attempts ?? [] {
          sent += attempt.redirects.map { "\($0.status.code)" } + ["\(attempt.response?.status.code ?? 0)"]
        }
      }
      let stream = try await agent.stream(.get("stream-bytes/70000?seed=\(round)"))
      for try await _ in stream.body {}
      sent.append("200")
      _ = try? await agent.send(.get("http://127.0.0.1:1/nobody"))
      sent.append("0")
    }
    try await logger.flush()
    let log = try JSONCoding().decode(HARFile.self, from: Data(contentsOf: file)).log
    #expect(log.entries.map { "\($0.response.status)" } == sent)
    #expect(log.entries.count > 210 && logger.droppedCount == 0)
    #expect(log.entries.contains { $0.serverIPAddress == "127.0.0.1" })
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(!text.contains("canary"))
  }
}
