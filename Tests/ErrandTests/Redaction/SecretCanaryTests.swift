import ErrandMocks
import Foundation
import Testing

@testable import Errand
@testable import ErrandTelemetry
@testable import ErrandLogs

/// Puts a secret into every location, lets every ending echo the secret, and searches everything printed.
@Suite("No printed form of a dispatch shows a secret")
struct SecretCanaryTests {
  final class Printed: Sendable {
    private let texts = Locked<[(name: String, text: String)]>([])

    var all: [(name: String, text: String)] { texts.withLock { $0 } }

    func add(_ name: String, _ text: String) { texts.withLock { $0.append((name, text)) } }

    func add(_ name: String, of value: Any) {
      var dumped = ""
      dump(value, to: &dumped)
      add("\(name), described", String(describing: value))
      add("\(name), reflected", String(reflecting: value))
      add("\(name), dumped", dumped)
      if let error = value as? any Error { add("\(name), localized", error.localizedDescription) }
    }
  }

  struct Watcher: Accessory {
    let printed: Printed
    func requestWillStart(_ context: RequestContext) async { printed.add("context", of: context) }
    func attemptWillSend(_ request: HTTPRequest, context: RequestContext) async {
      printed.add("request", of: request)
      printed.add("transport request", of: TransportRequest(request))
    }
    func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async {
      printed.add("attempt", of: attempt)
      printed.add("redirects", of: attempt.redirects)
      attempt.response.map { printed.add("response", of: $0) }
      printed.add("body", attempt.response.map { context.redaction.body($0.body, contentType: nil) } ?? "")
      let names = ["Authorization", "Cookie", "X-Harmless", "X-Session", "Location", "X-Echo", "Set-Cookie"]
      printed.add("attributes", of: attempt.attributes(requestHeaders: names, responseHeaders: names))
      printed.add("trailers", of: context.redaction.headers(attempt.response?.trailers ?? [:]))
    }
    func requestDidStop(_ report: ExchangeReport, context: RequestContext) async {
      printed.add("report", of: report)
      printed.add(
        "report for machines",
        (try? JSONEncoder().encode(report)).map { String(decoding: $0, as: UTF8.self) } ?? "")
      printed.add("HAR", String(decoding: report.har(), as: UTF8.self))
      printed.add("outcome", of: report.outcome)
    }
  }

  static func agent(
    _ place: SecretCanaryPlace, _ ending: SecretCanaryEnding, _ redaction: Redaction, _ printed: Printed,
    _ others: [any Accessory] = []
  ) -> RequestAgent {
    let clock = TestClock(autoAdvances: true)
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    configuration.redaction = redaction
    if ending == .retried { configuration.retryPolicy = .upTo(1) }
    place.configure(&configuration)
    let loggers = [ConsoleLogger.Level.line, .headers, .body].map { level in
      ConsoleLogger(level: level) { printed.add("log at \(level)", $0) }
    }
    let text = place.canary.text
    return RequestAgent(
      baseURL: place.base,
      transport: MockTransport(clock: clock) { try ending.answer(text, to: $0.number) },
      hooks: place.hooks + ending.hooks(text), accessories: loggers + [Watcher(printed: printed)] + others,
      configuration: configuration)
  }

  static func run(
    _ place: SecretCanaryPlace, _ ending: SecretCanaryEnding, _ redaction: Redaction
  ) async -> [(name: String, text: String)] {
    let printed = Printed()
    let folder = TemporaryDirectory()
    let file = folder.url.appendingPathComponent("session.har")
    let session = HARLogger(file)
    let agent = agent(place, ending, redaction, printed, [session])
    printed.add("agent", of: agent)
    if ending == .decoding {
      let json: any ResponseSerializer<SecretCanaryItem> = .json()
      await print(place.request(json), agent, printed)
    } else {
      let text: any ResponseSerializer<String> = .text
      await print(place.request(text), agent, printed)
    }
    try? await session.flush()
    printed.add("HAR of the session", (try? String(contentsOf: file, encoding: .utf8)) ?? "")
    return printed.all
  }

