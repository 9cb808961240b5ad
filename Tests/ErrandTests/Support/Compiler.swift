import Dispatch
import Foundation
import Testing

enum Compiler {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()

  static let modules =
    ["-I", products.appendingPathComponent("Modules").path]
    + ["CCurl", "CStack", "CSums"].flatMap { name in
      ["-Xcc", "-fmodule-map-file=\(products.appendingPathComponent("\(name).build/module.modulemap").path)"]
    }

  /// From the name of the folder above the products.
  static let target = products.resolvingSymlinksInPath().deletingLastPathComponent().lastPathComponent

  /// On a separate queue, so waiting blocks no thread of the shared pool.
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

  /// Tools outside of `PATH` are in the folder of the compiler.
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
