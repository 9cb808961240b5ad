import ErrandMocks
import Foundation
import Testing

@testable import Errand
@testable import ErrandLogs

/// The head, the complete blocks, and an incomplete last block.
struct LoggedPage {
  static let opening = Data(#"<script type="application/json">"#.utf8)
  static let closing = Data("</script>\n".utf8)

  let head: Data
  let blocks: [JSONValue]
  /// After the last complete block.
  let rest: Data

  init(_ url: URL) throws { try self.init(Data(contentsOf: url)) }

  /// No block may contain `<`, which could end the block.
  init(_ bytes: Data) throws {
    let start = bytes.range(of: Self.opening)?.lowerBound ?? bytes.endIndex
    head = bytes[..<start]
    var (rest, blocks) = (bytes[start...], [JSONValue]())
    while rest.starts(with: Self.opening), let end = rest.range(of: Self.closing) {
      let json = rest[(rest.startIndex + Self.opening.count)..<end.lowerBound]
      try #require(!json.contains(UInt8(ascii: "<")))
      blocks.append(try JSONCoding().decode(JSONValue.self, from: Data(json)))
      rest = rest[end.upperBound...]
    }
    (self.blocks, self.rest) = (blocks, Data(rest))
  }

  /// Such as `send 1`.
  var events: [String] {
    blocks.map { block in
      [block["kind"].string ?? "?", block["number"].number?.text].compactMap(\.self).joined(separator: " ")
    }
  }

  func all(_ kind: String) -> [JSONValue] { blocks.filter { $0["kind"].string == kind } }
}

final class LogFolder {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent("errand-log-\(UUID().uuidString)")
  /// 2026-11-24, 08:26:48 UTC.
  static let date = Date(timeIntervalSince1970: 1_795_508_808)

  deinit { try? FileManager.default.removeItem(at: url) }

  func logger(
    _ clock: TestClock, limits: HTMLLogger.Limits = .init(), at date: Date = LogFolder.date,
    detail: @escaping @Sendable (RequestContext) -> HTMLLogger.Detail = { _ in .bodies }
  ) -> HTMLLogger {
    HTMLLogger(
      directory: url, name: "shop", limits: limits, clock: AgentClock(clock, date: date), detail: detail)
  }

  /// At any depth.
  var files: [String] {
    let all = (try? FileManager.default.subpathsOfDirectory(atPath: url.path)) ?? []
    return all.filter { $0.hasSuffix(".html") }.sorted()
  }

  /// By default, of the run that starts at ``date``.
  func page(_ number: Int = 1, of run: String = "shop_log_2026-11-24T08-26-48Z") throws -> LoggedPage {
    try LoggedPage(path(number, of: run))
  }

  func path(_ number: Int = 1, of run: String = "shop_log_2026-11-24T08-26-48Z") -> URL {
    url.appendingPathComponent("\(run)/page-\(number).html")
  }

  /// Returns the number of bytes that the logger has written.
  func drain(_ fifo: URL, _ logger: HTMLLogger) async -> Int {
    let reader = Task.detached { () -> Int in
      let descriptor = open(fifo.path, O_RDWR | O_NONBLOCK)
      defer { close(descriptor) }
      var (count, buffer) = (0, [UInt8](repeating: 0, count: 65_536))
      while !Task.isCancelled {
        let piece = read(descriptor, &buffer, buffer.count)
        if piece > 0 { count += piece } else { await Task.yield() }
      }
      while case let piece = read(descriptor, &buffer, buffer.count), piece > 0 { count += piece }
      return count
    }
    await logger.flush()
    reader.cancel()
    return await reader.value
  }

  /// The last response repeats.
  static func agent(
    _ logger: HTMLLogger, _ clock: TestClock, hooks: [any RequestHooks] = [], _ answers: HTTPResponse...
  ) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    configuration.userAgent = nil
    configuration.acceptLanguage = nil
    return RequestAgent(
      baseURL: "https://api.example.com",
      transport: FunctionTransport { _, number in
        try await clock.sleep(for: .milliseconds(10))
        return answers[min(number, answers.count) - 1]
      },
      hooks: hooks, accessories: [logger], configuration: configuration)
  }
}
