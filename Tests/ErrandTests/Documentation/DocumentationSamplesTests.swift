import Foundation
import Testing

/// Takes the Swift blocks out of README and the guides and lets the compiler read them, as one program each.
@Suite("The samples of the documentation")
struct DocumentationSamplesTests {
  static let pages = [
    "README.md", "Sources/Errand/Errand.docc/GettingStarted.md",
    "Sources/Errand/Errand.docc/TheLifecycleOfARequest.md",
  ]

  /// What every page takes for granted: models of the reader's own.
  static let prelude = """
    import Errand
    import Foundation
    struct User: Codable, Sendable { var id: Int; var name: String }
    struct AppError: Error {}

    """

  @Test("They compile without a warning", arguments: pages)
  func compiles(_ page: String) throws {
    let text = try String(contentsOf: Compiler.root.appendingPathComponent(page), encoding: .utf8)
    let blocks = Self.swiftBlocks(in: text)
    if page != "Sources/Errand/Errand.docc/TheLifecycleOfARequest.md" { try #require(!blocks.isEmpty) }
    guard !blocks.isEmpty else { return }
    let (status, output) = try Self.typecheck(Self.prelude + blocks.joined(separator: "\n"))
    #expect(status == 0, "\(page):\n\(output)")
  }

  @Test("A sample that no longer fits would be noticed")
  func noticed() throws {
    let (status, output) = try Self.typecheck(Self.prelude + "let agent = RequestAgent(baseUrl: \"x\")\n")
    #expect(status != 0)
    #expect(output.contains("baseUrl"))
  }

  @Test("The first sample of README begins by line 15")
  func firstSample() throws {
    let text = try String(contentsOf: Compiler.root.appendingPathComponent("README.md"), encoding: .utf8)
    let line = text.components(separatedBy: "\n").firstIndex { $0.hasPrefix("```swift") }
    #expect(try #require(line) < 15)
  }

  static func swiftBlocks(in text: String) -> [String] {
    var blocks: [String] = []
    var current: [Substring]?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if let lines = current {
        if line == "```" {
          blocks.append(lines.joined(separator: "\n"))
          current = nil
        } else {
          current = lines + [line]
        }
      } else if line == "```swift" {
        current = []
      }
    }
    return blocks
  }

  /// The macros of Testing stand beside the compiler.
  static func typecheck(_ source: String) throws -> (Int32, String) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("errand-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("main.swift")
    try source.write(to: file, atomically: true, encoding: .utf8)
    let toolchain = try #require(Compiler.path(of: "swiftc")).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent()
    let plugins = toolchain.appendingPathComponent("lib/swift/host/plugins/testing").path
    return try Compiler.run(
      "swiftc",
      ["-typecheck", "-swift-version", "6", "-warnings-as-errors", "-plugin-path", plugins]
        + Compiler.modules + [file.path])
  }
}