  private static func print<R: Request>(_ request: R, _ agent: RequestAgent, _ printed: Printed) async {
    printed.add("endpoint", of: request)
    if let explained = try? await agent.explain(request) {
      printed.add("explanation", of: explained)
      printed.add("its command", explained.curlCommand)
      printed.add("its request", of: explained.request)
      printed.add("command", explained.request.curlCommand())
    }
    do {
      let received = try await agent.response(for: request)
      printed.add("received", of: received)
      printed.add("response", of: received.response)
      printed.add("outcome", of: Outcome<R.Response>.success(received.value))
    } catch {
      printed.add("error", of: error)
      guard let error = error as? RequestError else { return }
      printed.add("outcome", of: Outcome<R.Response>.failure(error))
      printed.add("its report", of: error.report as Any)
      error.response.map { printed.add("refused response", of: $0) }
      error.request.map { printed.add("refused request", of: $0) }
    }
    do {
      let streamed = try await agent.stream(request)
      printed.add("streamed", of: streamed)
      printed.add("head", of: streamed.head)
      for try await _ in streamed.body {}
      printed.add("streamed report", of: streamed.report as Any)
    } catch {
      printed.add("stream's error", of: error)
    }
  }

  /// Every location with two endings, and three locations with all endings but `cutPage`.
  ///
  /// With `ERRAND_CANARIES=all`, every location with all endings but `cutPage`.
  static let pairs = SecretCanaryPlace.allCases.enumerated().flatMap { index, place in
    let endings = SecretCanaryEnding.allCases.filter { $0 != .cutPage }
    let all = ProcessInfo.processInfo.environment["ERRAND_CANARIES"] == "all"
    let isThorough = all || [.bearer, .secretHeaderName, .secretPath].contains(place)
    let chosen = [0, 5].map { endings[(index + $0) % endings.count] }
    return (isThorough ? endings : chosen).map { (place, $0) }
  }

  @Test("Secrets are hidden in every location and every echo", arguments: pairs)
  func hidden(_ place: SecretCanaryPlace, _ ending: SecretCanaryEnding) async {
    let printed = await Self.run(place, ending, .standard)
    #expect(printed.count > 30)
    #expect(printed.contains { $0.name == "HAR of the session" && $0.text.contains("\"entries\"") })
    for (text, names) in Dictionary(grouping: printed, by: \.text) {
      if place.canary.isSeen(in: text) { Issue.record("\(names.map(\.name)): \(text.prefix(4_000))") }
    }
  }

  @Test(
    "Secrets are hidden if the body kept for an error ends inside a secret",
    arguments: [SecretCanaryPlace.bearer, .form])
  func cut(_ place: SecretCanaryPlace) async throws {
    let agent = Self.agent(place, .cutPage, .standard, Printed())
    let text: any ResponseSerializer<String> = .text
    let error = try await #require(throws: RequestError.self) { try await agent.send(place.request(text)) }
    let body = try #require(error.response?.body)
    let redaction = Redaction.standard.hidingCredentials(of: try #require(error.request))
    let shown = redaction.body(body, contentType: "text/plain")
    #expect(body.count == RequestError.bodyLimit && shown.hasSuffix("pp<redacted>"))
    #expect(Redaction.none.body(body, contentType: nil).hasSuffix(place.canary.text.prefix(10)))
  }

  @Test("Without redaction the sent secret is visible", arguments: SecretCanaryPlace.allCases)
  func seenAsSent(_ place: SecretCanaryPlace) async {
    let printed = await Self.run(place, .page, .none).filter { $0.name == "log at body" }
    let sent = printed.filter { $0.text.contains("] > ") }
    #expect(sent.contains { place.canary.isSeen(in: $0.text) })
    #expect(printed.contains { place.canary.isSeen(in: $0.text) && $0.text.contains("] < ") })
  }

  @Test("Without redaction the echoed secret is visible", arguments: SecretCanaryEnding.allCases)
  func seenAsEchoed(_ ending: SecretCanaryEnding) async {
    let printed = await Self.run(.bearer, ending, .none).filter { !$0.text.contains("Authorization") }
    #expect(printed.contains { SecretCanaryPlace.bearer.canary.isSeen(in: $0.text) })
  }
}
