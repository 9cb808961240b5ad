import ErrandMocks
import Foundation
import Testing

@testable import Errand
@testable import ErrandLogs

/// Sends secrets in every location, logs to all loggers, and searches the written bytes.
///
/// `ERRAND_CANARY_EXCHANGES=100000` sets the number of exchanges.
@Suite("No log shows a secret, for any amount of logging", .timeLimit(.minutes(60)))
struct SecretCanaryScaleTests {
  /// The first and last eight bytes, a part in Base64, and the whole in hexadecimal digits.
  struct Needles {
    let forms: [(name: String, bytes: Data)]

    init(_ canary: SecretCanary) {
      let bytes = Array(canary.text.utf8)
      var forms: [(name: String, bytes: Data)] = []
      for piece in [Array(bytes.prefix(8)), Array(bytes.suffix(8))] {
        let percent = piece.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let text = String(decoding: piece, as: UTF8.self)
        let json = (try? JSONEncoder().encode(text)).map { Data($0.dropFirst().dropLast()) }
        let html = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(
          "\"", with: "&quot;")
        forms += [
          ("plain", Data(piece)), ("JSON", json ?? Data()), ("in HTML", Data(html.utf8)),
          ("percent-encoded", Data(PercentEncoding.encode(text).utf8)),
          ("all percent-encoded", Data(percent.utf8)),
          ("all percent-encoded in capitals", Data(percent.uppercased().utf8)),
          // JSON as escaped in a block of a page.
          (
            "JSON in a page",
            Data(
              String(decoding: json ?? Data(), as: UTF8.self).replacing("<", with: "\\u003C").replacing(
                "&", with: "\\u0026"
              ).utf8)
          ),
        ]
      }
      let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      forms += [("hex", Data(hex.utf8)), ("hex in capitals", Data(hex.uppercased().utf8))]
      for shift in 0..<3 {
        // Leaves out Base64 characters that also depend on neighbouring bytes.
        let encoded = Data([UInt8](repeating: 0, count: shift) + bytes).base64EncodedString()
        let own = String(encoded.dropFirst(shift == 0 ? 0 : 4).prefix(8))
        let url = own.replacing("+", with: "-").replacing("/", with: "_")
        forms += [
          ("Base64 after \(shift)", Data(own.utf8)), ("Base64 of URLs after \(shift)", Data(url.utf8)),
        ]
      }
      self.forms = forms.filter { !$0.bytes.isEmpty }
    }

    func found(in bytes: Data) -> [String] { forms.filter { bytes.range(of: $0.bytes) != nil }.map(\.name) }
  }

  final class Logs: Sendable {
    private let folder = TemporaryDirectory()
    private let texts = Locked<[String: Data]>([:])
    let page: HTMLLogger
    let session: HARLogger

    init() {
      var limits = HTMLLogger.Limits()
      (limits.waitingEvents, limits.waitingSize) = (100_000, 1 << 30)
      page = HTMLLogger(directory: folder.url, limits: limits)
      session = HARLogger(folder.url.appendingPathComponent("session.har"), capacity: 100_000)
    }

    var accessories: [any Accessory] {
      [
        page, session, ConsoleLogger(level: .body) { [self] in add("console", $0) },
        ConsoleLogger(level: .headers, sink: Sink(logs: self)), Forms(logs: self),
      ]
    }

    func add(_ name: String, _ text: String) {
      texts.withLock { $0[name, default: Data()].append(contentsOf: "\(text)\n".utf8) }
    }

    func all() async throws -> [String: Data] {
      await page.flush()
      try await session.flush()
      #expect(page.lostEvents == 0 && page.problem == nil && session.droppedCount == 0)
      var all = texts.withLock(\.self)
      for path in try FileManager.default.subpathsOfDirectory(atPath: folder.url.path) {
        let file = folder.url.appendingPathComponent(path)
        if let bytes = try? Data(contentsOf: file) { all[path] = bytes }
      }
      return all
    }
  }

  private struct Sink: LogSink {
    let logs: Logs
    func write(_ event: LoggedEvent) {
      logs.add("sink", "\(event.text) \(event) \(String(reflecting: event.report as Any))")
    }
  }

