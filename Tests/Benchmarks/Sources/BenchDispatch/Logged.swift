import BenchSupport
import Errand
import ErrandLogs
import Foundation

/// Logged dispatches, and the same dispatches without a log: 1.5 KB of JSON, a credential, and the response
/// head of a real service.
///
/// The variant names the log: `log-none`, `log-html`, `log-har`, `log-line` or `log-body`. The last two use a
/// `ConsoleLogger` whose sink does nothing.
///
/// With the suffix `-whole`, the benchmark waits after each 32 exchanges until the log has written all
/// exchanges, so the log drops nothing. The wait is not measured.
final class Logged: Sendable {
  private let agent: RequestAgent
  private let accessory: (any Accessory)?
  private let isWhole: Bool
  private let folder: URL

  init(_ options: Options) {
    var name = options.variant.dropFirst("log-".count)
    isWhole = name.hasSuffix("-whole")
    if isWhole { name = name.dropLast("-whole".count) }
    folder = URL(fileURLWithPath: options.output)
    accessory =
      switch name {
      case "none": nil
      case "html": HTMLLogger(directory: folder)
      case "har": HARLogger(folder.appendingPathComponent("session.har"))
      case "line": ConsoleLogger(sink: NoSink())
      case "body": ConsoleLogger(level: .body, sink: NoSink())
      default: fail("no such log")
      }
    let head: HTTPHeaders = [
      "Content-Type": "application/json; charset=utf-8", "Date": "Tue, 24 Nov 2026 08:26:48 GMT",
      "Server": "nginx", "ETag": "\"5f3c9a71\"", "Cache-Control": "no-store", "X-Request-Id": "7f9c2ba4",
    ]
    agent = RequestAgent(
      baseURL: "https://api.example.com", transport: ConstantTransport(Self.people, more: head),
      accessories: accessory.map { [$0] } ?? [])
  }

  /// Eleven people, 1.5 KB.
  private static let people = Data(
    "[\((1...11).map { #"{"id":\#($0),"name":"Ada Lovelace","email":"ada\#($0)@example.com","active":true,"score":9.75,"tags":["a","b"],"city":"London"}"# }.joined(separator: ","))]"
      .utf8)

  private struct GetPeople: Request {
    typealias Response = Data
    let page: Int
    var path: String { "teams/7/people" }
    var query: Parameters { ["page": page, "sort": "name"] }
    var headers: HTTPHeaders {
      ["Authorization": "Bearer 0123456789abcdef0123456789abcdef", "X-Client": "bench"]
    }
  }

  /// Never returns; prints a line about the exchanges.
  func measure(_ options: Options) -> Never {
    measureParts(options) {
      try await self.send(options.warmUp)
      try await self.flush()
    } _: {
      var paths = 0.0
      var left = options.requests
      while left > 0 {
        let count = min(left, self.isWhole ? 32 : left)
        let start = secondsNow()
        try await self.send(count)
        paths += secondsNow() - start
        if self.isWhole { try await self.flush() }
        left -= count
      }
      try await self.flush()
      return ["pathSeconds": paths, "dropped": Double(self.dropped), "written": Double(self.written)]
    }
  }

  private func send(_ count: Int) async throws {
    for index in 0..<count { _ = try await agent.send(GetPeople(page: index)) }
  }

  private func flush() async throws {
    switch accessory {
    case let log as HTMLLogger:
      await log.flush()
      if let problem = log.problem { fail(problem) }
    case let log as HARLogger: try await log.flush()
    default: break
    }
  }

  /// The number of dropped items: events of a page, or dispatches of a HAR file.
  private var dropped: Int {
    switch accessory {
    case let log as HTMLLogger: log.lostEvents
    case let log as HARLogger: log.droppedCount
    default: 0
    }
  }

  /// The bytes of all files.
  private var written: Int {
    let files = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
    let sizes = files.map { file in
      (try? FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(file)")[.size] as? Int) ?? 0
    }
    return sizes.reduce(0, +)
  }
}

/// Ignores all events.
private struct NoSink: LogSink {
  func write(_ event: LoggedEvent) {}
}
