import Foundation
import Testing

/// Finds code that reads a clock or a random generator directly, instead of the agent's clock and generators.
@Suite("A single clock")
struct OneClockTests {
  static let forbidden = [
    "ContinuousClock", "SuspendingClock", "SystemClock", "Task.sleep", "Date()", "Date.now",
    ".timeIntervalSinceNow",
    "timeIntervalSinceNow:", "DispatchTime", "DispatchWallTime", "DispatchSource", "asyncAfter", "Timer(",
    "Timer.",
    "RunLoop", "usleep", "nanosleep", "clock_gettime", "gettimeofday", "mach_absolute_time", "CFAbsoluteTime",
    "systemUptime", ".random(", "randomElement", "shuffled", "SystemRandomNumberGenerator", "UUID()",
    "arc4random",
    "SystemTime.", "SystemRandom.",
  ]

  /// Most lines define defaults of injected values.
  static let allowed = [
    "Agent/AgentConfiguration.swift: SystemRandom.fraction",
    "Agent/AgentConfiguration.swift: SystemRandom.key",
    "Authentication/PasswordAuthenticator.swift: SystemRandom.digits",
    "Authentication/PasswordAuthenticator.swift: SystemRandom.digits",
    "Bodies/MultipartBody.swift: SystemRandom.digits",
    "Cache/CacheFolder.swift: SystemTime.date",
    "Cookies/CookieStore.swift: SystemTime.date",
    "Message/HTTPDate.swift: SystemTime.date",
    "Transfers/LeftoverParts.swift: SystemTime.date",
    "ErrandApps/Background/BackgroundEventSource.swift: SystemRandom.digits",
    "ErrandApps/Background/BackgroundTransfers.swift: SystemRandom.digits",
    "ErrandApps/Background/BackgroundTransfers.swift: SystemRandom.digits",
    "ErrandOAuth/OAuthClient.swift: SystemRandom.digits",
  ]

  /// Outside of the folders `Transport` and `Support`.
  static func findings() throws -> [String] {
    try findings(in: "Errand", prefix: "")
      + ["ErrandApps", "ErrandHARFormat", "ErrandLogs", "ErrandOAuth", "ErrandService", "ErrandTelemetry"]
      .flatMap {
        try findings(in: $0, prefix: "\($0)/")
      }
  }

  private static func findings(in module: String, prefix: String) throws -> [String] {
    let folder = Compiler.root.appendingPathComponent("Sources/\(module)").path
    let names = try #require(FileManager.default.enumerator(atPath: folder)).compactMap { $0 as? String }
    return try names.sorted().filter { name in
      name.hasSuffix(".swift") && !name.hasPrefix("Transport/") && !name.hasPrefix("Support/")
    }.flatMap { name in
      let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
      return findings(in: text).map { "\(prefix)\(name): \($0)" }
    }
  }

  static func findings(in text: String) -> [String] {
    text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }.flatMap { line in
      forbidden.filter(line.contains).map { word in
        let rest = line[(line.range(of: word)?.upperBound ?? line.endIndex)...]
        return word.hasSuffix(".") ? word + rest.prefix { $0.isLetter } : word
      }
    }
  }

  @Test("No file outside Transport and Support reads a clock or a random generator directly")
  func injected() throws {
    #expect(try Self.findings() == Self.allowed)
  }

  @Test(
    "A direct read is found",
    arguments: [
      "  try await Task.sleep(for: .seconds(1))", "let now = Date()", "let x = Int.random(in: 0..<9)",
      "queue.asyncAfter(deadline: .now() + 1) {}", "let clock = ContinuousClock()",
    ])
  func noticed(_ line: String) {
    #expect(!Self.findings(in: "struct X {\n\(line)\n}").isEmpty)
    #expect(Self.findings(in: "// \(line)").isEmpty)
  }
}