  private struct Forms: Accessory {
    let logs: Logs
    func attemptWillSend(_ request: HTTPRequest, context: RequestContext) async {
      logs.add("debug forms", "\(request) \(String(reflecting: request)) \(context)")
    }
    func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async {
      logs.add("debug forms", "\(attempt) \(attempt.response as Any) \(String(reflecting: attempt.response))")
    }
    func requestDidStop(_ report: ExchangeReport, context: RequestContext) async {
      var dumped = ""
      if report.id % 16 == 1 { dump(report, to: &dumped) }
      logs.add("debug forms", "\(report) \(String(reflecting: report.outcome)) \(dumped)")
    }
  }

  /// Every fifth request sends the secret also in a multipart form, every seventh response in a binary body.
  static func send(_ index: Int, _ redaction: Redaction, into logs: Logs) async {
    let (places, endings) = (SecretCanaryPlace.allCases, SecretCanaryEnding.allCases)
    let (place, ending) = (places[index % places.count], endings[index / places.count % endings.count])
    let (text, clock) = (place.canary.text, TestClock(autoAdvances: true))
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    configuration.redaction = redaction
    if ending == .retried { configuration.retryPolicy = .upTo(1) }
    place.configure(&configuration)
    let agent = RequestAgent(
      baseURL: place.base,
      transport: MockTransport(clock: clock) { request in
        guard index % 7 == 3 else { return try ending.answer(text, to: request.number) }
        return .data(
          Data([0, 1, 2, 0xFF]) + Data(text.utf8) + Data([0xFE]), contentType: "application/octet-stream")
      }, hooks: place.hooks + ending.hooks(text), accessories: logs.accessories, configuration: configuration)
    if index % 5 == 2 {
      let form = OneOffRequest<Data>(
        "form", method: .post,
        body: .multipart(["password": text, "file": Parameters.File.file(data: Data(text.utf8), name: "f")]),
        response: .data)
      _ = try? await agent.send(form.with(\.secrets, [Secret(text)]))
    }
    if ending == .decoding {
      let json: any ResponseSerializer<SecretCanaryItem> = .json()
      _ = try? await agent.send(place.request(json))
    } else {
      let text: any ResponseSerializer<String> = .text
      do { _ = try await agent.send(place.request(text)) } catch {
        logs.add("errors", "\(error) \(String(reflecting: error))")
      }
    }
  }

  private static let canaries = Dictionary(
    SecretCanaryPlace.allCases.map { ($0.canary.text, Needles($0.canary)) },
    uniquingKeysWith: { first, _ in first })

  @Test("Secrets are hidden as text, escaped, in Base64 and in hexadecimal digits")
  func hidden() async throws {
    let wanted = ProcessInfo.processInfo.environment["ERRAND_CANARY_EXCHANGES"].flatMap { Int($0) } ?? 300
    var (done, written) = (0, 0)
    while done < wanted {
      // Releases the logs after the search, to limit the memory of a long run.
      let (logs, block) = (Logs(), done..<min(done + 500, wanted))
      for index in block { await Self.send(index, .standard, into: logs) }
      let all = try await logs.all()
      #expect(all.keys.count >= 7)
      for (name, bytes) in all {
        for (text, needles) in Self.canaries {
          for form in needles.found(in: bytes) { Issue.record("\(text) is in \(name): \(form)") }
        }
        written += bytes.count
      }
      done = block.upperBound
    }
    #expect(written > wanted * 5_000)
    if wanted > 300 { print("\(wanted) exchanges, \(written) bytes searched") }
  }

  @Test("Without redaction each log shows the secrets in each form")
  func seen() async throws {
    let logs = Logs()
    // Two exchanges for each location, with the first two endings.
    for index in 0..<(2 * SecretCanaryPlace.allCases.count) { await Self.send(index, .none, into: logs) }
    let all = try await logs.all()
    for (name, bytes) in all where !name.hasSuffix("newest.html") && name != "errors" {
      #expect(Self.canaries.values.contains { !$0.found(in: bytes).isEmpty }, "\(name)")
    }
    let forms = Set(all.values.flatMap { bytes in Self.canaries.values.flatMap { $0.found(in: bytes) } })
    #expect(
      forms.isSuperset(of: ["plain", "JSON", "percent-encoded", "in HTML", "Base64 after 0", "hex"]),
      "\(forms)")
  }
}
