import Foundation
import Testing

extension Compiler {
  /// May import the package's modules and Testing; every warning is an error.
  static func typecheck(_ source: String, _ arguments: [String] = []) async throws -> (Int32, String) {
    try await inTemporaryFolder { folder in
      let file = folder.appendingPathComponent("main.swift")
      try source.write(to: file, atomically: true, encoding: .utf8)
      return try await run(
        "swiftc",
        ["-typecheck", "-swift-version", "6", "-warnings-as-errors", "-plugin-path", try testingPlugins()]
          + modules + arguments + [file.path])
    }
  }

  static func inTemporaryFolder<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("errand-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
  }

  private static func testingPlugins() throws -> String {
    let toolchain = try #require(path(of: "swiftc")).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent()
    return toolchain.appendingPathComponent("lib/swift/host/plugins/testing").path
  }
}
