import Dispatch
import Foundation
import Testing

/// The tools of the toolchain that built the tests, and the modules beside them.
enum Compiler {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()

  /// Where the modules of the package are found.
  static let modules =
    ["-I", products.appendingPathComponent("Modules").path]
    + ["CCurl", "CStack", "CSums"].flatMap { name in
      ["-Xcc", "-fmodule-map-file=\(products.appendingPathComponent("\(name).build/module.modulemap").path)"]
    }

  /// The folder of the products is named for the target.
  static let target = products.resolvingSymlinksInPath().deletingLastPathComponent().lastPathComponent

  /// Runs a tool, one after the other: who waits for it holds no thread of the pool that all tests share.
  static func run(_ tool: String, _ arguments: [String]) async throws -> (Int32, String) {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try waitFor(tool, arguments) }) }
    }
  }

  private static let queue = DispatchQueue(label: "tools")

  private static func waitFor(_ tool: String, _ arguments: [String]) throws -> (Int32, String) {
    guard let executable = path(of: tool) else { return (1, "\(tool) is not in PATH") }
    return try ChildProcess.run(executable, arguments)
  }

  /// Tools that are not in `PATH` themselves stand beside the compiler.
  static func path(of tool: String) -> URL? {
    if tool.hasPrefix("/") { return URL(fileURLWithPath: tool) }
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let found = folders.lazy.map { URL(fileURLWithPath: String($0)).appendingPathComponent(tool) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    if found != nil || tool == "swiftc" { return found }
    let beside = path(of: "swiftc")?.resolvingSymlinksInPath().deletingLastPathComponent()
    return beside?.appendingPathComponent(tool)
  }
}
